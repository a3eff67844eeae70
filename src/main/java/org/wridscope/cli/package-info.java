// SPDX-License-Identifier: Apache-2.0
/**
 * The command line: commands, their exit codes, progress and results in a terminal. It starts and
 * reads sessions through {@code control}; no JavaFX, the window is opened by whoever hands in a
 * {@link org.wridscope.cli.WindowOpener}.
 */
@NullMarked
package org.wridscope.cli;

import org.jspecify.annotations.NullMarked;
