// SPDX-License-Identifier: Apache-2.0
/**
 * Pixels: pictures in memory that views draw from primitive arrays, and the node that shows one. No
 * view lives here, and nothing that knows what a picture means.
 */
@NullMarked
package org.wridscope.ui.raster;

import org.jspecify.annotations.NullMarked;
