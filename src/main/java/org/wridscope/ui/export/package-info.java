// SPDX-License-Identifier: Apache-2.0
/** Exports and pictures from the window: menus, file names and progress. */
@NullMarked
package org.wridscope.ui.export;

import org.jspecify.annotations.NullMarked;
