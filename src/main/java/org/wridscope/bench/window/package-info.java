// SPDX-License-Identifier: Apache-2.0
/** The window in a process of its own, which benchmarks measure. */
@NullMarked
package org.wridscope.bench.window;

import org.jspecify.annotations.NullMarked;
