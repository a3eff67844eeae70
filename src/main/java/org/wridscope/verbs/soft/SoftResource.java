// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.concurrent.atomic.LongAdder;

/** Kinds of objects of software devices, and how many exist in this process. */
public enum SoftResource {
  PROTECTION_DOMAIN,
  MEMORY_REGION,
  COMPLETION_CHANNEL,
  COMPLETION_QUEUE,
  QUEUE_PAIR,
  CONNECTION,
  LISTENER;

  private final LongAdder alive = new LongAdder();

  /** How many exist, of all devices of this process. */
  public long alive() {
    return alive.sum();
  }

  void created() {
    alive.increment();
  }

  void destroyed() {
    alive.decrement();
  }
}
