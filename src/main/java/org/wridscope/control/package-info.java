// SPDX-License-Identifier: Apache-2.0
/** Starts, steers and reads sessions, for both the window and the command line. */
@NullMarked
package org.wridscope.control;

import org.jspecify.annotations.NullMarked;
