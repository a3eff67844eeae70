// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** Both ends of a simulated migration that takes twelve seconds. */
public final class ScriptedMigration {
  private static final long TICK = 20_000_000;
  private static final long MIB = 1L << 20;

  private final FakeSession source =
      new FakeSession("lab 1 source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("lab 1 destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final SplittableRandom random;
  private final Map<Metric, Long> sent = new EnumMap<>(Metric.class);
  private final Map<Metric, Long> received = new EnumMap<>(Metric.class);

  public ScriptedMigration(long seed) {
    random = new SplittableRandom(seed);
  }

  public SessionPair pair() {
    return new SessionPair(source, destination);
  }

  public FakeSession source() {
    return source;
  }

  public FakeSession destination() {
    return destination;
  }

  /** Adds a sample to the history, with these values and 0 for all other metrics. */
  public static void sample(SessionTelemetry telemetry, long nanos, Map<Metric, Long> values) {
    var metrics = new Metrics();
    values.forEach(metrics::set);
    telemetry.history().add(nanos, metrics);
  }

  /** The time at which it began. */
  public long origin() {
    return source.telemetry().startNanos();
  }

  private static void grow(Map<Metric, Long> values, Metric metric, double amount) {
    values.merge(metric, Math.max(0, Math.round(amount)), Long::sum);
  }

  /** Adds the samples of the first seconds, up to twelve. */
  public ScriptedMigration run(double seconds) {
    sent.put(Metric.SEND_QUEUE_DEPTH, 512L);
    sent.put(Metric.RECEIVE_QUEUE_DEPTH, 8L);
    received.put(Metric.SEND_QUEUE_DEPTH, 512L);
    received.put(Metric.RECEIVE_QUEUE_DEPTH, 8L);
    received.put(Metric.RECEIVES_POSTED, 3L);
    sent.put(Metric.RECEIVES_POSTED, 3L);
    for (long t = 0; t < seconds * 1e9; t += TICK) {
      step(t);
      long nanos = origin() + t;
      sample(source.telemetry(), nanos, sent);
      sample(destination.telemetry(), nanos + 3_000_000, received);
    }
    sent.forEach(source.telemetry().metrics()::set);
    received.forEach(destination.telemetry().metrics()::set);
    return this;
  }

  private void step(long t) {
    double s = t / 1e9;
    boolean running = s > 0.8 && s < 11;
    double speed =
        running ? 190 + 40 * Math.sin(s * 1.7) + random.nextDouble(-25, 25) : 0; // chunks a tick
    if (s > 4 && s < 4.5) {
      speed *= 0.15;
      grow(sent, Metric.WAIT_SEND_QUEUE_TIME, TICK * 0.8);
    }
    double fresh = s < 6 ? speed * random.nextDouble(0.5, 0.9) : speed * 0.02;
    grow(sent, Metric.WRITES_POSTED, speed);
    sent.put(
        Metric.WRITES_COMPLETED,
        Math.max(
            0,
            sent.getOrDefault(Metric.WRITES_POSTED, 0L)
                - (running ? 180 + Math.round(170 * Math.sin(s * 3)) + random.nextInt(60) : 0)));
    grow(sent, Metric.SENDS_POSTED, fresh + (running ? 1 : 0));
    sent.put(
        Metric.SENDS_COMPLETED,
        Math.max(
            0, sent.getOrDefault(Metric.SENDS_POSTED, 0L) - (running ? random.nextInt(3) : 0)));
    grow(sent, Metric.RECEIVES_COMPLETED, fresh + (running ? 1 : 0));
    grow(sent, Metric.RECEIVES_POSTED, fresh + (running ? 1 : 0));
    grow(sent, Metric.WAIT_READY_TIME, running ? TICK * random.nextDouble(0, 0.3) : 0);
    grow(sent, Metric.WAIT_REGISTER_TIME, running ? TICK * fresh / 400 : 0);
    for (Map<Metric, Long> end : List.of(sent, received)) {
      grow(end, Metric.REGISTRATIONS_TOTAL, fresh);
      grow(end, Metric.REGISTRATION_TIME, fresh * random.nextDouble(30_000, 90_000));
      grow(end, Metric.REGISTRATION_ROUND_TRIPS, fresh / 8);
      long alive = s < 11.5 ? end.getOrDefault(Metric.REGISTRATIONS_TOTAL, 0L) : 0;
      end.put(Metric.REGISTRATIONS_ALIVE, alive);
      end.merge(Metric.REGISTRATIONS_PEAK, alive, Math::max);
      end.put(Metric.REGISTERED_BYTES, alive * MIB);
      end.merge(Metric.REGISTERED_BYTES_PEAK, alive * MIB, Math::max);
    }
    grow(received, Metric.SENDS_POSTED, fresh);
    received.put(Metric.SENDS_COMPLETED, received.getOrDefault(Metric.SENDS_POSTED, 0L));
    grow(received, Metric.RECEIVES_POSTED, fresh);
    grow(received, Metric.RECEIVES_COMPLETED, fresh);
    grow(sent, Metric.RAM_PROCESSED, speed * MIB);
    double remaining = Math.max(0, 8192.0 * MIB * (1 - s / 11));
    sent.put(Metric.RAM_REMAINING, Math.round(remaining));
    sent.put(Metric.DIRTY_BYTES_RATE, running ? 200 * MIB + random.nextInt(1 << 25) : 0L);
  }

  /** Gives both ends RAM blocks, with chunks in states as in the middle of a migration. */
  public ScriptedMigration withBlocks(long ramBytes, double progress) {
    for (FakeSession end : List.of(source, destination)) {
      SessionTelemetry telemetry = end.telemetry();
      List<ChunkTable> blocks =
          List.of(
              new ChunkTable(0, "pc.ram", ramBytes, 0x7f12_3400_0000L),
              new ChunkTable(1, "0000:00:02.0/vga.vram", 16 * MIB, 0x7f99_0000_0000L),
              new ChunkTable(2, "pc.bios", MIB / 4, 0x7f98_0000_0000L),
              new ChunkTable(3, "/rom@etc/table-loader", 4096, 0x7f97_0000_0000L));
      blocks.forEach(block -> block.setRemoteAddress(block.localAddress() + (1L << 36)));
      fill(blocks, end.role() == Role.SOURCE ? progress : progress * 0.99);
      telemetry.setBlocks(blocks);
    }
    return this;
  }

  private static void fill(List<ChunkTable> blocks, double progress) {
    var states = new SplittableRandom(7);
    for (ChunkTable block : blocks) {
      int front = (int) (block.chunkCount() * progress);
      for (int i = 0; i < front; i++) {
        int inSixteenth = i >> 4;
        boolean zero = new SplittableRandom(inSixteenth).nextDouble() < 0.3;
        block.setState(i, zero ? ChunkState.ZERO : ChunkState.SENT);
        if (!zero && i < front * 0.5 && states.nextDouble() < 0.12) {
          block.setState(i, ChunkState.DIRTY_AGAIN);
        }
        if (!zero) {
          block.setRemoteKey(i, 0x1000 + i);
          block.setLocalKey(i, 0x2000 + i);
        }
      }
      for (int i = front; i < Math.min(block.chunkCount(), front + 40); i++) {
        if (i < front + 28) {
          block.posted(i);
        } else {
          block.setState(i, ChunkState.REGISTERED);
        }
      }
    }
  }
}
