// SPDX-License-Identifier: Apache-2.0
/**
 * One way to start, steer and read a session, for the window and the command line alike. No JavaFX.
 */
@NullMarked
package org.wridscope.control;

import org.jspecify.annotations.NullMarked;
