// SPDX-License-Identifier: Apache-2.0
/**
 * What a migration is started with: one table of settings, which command line, dialogs, scenario
 * files and QMP read.
 */
@NullMarked
package org.wridscope.settings;

import org.jspecify.annotations.NullMarked;
