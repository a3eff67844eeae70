// SPDX-License-Identifier: Apache-2.0
/** Tests of the wrid view, and the requests that they use. */
@NullMarked
package org.wridscope.ui.wrids;

import org.jspecify.annotations.NullMarked;
