// SPDX-License-Identifier: Apache-2.0
/**
 * The list of migrations: which sessions belong together, how far each is, and how it ended. Starts
 * nothing itself.
 */
@NullMarked
package org.wridscope.ui.sessions;

import org.jspecify.annotations.NullMarked;
