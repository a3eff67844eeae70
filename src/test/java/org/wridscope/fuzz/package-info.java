// SPDX-License-Identifier: Apache-2.0
/** Passes arbitrary bytes to every parser: about a second in each test run, hours at night. */
@NullMarked
package org.wridscope.fuzz;

import org.jspecify.annotations.NullMarked;
