// SPDX-License-Identifier: Apache-2.0
/**
 * The catalogue of figures: what each means, which end knows it, and when it is not known. The page
 * {@code docs/figures.md} is written from it.
 */
@NullMarked
package org.wridscope.figures;

import org.jspecify.annotations.NullMarked;
