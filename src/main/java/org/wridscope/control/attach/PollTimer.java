// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.rdma.RdmaDevices;

/** Times polls of an empty completion queue of this process. */
final class PollTimer implements AutoCloseable {
  private static final int BATCH = 100;

  /**
   * So many batches in a row must not be faster than one before; the first ones are interpreted.
   */
  private static final int BATCHES_NOT_FASTER = 100;

  /** Nanoseconds after which the fastest so far must do. */
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(2);

  private final RdmaDevice device;
  private final WorkCompletion[] into = WorkCompletion.array(1);

  private PollTimer(RdmaDevice device) {
    this.device = device;
  }

  /**
   * Opens a device.
   *
   * @param name null for the first one
   * @throws VerbsException if it cannot be used; one sentence
   */
  static PollTimer open(@Nullable String name) throws VerbsException {
    return new PollTimer(
        RdmaDevices.open(name == null ? RdmaDevices.list().getFirst().name() : name));
  }

  /** Nanoseconds of a poll: of the fastest of several batches, which nothing interrupted. */
  long nanos() throws VerbsException {
    try (CompletionChannel channel = device.createCompletionChannel();
        CompletionQueue queue = device.createCompletionQueue(1, channel)) {
      long deadline = System.nanoTime() + LIMIT;
      long fastest = Long.MAX_VALUE;
      for (int since = 0; since < BATCHES_NOT_FASTER && System.nanoTime() - deadline < 0; since++) {
        long begin = System.nanoTime();
        for (int i = 0; i < BATCH; i++) {
          poll(queue);
        }
        long nanos = System.nanoTime() - begin;
        if (nanos < fastest) {
          fastest = nanos;
          since = 0;
        }
      }
      return fastest / BATCH;
    }
  }

  private void poll(CompletionQueue queue) throws VerbsException {
    if (queue.poll(into) != 0) {
      throw new IllegalStateException("a queue that nobody uses has a completion");
    }
  }

  @Override
  public void close() throws VerbsException {
    device.close();
  }
}
