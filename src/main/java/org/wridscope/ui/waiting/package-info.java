// SPDX-License-Identifier: Apache-2.0

/** A destination that waits for a source: the commands that start one. */
@NullMarked
package org.wridscope.ui.waiting;

import org.jspecify.annotations.NullMarked;
