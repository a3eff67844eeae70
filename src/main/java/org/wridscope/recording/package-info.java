// SPDX-License-Identifier: Apache-2.0
/**
 * Recordings of sessions: the trace file, what writes it while a session runs, what replays it, and
 * QEMU's own trace logs. The format is described in {@code docs/recording.md}.
 */
@NullMarked
package org.wridscope.recording;

import org.jspecify.annotations.NullMarked;
