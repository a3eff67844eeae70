// SPDX-License-Identifier: Apache-2.0
/**
 * Sessions that logs and packets tell of: their clock, waits and RAM, and the events that follow
 * from what is told.
 */
@NullMarked
package org.wridscope.recording.imported;

import org.jspecify.annotations.NullMarked;
