// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/** Does the steps of one writer of a {@link Workload} at a set rate. */
final class Writer extends GuestThread {
  private final Workload workload;
  private final int block;
  private final MemorySegment ram;
  private final WriteLog log;
  private final int index;

  // All below only with the lock held.
  private long step;
  private @Nullable RamDigester digester;

  /**
   * A writer that waits for {@link #resume(RamDigester)} once it is begun.
   *
   * @param block index of the block that is written
   * @param index of the writer in the workload
   * @param step to go on with
   * @param rate in bytes of pages a second
   */
  Writer(
      Workload workload,
      int block,
      MemorySegment ram,
      WriteLog log,
      int index,
      long step,
      double rate) {
    super("guest-writer-" + index, rate / RamBlock.PAGE_SIZE);
    this.workload = workload;
    this.block = block;
    this.ram = ram;
    this.log = log;
    this.index = index;
    this.step = step;
  }

  /** Does a step. Returns whether it wrote. */
  @Override
  boolean step() {
    long page = workload.pageOf(index, step);
    if (page >= 0) {
      if (digester != null) {
        digester.beforeWrite(block, page << RamBlock.PAGE_SHIFT, RamBlock.PAGE_SIZE);
      }
      workload.write(ram, page, step);
      log.mark(page);
    }
    step++;
    return page >= 0;
  }

  /** The writer's place in the workload. */
  int index() {
    return index;
  }

  /** The thread must stand still. */
  void resume(@Nullable RamDigester digester) {
    locked(() -> this.digester = digester);
    resume();
  }

  /** How many steps were done; the thread must stand still. */
  long stepsTaken() {
    long[] result = new long[1];
    locked(() -> result[0] = step);
    return result[0];
  }
}
