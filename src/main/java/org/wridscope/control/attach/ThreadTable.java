// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * The process of each thread. The kernel's trace has numbers of threads only. Those that begin
 * while it is read are told by it; older ones are looked up. Not thread-safe.
 */
final class ThreadTable {
  private final Map<Long, Long> processes = new HashMap<>();
  private final LongUnaryOperator lookUp;

  /**
   * @param lookUp finds the process of a thread; the thread itself if it has ended
   */
  ThreadTable(LongUnaryOperator lookUp) {
    this.lookUp = lookUp;
  }

  /**
   * A thread begins.
   *
   * @param parent a thread of the same process; 0 if it is a process of its own
   */
  void begins(long thread, long parent) {
    processes.put(thread, parent == 0 ? thread : processOf(parent));
  }

  long processOf(long thread) {
    return processes.computeIfAbsent(thread, lookUp::applyAsLong);
  }
}
