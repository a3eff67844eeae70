// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import org.wridscope.telemetry.EventKind;

/** Takes events one by one, without an object for each; {@link EventKind} says what they mean. */
@FunctionalInterface
interface EventSink {
  /** An event, not before that of the call before. */
  void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument);
}
