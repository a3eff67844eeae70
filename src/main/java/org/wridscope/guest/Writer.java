// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/** Does the steps of one writer of a {@link Workload} at a set rate. */
final class Writer extends RamWriter {
  private final Workload workload;
  private final int index;

  /**
   * A writer that, once started, waits for {@link #resume(RamDigester)}.
   *
   * @param block index of the block that is written
   * @param index of the writer in the workload
   * @param step number of its first step
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
    super("guest-writer-" + index, rate / RamBlock.PAGE_SIZE, block, ram, log, step);
    this.workload = workload;
    this.index = index;
  }

  @Override
  boolean write(long step) {
    long page = workload.pageOf(index, step);
    if (page < 0) {
      return false;
    }
    beforeWrite(page << RamBlock.PAGE_SHIFT, RamBlock.PAGE_SIZE);
    workload.write(ram, page, step);
    log.mark(page);
    return true;
  }

  /** The index of the writer in the workload. */
  int index() {
    return index;
  }
}
