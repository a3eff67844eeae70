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

  // Accessed only with the lock held.
  private long step;
  private @Nullable RamDigester digester;

  /**
   * A thread that, once started, waits for {@link #resume(RamDigester)}.
   *
   * @param rate counted steps a second; more than 0
   * @param block index of the block that is written
   * @param step number of its first step
   */
  RamWriter(String name, double rate, int block, MemorySegment ram, WriteLog log, long step) {
    super(name, rate);
    this.block = block;
    this.ram = ram;
    this.log = log;
    this.step = step;
  }

  /** Does the step with this number. Returns whether it counts. */
  abstract boolean write(long step);

  @Override
  final boolean step() {
    return write(step++);
  }

  /** To be called before a write: a digest that is being computed needs the old content. */
  final void beforeWrite(long offset, long length) {
    if (digester != null) {
      digester.beforeWrite(block, offset, length);
    }
  }

  /** Lets the thread continue; it must be paused. */
  final void resume(@Nullable RamDigester digester) {
    locked(() -> this.digester = digester);
    resume();
  }

  /** How many steps were done; the thread must be paused. */
  final long stepsTaken() {
    long[] result = new long[1];
    locked(() -> result[0] = step);
    return result[0];
  }
}
