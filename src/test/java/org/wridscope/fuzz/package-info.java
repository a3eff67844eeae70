// SPDX-License-Identifier: Apache-2.0
/** Every parser given any bytes: in each run of the tests for a second, at night for hours. */
@NullMarked
package org.wridscope.fuzz;

import org.jspecify.annotations.NullMarked;
