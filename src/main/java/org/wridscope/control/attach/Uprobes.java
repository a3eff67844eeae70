// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.host.Processor;
import org.wridscope.process.ProcessStatus;

/**
 * Probes by the kernel alone. It tells posts as bpftrace does, apart from long chains and lists; of
 * completions only how many there were.
 */
final class Uprobes implements Tracer {
  private static final Logger LOG = LoggerFactory.getLogger(Uprobes.class);

  /** Time limit for reading what is still in the buffers. */
  private static final Duration DRAIN = Duration.ofSeconds(20);

  private final TracingInstance instance;
  private final FileInputStream pipe;
  private final BufferedReader output;
  private final Deque<TraceLine> told = new ArrayDeque<>();
  private final UprobeLines lines;
  private final Thread beats;
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CountDownLatch read = new CountDownLatch(1);

  private Uprobes(TracingInstance instance, TraceFilter filter) throws IOException {
    this.instance = instance;
    pipe = new FileInputStream(instance.pipe().toFile());
    output = new BufferedReader(new InputStreamReader(pipe, StandardCharsets.ISO_8859_1));
    LongPredicate wanted =
        switch (filter) {
          case TraceFilter.OfProcess(long pid) -> process -> process == pid;
          case TraceFilter.OfDevice _ -> _ -> true;
        };
    lines =
        new UprobeLines(
            instance.name(),
            wanted,
            new ThreadTable(thread -> ProcessStatus.processOf(thread).orElse(thread)),
            told::add);
    beats = Thread.ofPlatform().daemon().name("attach beats").unstarted(this::beat);
  }

  /**
   * Places the probes.
   *
   * @throws IOException if the kernel cannot or does not allow it; one sentence
   */
  static Uprobes start(Collection<Probe> probes, TraceFilter filter) throws IOException {
    TracingInstance instance = TracingInstance.create(Tracefs.find());
    boolean done = false;
    try {
      var events = new UprobeEvents(instance.name(), Processor.HERE, probes, filter);
      instance.define(events);
      if (filter instanceof TraceFilter.OfProcess(long pid)) {
        instance.follow(pid);
      }
      instance.enable(events);
      instance.mark(UprobeLines.BEGIN);
      var uprobes = new Uprobes(instance, filter);
      uprobes.beats.start();
      done = true;
      return uprobes;
    } finally {
      if (!done) {
        instance.remove();
      }
    }
  }

  /** The trace is read in the order of time, so the time of one processor stands for all. */
  private void beat() {
    try {
      while (!stopping.await(TraceScript.BEAT_MILLIS, TimeUnit.MILLISECONDS)) {
        instance.mark(UprobeLines.BEAT);
      }
    } catch (IOException e) {
      LOG.error("the trace cannot be written to any more", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public @Nullable TraceLine next() throws IOException {
    boolean more = false;
    try {
      while (told.isEmpty() && !lines.isEnded()) {
        String text = output.readLine();
        if (text == null) {
          return null;
        }
        lines.take(text);
      }
      TraceLine line = told.poll();
      more = line != null;
      return line;
    } finally {
      if (!more) {
        read.countDown();
      }
    }
  }

  @Override
  public String reason() {
    return "somebody else has ended the trace";
  }

  @Override
  public void stop() {
    if (stopped.getAndSet(true)) {
      return;
    }
    stopping.countDown();
    try {
      instance.disable();
      instance.end(UprobeLines.END);
    } catch (IOException e) {
      LOG.warn("the trace could not be ended: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    stop();
    boolean interrupted = false;
    long end = System.nanoTime() + DRAIN.toNanos();
    boolean waiting = true;
    while (waiting) {
      try {
        waiting = false;
        if (!read.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          LOG.warn("the trace was not read to its end");
        }
      } catch (InterruptedException e) {
        interrupted = true;
        waiting = true;
      }
    }
    try {
      pipe.close();
    } catch (IOException e) {
      LOG.warn("the trace could not be closed: {}", e.getMessage());
    }
    instance.remove();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
