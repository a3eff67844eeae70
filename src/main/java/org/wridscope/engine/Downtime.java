// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.EnumMap;
import java.util.Map;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.time.Time;

/** Measures the parts of the downtime. One thread writes, any thread may read. */
final class Downtime {
  private final Map<DowntimePart, Long> parts = new EnumMap<>(DowntimePart.class);
  private volatile long begin;
  private volatile long partBegin;

  /** The guest stands still, and the first part begins; on any thread. */
  void begin() {
    begin = Time.nanos();
    partBegin = begin;
  }

  /** Nanoseconds since the guest stands still. */
  long elapsed() {
    return Time.nanos() - begin;
  }

  /** A part ends, and the next one begins. */
  void end(DowntimePart part) {
    long now = Time.nanos();
    synchronized (parts) {
      parts.merge(part, now - partBegin, Long::sum);
    }
    partBegin = now;
  }

  /** Nanoseconds of each part, in order. */
  Map<DowntimePart, Long> parts() {
    synchronized (parts) {
      return new EnumMap<>(parts);
    }
  }
}
