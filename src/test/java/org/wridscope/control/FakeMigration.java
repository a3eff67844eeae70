// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * A seeded model of a pre-copy migration, in real time, that writes telemetry as an engine does.
 */
final class FakeMigration {
  private static final long MIB = 1 << 20;

  private final FakeSession source;
  private final FakeSession destination;
  private final LabSettings settings;
  private final Random random;
  private final List<ChunkTable> here = new ArrayList<>();
  private final List<ChunkTable> there = new ArrayList<>();
  private final ArrayDeque<int[]> inFlight = new ArrayDeque<>();
  private double zeroShare = 0.4;
  private long dirtyRate;
  private long workingSet;
  private long total;

  FakeMigration(FakeSession source, FakeSession destination, LabSettings settings, long seed) {
    this.source = source;
    this.destination = destination;
    this.settings = settings;
    random = new Random(seed);
  }

  /** Runs until a session has ended. */
  void start() {
    Thread.ofPlatform().daemon().name("fake-migration").start(this::run);
  }

  private void run() {
    long ram = 2048 * MIB;
    if (settings.guest() instanceof GuestSettings.Synthetic guest) {
      ram = guest.ramBytes();
      zeroShare = guest.zeroShare();
      dirtyRate = guest.dirtyRate();
      workingSet = guest.workingSet() == 0 ? ram / 4 : guest.workingSet();
    }
    SessionTelemetry from = source.telemetry();
    SessionTelemetry to = destination.telemetry();
    Metrics metrics = from.metrics();
    long begin = System.nanoTime();
    both(MigrationStatus.SETUP);
    from.beginPhase(Phase.Kind.CONNECT);
    to.beginPhase(Phase.Kind.CONNECT);
    sleep(60);
    from.beginPhase(Phase.Kind.SET_UP);
    to.beginPhase(Phase.Kind.SET_UP);
    block(0, "pc.ram", ram, 0x7f10_0000_0000L, 0x7f62_4000_0000L);
    block(1, "vga.vram", 16 * MIB, 0x7f0f_c000_0000L, 0x7f62_3000_0000L);
    block(2, "pc.bios", 256 * 1024, 0x7f0f_b000_0000L, 0x7f62_2f00_0000L);
    from.setBlocks(here);
    to.setBlocks(there);
    total = here.stream().mapToLong(ChunkTable::length).sum();
    metrics.set(Metric.RAM_TOTAL, total);
    to.metrics().set(Metric.RAM_TOTAL, total);
    metrics.set(Metric.RAM_REMAINING, total);
    metrics.set(Metric.SEND_QUEUE_DEPTH, 512);
    metrics.set(Metric.RECEIVE_QUEUE_DEPTH, 8);
    to.metrics().set(Metric.SEND_QUEUE_DEPTH, 8);
    to.metrics().set(Metric.RECEIVE_QUEUE_DEPTH, 8);
    message(ControlType.RAM_BLOCKS_REQUEST, true, 0, 1);
    message(ControlType.RAM_BLOCKS_RESULT, false, 108, 3);
    sleep(40);
    metrics.set(Metric.SETUP_TIME, System.nanoTime() - begin);
    both(MigrationStatus.ACTIVE);
    List<int[]> dirty = new ArrayList<>();
    for (ChunkTable table : here) {
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        dirty.add(new int[] {table.index(), chunk});
      }
    }
    for (int round = 1; ; round++) {
      long bytes = bytes(dirty);
      from.beginRound(round);
      to.beginRound(round);
      from.event(EventKind.ROUND_BEGIN, round, 0, 0, bytes);
      metrics.increment(Metric.DIRTY_SYNC_COUNT);
      metrics.set(Metric.ROUND_BYTES, bytes);
      metrics.set(Metric.ROUND_PROCESSED, 0);
      long roundBegin = System.nanoTime();
      if (!send(dirty, begin, round)) {
        return;
      }
      from.event(EventKind.ROUND_END, round, 0, 0, bytes);
      double seconds = (System.nanoTime() - roundBegin) / 1e9;
      dirty = dirtied(seconds);
      long left = bytes(dirty);
      long bandwidth = (long) (bytes / seconds);
      metrics.set(Metric.BANDWIDTH, bandwidth);
      metrics.set(Metric.DIRTY_BYTES_RATE, (long) (left / seconds));
      metrics.set(Metric.RAM_REMAINING, left);
      metrics.set(Metric.EXPECTED_DOWNTIME, (long) (left * 1e9 / bandwidth));
      if (left * 1e9 / bandwidth <= metrics.get(Metric.DOWNTIME_LIMIT)) {
        break;
      }
    }
    from.beginPhase(Phase.Kind.SWITCH_OVER);
    to.beginPhase(Phase.Kind.SWITCH_OVER);
    source.setGuestRunning(false);
    from.event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
    both(MigrationStatus.DEVICE);
    metrics.increment(Metric.DIRTY_SYNC_COUNT);
    metrics.set(Metric.ROUND_BYTES, bytes(dirty));
    long paused = System.nanoTime();
    if (!send(dirty, begin, -1)) {
      return;
    }
    message(ControlType.REGISTER_FINISHED, true, 0, 1);
    message(ControlType.LOADED, false, 0, 1);
    message(ControlType.SWITCH_OVER, true, 0, 1);
    message(ControlType.RUNNING, false, 0, 1);
    metrics.set(Metric.DOWNTIME, System.nanoTime() - paused);
    metrics.set(Metric.TOTAL_TIME, System.nanoTime() - begin);
    destination.setGuestRunning(true);
    to.event(EventKind.GUEST_RESUMED, 0, 0, 0, 0);
    source.end(
        MigrationStatus.COMPLETED, "Completed: the guest runs at the destination, verified equal.");
    destination.end(MigrationStatus.COMPLETED, "Completed: the guest runs here, verified equal.");
  }

  private void both(MigrationStatus status) {
    source.telemetry().setStatus(status);
    destination.telemetry().setStatus(status);
  }

  private void block(int index, String name, long length, long address, long remote) {
    var local = new ChunkTable(index, name, length, address);
    local.setRemoteAddress(remote);
    here.add(local);
    var other = new ChunkTable(index, name, length, remote);
    other.setRemoteAddress(address);
    there.add(other);
  }

  private long bytes(List<int[]> chunks) {
    long bytes = 0;
    for (int[] chunk : chunks) {
      bytes += here.get(chunk[0]).lengthOf(chunk[1]);
    }
    return bytes;
  }

  private boolean zero(int[] chunk) {
    int mixed = (chunk[0] * 31 + chunk[1] / 24) * 0x9E3779B9;
    return (mixed >>> 8) / (double) (1 << 24) < zeroShare;
  }

  /** Returns false when it was cancelled or closed. */
  private boolean send(List<int[]> dirty, long begin, int round) {
    Metrics metrics = source.telemetry().metrics();
    Metrics far = destination.telemetry().metrics();
    double budget = 0;
    long last = System.nanoTime();
    int next = 0;
    while (next < dirty.size() || !inFlight.isEmpty()) {
      if (source.status().isEnd() || destination.status().isEnd()) {
        return false;
      }
      if (source.cancelled() && round > 0) {
        both(MigrationStatus.CANCELLING);
        sleep(50);
        source.end(MigrationStatus.CANCELLED, "Cancelled; the guest keeps running at the source.");
        destination.end(MigrationStatus.CANCELLED, "Cancelled by the source.");
        return false;
      }
      sleep(2);
      long now = System.nanoTime();
      long limit = metrics.get(Metric.BANDWIDTH_LIMIT);
      double speed = limit == 0 ? 1500.0 * MIB : limit;
      double tick = now - last;
      metrics.add(Metric.WAIT_BANDWIDTH_TIME, limit == 0 ? 0 : (long) (tick * 0.55));
      metrics.add(Metric.SCAN_TIME, (long) (tick * (limit == 0 ? 0.35 : 0.15)));
      metrics.add(Metric.WAIT_SEND_QUEUE_TIME, (long) (tick * (limit == 0 ? 0.3 : 0.05)));
      metrics.add(Metric.WAIT_REGISTER_TIME, (long) (tick * 0.12));
      budget = Math.min(budget + tick / 1e9 * speed, speed / 10);
      last = now;
      metrics.set(Metric.TOTAL_TIME, now - begin);
      while (inFlight.size() > 12 || (next >= dirty.size() && !inFlight.isEmpty())) {
        complete(inFlight.removeFirst());
      }
      while (budget > 0 && next < dirty.size()) {
        int[] chunk = dirty.get(next++);
        ChunkTable table = here.get(chunk[0]);
        long length = table.lengthOf(chunk[1]);
        if (zero(chunk)) {
          table.setState(chunk[1], ChunkState.ZERO);
          there.get(chunk[0]).setState(chunk[1], ChunkState.ZERO);
          long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, chunk[0], chunk[1]);
          source.telemetry().event(EventKind.ZERO, 0, 0, wrid, length);
          metrics.add(Metric.DUPLICATE_PAGES, length / 4096);
          budget -= length / 20.0;
        } else {
          post(chunk, table, length);
          budget -= length;
        }
        metrics.add(Metric.RAM_PROCESSED, length);
        metrics.add(Metric.ROUND_PROCESSED, length);
        metrics.set(Metric.RAM_REMAINING, Math.max(0, metrics.get(Metric.RAM_REMAINING) - length));
        far.add(Metric.RAM_PROCESSED, round == 1 ? length : 0);
      }
    }
    return true;
  }

  private void post(int[] chunk, ChunkTable table, long length) {
    SessionTelemetry from = source.telemetry();
    Metrics metrics = from.metrics();
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, chunk[0], chunk[1]);
    if (table.remoteKey(chunk[1]) == 0) {
      message(ControlType.REGISTER_REQUEST, true, 32, 1);
      int key = random.nextInt() | 1;
      table.setLocalKey(chunk[1], key ^ 0x55);
      table.setRemoteKey(chunk[1], key);
      there.get(chunk[0]).setLocalKey(chunk[1], key);
      there.get(chunk[0]).setRemoteKey(chunk[1], key);
      there.get(chunk[0]).setState(chunk[1], ChunkState.REGISTERED);
      for (FakeSession end : List.of(source, destination)) {
        Metrics of = end.telemetry().metrics();
        of.increment(Metric.REGISTRATIONS_ALIVE);
        of.increment(Metric.REGISTRATIONS_TOTAL);
        of.increment(Metric.REGISTRATION_ROUND_TRIPS);
        of.set(Metric.REGISTRATIONS_PEAK, of.get(Metric.REGISTRATIONS_ALIVE));
        of.add(Metric.REGISTERED_BYTES, length);
        of.set(Metric.REGISTERED_BYTES_PEAK, of.get(Metric.REGISTERED_BYTES));
        of.add(Metric.REGISTRATION_TIME, 20_000 + random.nextInt(30_000));
        end.telemetry().event(EventKind.REGISTERED, 0, 1, wrid, key);
      }
      message(ControlType.REGISTER_RESULT, false, 16, 1);
      table.setState(chunk[1], ChunkState.REGISTERED);
    }
    table.posted(chunk[1]);
    from.event(
        EventKind.POST_WRITE,
        1,
        (int) length,
        wrid,
        table.remoteAddress() + ChunkTable.offsetOf(chunk[1]));
    metrics.increment(Metric.WRITES_POSTED);
    metrics.add(Metric.RAM_TRANSFERRED, length);
    metrics.add(Metric.NORMAL_PAGES, length / 4096);
    inFlight.addLast(chunk);
  }

  private void complete(int[] chunk) {
    SessionTelemetry from = source.telemetry();
    if (chunk.length == 0) {
      sent(from);
      return;
    }
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, chunk[0], chunk[1]);
    here.get(chunk[0]).completed(chunk[1], true);
    there.get(chunk[0]).setState(chunk[1], ChunkState.SENT);
    from.metrics().increment(Metric.WRITES_COMPLETED);
    if (random.nextInt(8) == 0) {
      from.metrics().increment(Metric.COMPLETION_WAITS);
    }
    from.event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, wrid, 0);
  }

  private List<int[]> dirtied(double seconds) {
    long chunks = Math.min(workingSet, (long) (dirtyRate * seconds)) / MIB;
    int span = (int) Math.max(1, workingSet / MIB);
    int first = here.getFirst().chunkCount() / 8;
    var dirty = new ArrayList<int[]>();
    for (int chunk = 0; chunk < span && dirty.size() < chunks; chunk++) {
      if (random.nextDouble() < (double) chunks / span) {
        int[] one = {0, Math.min(first + chunk, here.getFirst().chunkCount() - 1)};
        if (!zero(one)) {
          here.getFirst().setState(one[1], ChunkState.DIRTY_AGAIN);
          dirty.add(one);
        }
      }
    }
    return dirty;
  }

  private void message(ControlType type, boolean fromSource, int payload, int repeat) {
    SessionTelemetry sender = (fromSource ? source : destination).telemetry();
    SessionTelemetry receiver = (fromSource ? destination : source).telemetry();
    sender.messagesSent().increment(type);
    receiver.messagesReceived().increment(type);
    receiver.event(EventKind.POST_RECEIVE, 0, 524_288, WorkRequestId.CONTROL_RECEIVE, 0);
    sender.event(EventKind.CONTROL_SENT, type.value(), payload, WorkRequestId.CONTROL_SEND, repeat);
    sender.metrics().increment(Metric.SENDS_POSTED);
    if (fromSource && !inFlight.isEmpty()) {
      // It completes after the writes before it.
      inFlight.addLast(new int[0]);
    } else {
      sent(sender);
    }
    receiver.metrics().increment(Metric.RECEIVES_POSTED);
    receiver.metrics().increment(Metric.RECEIVES_COMPLETED);
    receiver.event(EventKind.COMPLETION_RECEIVE_QUEUE, 0, 0, WorkRequestId.CONTROL_RECEIVE, 0);
    receiver.event(
        EventKind.CONTROL_RECEIVED, type.value(), payload, WorkRequestId.CONTROL_RECEIVE, repeat);
  }

  private static void sent(SessionTelemetry sender) {
    sender.metrics().increment(Metric.SENDS_COMPLETED);
    sender.event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, WorkRequestId.CONTROL_SEND, 0);
  }

  private static void sleep(long millis) {
    LockSupport.parkNanos(millis * 1_000_000);
  }
}
