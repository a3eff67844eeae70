// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/** Does the steps of a {@link Balloon}, and reports which RAM is not needed any more. */
final class BalloonDriver extends RamWriter {
  private final Balloon balloon;
  private final Supplier<MemoryHints> hints;

  /**
   * A driver that, once started, waits for {@link #resume(RamDigester)}.
   *
   * @param block index of the block that contains the balloon
   * @param step number of its first step
   * @param hints who is told now
   */
  BalloonDriver(
      Balloon balloon,
      int block,
      MemorySegment ram,
      WriteLog log,
      long step,
      Supplier<MemoryHints> hints) {
    super("guest-balloon", Balloon.RATE, block, ram, log, step);
    this.balloon = balloon;
    this.hints = hints;
  }

  @Override
  boolean write(long step) {
    long offset = balloon.unitOf(step) * Balloon.UNIT;
    beforeWrite(offset, Balloon.UNIT);
    balloon.write(ram, step);
    for (long at = offset; at < offset + Balloon.UNIT; at += RamBlock.PAGE_SIZE) {
      log.mark(at >> RamBlock.PAGE_SHIFT);
    }
    if (balloon.takes(step)) {
      hints.get().notNeeded(block, offset, Balloon.UNIT);
    }
    return true;
  }
}
