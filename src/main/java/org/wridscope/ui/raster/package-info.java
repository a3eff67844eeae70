// SPDX-License-Identifier: Apache-2.0
/**
 * Pictures in memory, as arrays of pixels, and the node that shows one. This package knows nothing
 * of what a picture means.
 */
@NullMarked
package org.wridscope.ui.raster;

import org.jspecify.annotations.NullMarked;
