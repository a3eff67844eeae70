// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import org.wridscope.time.Time;

/** Measures the phases of the downtime. One thread writes, any thread may read. */
final class Downtime {
  private final Map<String, Long> phases = new LinkedHashMap<>();
  private volatile long begin;
  private volatile long phaseBegin;

  /** The guest stands still, and the first phase begins; on any thread. */
  void begin() {
    begin = Time.nanos();
    phaseBegin = begin;
  }

  /** Nanoseconds since the guest stands still. */
  long elapsed() {
    return Time.nanos() - begin;
  }

  /** A phase ends, and the next one begins. */
  void endPhase(String name) {
    long now = Time.nanos();
    synchronized (phases) {
      phases.merge(name, now - phaseBegin, Long::sum);
    }
    phaseBegin = now;
  }

  /** Nanoseconds of each phase, in order. */
  Map<String, Long> phases() {
    synchronized (phases) {
      return new LinkedHashMap<>(phases);
    }
  }
}
