// SPDX-License-Identifier: Apache-2.0
/** Benchmarks: what {@code wridscope bench} measures. */
@NullMarked
package org.wridscope.bench;

import org.jspecify.annotations.NullMarked;
