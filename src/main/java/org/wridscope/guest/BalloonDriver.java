// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/** Does the steps of a {@link Balloon}, and says which RAM is not needed any more. */
final class BalloonDriver extends GuestThread {
  private final Balloon balloon;
  private final int block;
  private final MemorySegment ram;
  private final WriteLog log;
  private final MemoryHints hints;

  // All below only with the lock held.
  private long step;
  private @Nullable RamDigester digester;

  /**
   * A driver that waits for {@link #resume(RamDigester)} once it is begun.
   *
   * @param block index of the block that the balloon is in
   * @param step to go on with
   */
  BalloonDriver(
      Balloon balloon, int block, MemorySegment ram, WriteLog log, long step, MemoryHints hints) {
    super("guest-balloon", Balloon.RATE);
    this.balloon = balloon;
    this.block = block;
    this.ram = ram;
    this.log = log;
    this.step = step;
    this.hints = hints;
  }

  @Override
  boolean step() {
    long offset = balloon.unitOf(step) * Balloon.UNIT;
    if (digester != null) {
      digester.beforeWrite(block, offset, Balloon.UNIT);
    }
    balloon.write(ram, step);
    for (long at = offset; at < offset + Balloon.UNIT; at += RamBlock.PAGE_SIZE) {
      log.mark(at >> RamBlock.PAGE_SHIFT);
    }
    if (balloon.takes(step)) {
      hints.notNeeded(block, offset, Balloon.UNIT);
    }
    step++;
    return true;
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
