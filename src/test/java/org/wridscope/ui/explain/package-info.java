// SPDX-License-Identifier: Apache-2.0
/** Tests of the view of explanations and findings. */
@NullMarked
package org.wridscope.ui.explain;

import org.jspecify.annotations.NullMarked;
