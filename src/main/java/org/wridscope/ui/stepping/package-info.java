// SPDX-License-Identifier: Apache-2.0

/** A run that is stepped through: what can happen next, and who waits for what. */
@NullMarked
package org.wridscope.ui.stepping;

import org.jspecify.annotations.NullMarked;
