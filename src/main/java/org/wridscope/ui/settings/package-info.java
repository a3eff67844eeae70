// SPDX-License-Identifier: Apache-2.0
/**
 * Dialogs that ask how to migrate, and the forms behind them, which check what was typed. They
 * start nothing.
 */
@NullMarked
package org.wridscope.ui.settings;

import org.jspecify.annotations.NullMarked;
