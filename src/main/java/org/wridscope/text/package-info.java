// SPDX-License-Identifier: Apache-2.0
/**
 * Numbers as people read them, the ticks of axes, and text of peers and files made safe to show.
 * The same for the window, the terminal, log messages and exports.
 */
@NullMarked
package org.wridscope.text;

import org.jspecify.annotations.NullMarked;
