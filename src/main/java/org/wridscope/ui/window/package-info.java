// SPDX-License-Identifier: Apache-2.0
/**
 * The application: main window, toolbar, theme, and the pulse that redraws all views. The only
 * package that starts and steers sessions.
 */
@NullMarked
package org.wridscope.ui.window;

import org.jspecify.annotations.NullMarked;
