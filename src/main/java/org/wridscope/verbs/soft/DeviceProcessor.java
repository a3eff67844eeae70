// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;
import java.util.function.Consumer;

/** What executes the work requests of a device: its thread, or the steps of a schedule. */
interface DeviceProcessor {
  /** A thread that accesses the memory of requests. */
  Thread thread();

  /**
   * Begins.
   *
   * @param onDefect called once, by the processor, for a defect that no queue pair caused
   */
  void start(Consumer<Throwable> onDefect);

  /** A queue pair was created. */
  default void add(SoftQueuePair queuePair) {}

  /** A queue pair was destroyed. */
  default void remove(SoftQueuePair queuePair) {}

  /** Schedules a turn for the queue pair. */
  void schedule(SoftQueuePair queuePair);

  /** Schedules a turn for the queue pair even if it waits for a point in time. */
  void scheduleNow(SoftQueuePair queuePair);

  /** Lets others go on after a verb of the device was called, without a lock. */
  default void handOver() {}

  /**
   * Ends. All queue pairs are destroyed.
   *
   * @return false when it has not ended within the limit
   */
  boolean stop(Duration limit);
}
