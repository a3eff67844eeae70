// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.process.NamedPipe;

/**
 * Reads lines from a pipe as fast as they come, on a thread that does nothing else, so that who
 * writes them is not held up. They wait here for the one who uses them; beyond a limit they are
 * counted and forgotten.
 */
final class PipeLines {
  private static final Logger LOG = LoggerFactory.getLogger(PipeLines.class);

  private final NamedPipe pipe;
  private final long mostBytes;
  private final LinkedBlockingQueue<Lines> waiting = new LinkedBlockingQueue<>();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean filled;

  /**
   * @param mostBytes how much may wait here
   */
  PipeLines(NamedPipe pipe, long mostBytes) {
    this.pipe = pipe;
    this.mostBytes = mostBytes;
  }

  /** Begins to read; to be called once somebody has opened the pipe for writing. */
  void start(String name) {
    Thread.ofPlatform().daemon().name(name).start(this::read);
  }

  private void read() {
    var buffer = new LineBuffer(pipe.capacity());
    try {
      int count;
      while ((count = pipe.read(buffer.space())) >= 0) {
        // Pages of a pipe are rarely filled to the last byte.
        filled |= count >= pipe.capacity() / 4 * 3;
        Lines whole = buffer.take();
        if (whole != null) {
          offer(whole);
        }
      }
      // A line without an end was cut off.
    } catch (IOException e) {
      LOG.debug("{}: {}", pipe.path(), e.getMessage());
    } finally {
      ended.countDown();
    }
  }

  private void offer(Lines lines) {
    int length = lines.length();
    if (waitingBytes.addAndGet(length) > mostBytes) {
      waitingBytes.addAndGet(-length);
      dropped.addAndGet(lines.count());
    } else {
      waiting.add(lines);
    }
  }

  /** The next lines, oldest first; null if none come within some time, or none come any more. */
  @Nullable Lines next(Duration limit) throws InterruptedException {
    Lines lines = waiting.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
    if (lines != null) {
      waitingBytes.addAndGet(-lines.length());
    }
    return lines;
  }

  /** Whether all lines have been taken and none will come. */
  boolean isOver() {
    return ended.getCount() == 0 && waiting.isEmpty();
  }

  /** Waits until the last line was read. */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** How many lines were forgotten because too many waited. */
  long dropped() {
    return dropped.get();
  }

  /**
   * Whether the pipe was ever about full, so that who does not wait for room in it may have lost
   * lines, or who does has waited.
   */
  boolean wasFull() {
    return filled;
  }
}
