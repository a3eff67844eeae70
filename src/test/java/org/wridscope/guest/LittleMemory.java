// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Lets guests that arrive find less and less memory available, until this is closed. */
public final class LittleMemory implements AutoCloseable {
  private final LongSupplier before;

  private LittleMemory(LongSupplier before) {
    this.before = before;
  }

  /**
   * Begins.
   *
   * @param bytes that are told at first
   * @param step how many fewer each time
   */
  public static LittleMemory begin(long bytes, long step) {
    var little = new LittleMemory(ScarceRoom.memory);
    var left = new AtomicLong(bytes);
    ScarceRoom.memory = () -> Math.max(0, left.getAndAdd(-step));
    return little;
  }

  @Override
  public void close() {
    ScarceRoom.memory = before;
  }
}
