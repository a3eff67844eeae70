// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.wridscope.telemetry.EventKind;

/** Receives events without an object for each; see {@link EventKind} for the fields. */
@FunctionalInterface
public interface EventSink {
  /** Receives an event, not earlier than the previous one. */
  void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument);
}
