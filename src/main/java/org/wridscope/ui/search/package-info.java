// SPDX-License-Identifier: Apache-2.0
/** The bar that searches in all views. */
@NullMarked
package org.wridscope.ui.search;

import org.jspecify.annotations.NullMarked;
