// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamDigester;

/** A thread of a guest that writes to a RAM block in numbered steps. */
abstract class RamWriter extends GuestThread {
  final int block;
  final MemorySegment ram;
  final WriteLog log;

  // All below only with the lock held.
  private long step;
  private @Nullable RamDigester digester;

  /**
   * A thread that waits for {@link #resume(RamDigester)} once it is begun.
   *
   * @param rate steps that count, in a second; more than 0
   * @param block index of the block that is written
   * @param step to go on with
   */
  RamWriter(String name, double rate, int block, MemorySegment ram, WriteLog log, long step) {
    super(name, rate);
    this.block = block;
    this.ram = ram;
    this.log = log;
    this.step = step;
  }

  /** Does the step with a number. Returns whether it counts. */
  abstract boolean write(long step);

  @Override
  final boolean step() {
    return write(step++);
  }

  /** Has a range digested, if somebody wants it as it was, before it is written to. */
  final void beforeWrite(long offset, long length) {
    if (digester != null) {
      digester.beforeWrite(block, offset, length);
    }
  }

  /** The thread must stand still. */
  final void resume(@Nullable RamDigester digester) {
    locked(() -> this.digester = digester);
    resume();
  }

  /** How many steps were done; the thread must stand still. */
  final long stepsTaken() {
    long[] result = new long[1];
    locked(() -> result[0] = step);
    return result[0];
  }
}
