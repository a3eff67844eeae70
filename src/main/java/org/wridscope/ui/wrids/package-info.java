// SPDX-License-Identifier: Apache-2.0
/** The wrid view: every work request as a line from its post to its completion. */
@NullMarked
package org.wridscope.ui.wrids;

import org.jspecify.annotations.NullMarked;
