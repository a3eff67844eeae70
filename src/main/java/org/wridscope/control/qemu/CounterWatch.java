// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * Watches a {@linkplain CounterGuest#busy busy} guest while it migrates, from outside: how fast its
 * loop runs, and for how long it runs at neither end. Whoever migrates it, it is measured alike.
 */
public final class CounterWatch implements AutoCloseable {
  private static final long INTERVAL_NANOS = 300_000;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration LOOK = Duration.ofMillis(20);

  /** A guest that runs is seen to go on this often ... */
  private static final int STEPS = 4;

  /** ... in this time, unlike a counter that changes because pages arrive. */
  private static final long STEPS_NANOS = 30_000_000;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment source;
  private final MemorySegment destination;
  private final Path processor;
  private final Thread thread;
  private final Moment begin;
  private Moment departure;
  private volatile boolean ended;

  /** Loops at the source since the watch began. */
  private final AtomicLong total = new AtomicLong();

  // Of the thread, until it has ended.
  private long lastAtSource;

  /** The latest changes at the destination since the last one at the source; a ring. */
  private final long[] atDestination = new long[STEPS + 1];

  private int changes;

  /** The first moment at which the guest ran at the destination; 0 if it was not seen there. */
  private volatile long arrival;

  /**
   * How far the guest is at the source.
   *
   * @param nanos the time
   * @param loops since the watch began
   * @param computed nanoseconds for which its processor has had a processor of this machine
   */
  private record Moment(long nanos, long loops, long computed) {}

  /**
   * What was seen of a migration.
   *
   * @param total from {@link #departs} to the first moment at which the guest ran at the
   *     destination
   * @param downtime from the last moment at which the guest ran at the source to the first at which
   *     it ran at the destination; rather too long than too short, by one look in 0.3 ms or longer
   *     if this thread had no processor
   * @param speed loops per second at the source during the migration, in relation to the time
   *     before it
   * @param pace the same per second of processor time: without the effect of other work on the same
   *     processors
   */
  public record Seen(Duration total, Duration downtime, double speed, double pace) {}

  /**
   * Begins to watch a guest at a source.
   *
   * @param source the file with its RAM
   * @param destination the file with the RAM of the machine that will receive it
   * @param task the thread of its processor, {@code /proc/PID/task/TID}
   */
  CounterWatch(Path source, Path destination, Path task) throws IOException {
    this.source = map(source);
    this.destination = map(destination);
    processor = task.resolve("schedstat");
    begin = now();
    departure = begin;
    lastAtSource = begin.nanos;
    thread = Thread.ofPlatform().daemon().name("counter watch").start(this::sample);
  }

  private MemorySegment map(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
    }
  }

  private Moment now() throws IOException {
    return new Moment(System.nanoTime(), total.get(), computed());
  }

  private long computed() throws IOException {
    String text = Files.readString(processor);
    return Long.parseLong(text.substring(0, text.indexOf(' ')));
  }

  private void sample() {
    int here = CounterGuest.loops(source);
    int there = CounterGuest.loops(destination);
    long before = begin.nanos;
    while (!ended) {
      LockSupport.parkNanos(INTERVAL_NANOS);
      int nowHere = CounterGuest.loops(source);
      int nowThere = CounterGuest.loops(destination);
      long now = System.nanoTime();
      if (nowHere != here) {
        total.addAndGet(Integer.toUnsignedLong(nowHere - here));
        // It ran after the look before this one; both ends may have changed since, on a busy
        // machine.
        lastAtSource = before;
        here = nowHere;
        arrival = 0;
        changes = 0;
      }
      if (nowThere != there) {
        there = nowThere;
        if (arrival == 0) {
          wentOn(now);
        }
      }
      before = now;
    }
  }

  private void wentOn(long nanos) {
    atDestination[changes++ % atDestination.length] = nanos;
    long first = atDestination[changes % atDestination.length];
    if (changes > STEPS && nanos - first < STEPS_NANOS) {
      arrival = first;
    }
  }

  /** Notes that the migration begins now. */
  public void departs() throws IOException {
    departure = now();
  }

  /** Loops of the guest at the source since the watch began. */
  long loops() {
    return total.get();
  }

  /**
   * Ends the watch; to be called when the migration has completed.
   *
   * @throws IOException if the guest was not seen to run at the destination, or it still runs at
   *     the source
   */
  public Seen arrived() throws IOException, InterruptedException {
    long patience = System.nanoTime() + PATIENCE.toNanos();
    while (arrival == 0) {
      if (System.nanoTime() > patience) {
        throw new IOException("The guest does not continue at the destination.");
      }
      Thread.sleep(LOOK);
    }
    end();
    Moment stop = new Moment(lastAtSource, total.get(), computed());
    double speed =
        rate(departure, stop, stop.nanos - departure.nanos)
            / rate(begin, departure, departure.nanos - begin.nanos);
    double pace =
        rate(departure, stop, stop.computed - departure.computed)
            / rate(begin, departure, departure.computed - begin.computed);
    return new Seen(
        Duration.ofNanos(arrival - departure.nanos),
        Duration.ofNanos(arrival - stop.nanos),
        speed,
        pace);
  }

  private static double rate(Moment from, Moment to, long nanos) {
    return (double) (to.loops - from.loops) / Math.max(nanos, 1);
  }

  private void end() {
    ended = true;
    Uninterrupted.join(thread, PATIENCE);
  }

  @Override
  public void close() {
    end();
    arena.close();
  }
}
