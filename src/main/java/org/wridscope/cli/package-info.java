// SPDX-License-Identifier: Apache-2.0
/**
 * The command line: commands, their exit codes, progress and results in a terminal. Starts and
 * reads sessions through {@code control}. Opens the window through a {@link
 * org.wridscope.cli.WindowOpener}, without JavaFX.
 */
@NullMarked
package org.wridscope.cli;

import org.jspecify.annotations.NullMarked;
