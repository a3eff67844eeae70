// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.math.BigDecimal;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A column of a table.
 *
 * @param name ends with the unit, if there is one
 * @param value returns the value for a row: a {@link String}, a {@link Boolean}, a {@link Long}, an
 *     {@link Integer} or a {@link BigDecimal}; null when there is none
 */
record Column<R>(String name, Function<R, @Nullable Object> value) {}
