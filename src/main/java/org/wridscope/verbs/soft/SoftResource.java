// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.concurrent.atomic.LongAdder;

/** What is made from software devices, and how much of it is alive in this process. */
public enum SoftResource {
  PROTECTION_DOMAIN,
  MEMORY_REGION,
  COMPLETION_CHANNEL,
  COMPLETION_QUEUE,
  QUEUE_PAIR,
  CONNECTION,
  LISTENER;

  private final LongAdder alive = new LongAdder();

  /** How many are alive, of all devices of this process. */
  public long alive() {
    return alive.sum();
  }

  void made() {
    alive.increment();
  }

  void gone() {
    alive.decrement();
  }
}
