// SPDX-License-Identifier: Apache-2.0
/** Tests of the explanations and findings as they are shown. */
@NullMarked
package org.wridscope.ui.explain;

import org.jspecify.annotations.NullMarked;
