// SPDX-License-Identifier: Apache-2.0
/** Parses the numbers that users type: sizes, rates, shares, times. */
@NullMarked
package org.wridscope.units;

import org.jspecify.annotations.NullMarked;
