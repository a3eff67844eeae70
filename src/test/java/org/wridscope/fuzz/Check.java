// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * Gives inputs to a parser and fails when one causes an exception that is no refusal, or costs more
 * memory than its length justifies. For one thread.
 */
final class Check {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final BufferPoolMXBean DIRECT =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .findFirst()
          .orElseThrow();

  /** Classes are loaded and strings computed once; that is not the input's doing. */
  private static final int WARM_UP = 200;

  private final FuzzTarget target;
  private int taken;
  private long accepted;

  Check(FuzzTarget target) {
    this.target = target;
  }

  /** How many inputs were not refused. */
  long accepted() {
    return accepted;
  }

  /**
   * Takes one input.
   *
   * @throws AssertionError when a property does not hold
   */
  void accept(byte[] input) {
    long heap = parse(input);
    long limit = target.heapBesides() + target.heapPerByte() * input.length;
    if (taken < WARM_UP) {
      taken++;
    } else if (heap > limit) {
      // Once more: a class that was loaded, or code that was compiled, is no cost of the input.
      long again = parse(input);
      if (again > limit) {
        throw new AssertionError(
            "%s: an input of %d bytes cost %,d bytes of memory; at most %,d are justified"
                .formatted(target, input.length, again, limit));
      }
    }
  }

  /** Returns the bytes that it allocated. */
  private long parse(byte[] input) {
    long direct = DIRECT.getMemoryUsed();
    long heap = THREADS.getCurrentThreadAllocatedBytes();
    try {
      target.parser().parse(input);
      accepted++;
    } catch (Exception e) {
      if (target.refusals().stream().noneMatch(refusal -> refusal.isInstance(e))) {
        throw new AssertionError("%s: %s is no refusal".formatted(target, e), e);
      }
    }
    return THREADS.getCurrentThreadAllocatedBytes()
        - heap
        + Math.max(0, DIRECT.getMemoryUsed() - direct);
  }
}
