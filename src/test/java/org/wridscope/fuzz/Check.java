// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * Passes inputs to a parser. Fails when an input causes an exception that is not a refusal, or
 * costs more memory than its length justifies. For one thread.
 */
final class Check {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final BufferPoolMXBean DIRECT =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .findFirst()
          .orElseThrow();

  /** Inputs whose cost is not checked: they include the loading of classes. */
  private static final int WARM_UP = 200;

  private final FuzzTarget target;
  private int taken;
  private long accepted;

  Check(FuzzTarget target) {
    this.target = target;
  }

  /** Number of inputs that the parser did not refuse. */
  long accepted() {
    return accepted;
  }

  /**
   * Passes one input to the parser.
   *
   * @throws AssertionError when a limit is exceeded or the exception is not a refusal
   */
  void accept(byte[] input) {
    long heap = parse(input);
    long limit = target.heapBesides() + target.heapPerByte() * input.length;
    if (taken < WARM_UP) {
      taken++;
    } else if (heap > limit) {
      // Measured again: the first cost may have been the loading of a class.
      long again = parse(input);
      if (again > limit) {
        throw new AssertionError(
            "%s: an input of %d bytes cost %,d bytes of memory; at most %,d are justified"
                .formatted(target, input.length, again, limit));
      }
    }
  }

  /** Returns how many bytes the parser allocated. */
  private long parse(byte[] input) {
    long direct = DIRECT.getMemoryUsed();
    long heap = THREADS.getCurrentThreadAllocatedBytes();
    try {
      target.parser().parse(input);
      accepted++;
    } catch (Exception e) {
      if (target.refusals().stream().noneMatch(refusal -> refusal.isInstance(e))) {
        throw new AssertionError("%s: %s is not a refusal".formatted(target, e), e);
      }
    }
    return THREADS.getCurrentThreadAllocatedBytes()
        - heap
        + Math.max(0, DIRECT.getMemoryUsed() - direct);
  }
}
