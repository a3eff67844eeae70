// SPDX-License-Identifier: Apache-2.0
/** Tests of the wrid view, and the work requests that they show. */
@NullMarked
package org.wridscope.ui.wrids;

import org.jspecify.annotations.NullMarked;
