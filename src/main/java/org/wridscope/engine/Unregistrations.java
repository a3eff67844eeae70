// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.time.Time;

/**
 * Deregisters RAM at both ends before the migration ends (QEMU's {@code
 * qemu_rdma_unregister_waiting}): a bitmap marks the pending registrations, and a queue has their
 * order. A registration whose chunks are in transit, or will be soon, stays in the queue. Chunks
 * that are sent again later are registered again. Callers that wait until a range is deregistered
 * are served apart from the queue.
 */
final class Unregistrations {
  /** Most registrations in the queue, QEMU's {@code RDMA_SIGNALED_SEND_MAX}. */
  static final int CAPACITY = 512;

  /** A pending registration, which begins at a chunk, and its place in the queue. */
  private record Waiting(int block, int first, int place) {}

  private final CompletionPoller poller;
  private final ControlChannel control;
  private final Registrar registrar;
  private final List<ChunkTable> tables;
  private final DestinationChunks theirs;
  private final Metrics metrics;

  /** For each block, the first chunks of the registrations in the queue. */
  private final List<BitSet> wanted = new ArrayList<>();

  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();

  /** The place of the next registration in the queue, which is a ring as in QEMU. */
  private int nextPlace;

  private final AwaitedRanges awaited;

  /**
   * For each block, a bit for each chunk that is not needed soon, set by any thread. So the memory
   * does not depend on the number of hints.
   */
  private final List<AtomicLongArray> hints = new ArrayList<>();

  /** Whether a bit may be set in {@link #hints}. */
  private volatile boolean hinted;

  Unregistrations(
      CompletionPoller poller,
      ControlChannel control,
      Registrar registrar,
      List<ChunkTable> tables,
      DestinationChunks theirs,
      SessionTelemetry telemetry) {
    this.poller = poller;
    this.control = control;
    this.registrar = registrar;
    this.tables = tables;
    this.theirs = theirs;
    metrics = telemetry.metrics();
    awaited = new AwaitedRanges(registrar);
    for (ChunkTable table : tables) {
      wanted.add(new BitSet());
      hints.add(new AtomicLongArray((table.chunkCount() + 63) >> 6));
    }
  }

  /**
   * Notes that a range of a block is not needed soon, so that its registrations may be
   * deregistered; from any thread.
   *
   * @param block index of the block
   * @param length at least 1, up to the end of the block
   */
  void hint(int block, long offset, long length) {
    AtomicLongArray bits = hints.get(block);
    int last = ChunkTable.chunkOf(offset + length - 1);
    for (int chunk = ChunkTable.chunkOf(offset); chunk <= last; chunk++) {
      mark(bits, chunk);
    }
    hinted = true;
  }

  private static void mark(AtomicLongArray bits, int chunk) {
    bits.getAndAccumulate(chunk >> 6, 1L << chunk, (before, bit) -> before | bit);
  }

  /**
   * Waits until no registration covers any part of a range, at both ends; from any thread but the
   * engine's.
   *
   * @param length at least 1, up to the end of the block
   * @return the number of registrations that were given back for it
   * @throws StillRegisteredException if that is not possible within the limit
   */
  int release(int block, long offset, long length, Duration limit)
      throws StillRegisteredException, InterruptedException {
    return awaited.await(
        block, ChunkTable.chunkOf(offset), ChunkTable.chunkOf(offset + length - 1), limit);
  }

  /** Refuses everybody who waits, and will wait, for a range to be deregistered. */
  void close(String reason) {
    awaited.close(reason);
  }

  /**
   * Queues the registration that covers a chunk, if there is one. If the queue is full, it stays
   * registered.
   *
   * @return false if the queue is full
   */
  boolean signal(int block, int chunk) {
    int first = registrar.firstOf(block, chunk);
    if (first < 0) {
      return true;
    }
    if (wanted.get(block).get(first)) {
      note(UnregisterStep.ALREADY_QUEUED, block, first, 0);
      return true;
    }
    if (queue.size() == CAPACITY) {
      note(UnregisterStep.QUEUE_FULL, block, first, 0);
      return false;
    }
    wanted.get(block).set(first);
    note(UnregisterStep.QUEUED, block, first, append(block, first));
    return true;
  }

  private int append(int block, int first) {
    int place = nextPlace;
    nextPlace = (nextPlace + 1) % CAPACITY;
    queue.add(new Waiting(block, first, place));
    return place;
  }

  /** Records a step of the registration that begins at a chunk. */
  private void note(UnregisterStep step, int block, int first, int argument) {
    registrar.note(step, block, first, registrar.chunksFrom(block, first), argument);
  }

  /**
   * Takes the hints that have been given, as far as the queue has room; the others stay for later.
   *
   * @return whether one is for a chunk in transit
   */
  boolean takeHints() {
    if (!hinted || queue.size() == CAPACITY) {
      return false;
    }
    // Cleared first: a bit that is set meanwhile is found now or next time.
    hinted = false;
    boolean waited = false;
    for (int block = 0; block < hints.size(); block++) {
      AtomicLongArray bits = hints.get(block);
      for (int word = 0; word < bits.length(); word++) {
        for (long left = take(bits, word); left != 0; left &= left - 1) {
          int chunk = (word << 6) + Long.numberOfTrailingZeros(left);
          if (!signal(block, chunk)) {
            bits.getAndAccumulate(word, left, (before, rest) -> before | rest);
            hinted = true;
            return waited;
          }
          metrics.increment(Metric.UNREGISTER_HINTS);
          waited |= tables.get(block).inTransit(chunk) > 0;
        }
      }
    }
    return waited;
  }

  private static long take(AtomicLongArray bits, int word) {
    // Not a plain read, which could be reordered before the flag is cleared, and miss a hint.
    return bits.get(word) == 0 ? 0 : bits.getAndSet(word, 0);
  }

  /**
   * Deregisters everything in the queue that is not in use. The destination must be in its
   * registration loop, with no answer outstanding.
   *
   * @param planned what will be written next, with the keys that it has
   */
  void process(WriteBatch planned) throws IOException, InterruptedException {
    boolean room;
    do {
      takeHints();
      room = processQueue(planned);
    } while (room && hinted);
  }

  /** Returns whether anything has left the queue. */
  private boolean processQueue(WriteBatch planned) throws IOException, InterruptedException {
    if (queue.isEmpty() || !theirs.areOurs()) {
      return false;
    }
    var busy = new BusyChunks(tables);
    busy.add(planned, 0);
    var now = new ArrayList<Waiting>();
    boolean any = false;
    for (int left = queue.size(); left > 0; left--) {
      Waiting waiting = queue.remove();
      note(UnregisterStep.TURN, waiting.block, waiting.first, waiting.place);
      if (isBusy(waiting, busy)) {
        int place = append(waiting.block, waiting.first);
        note(UnregisterStep.PUT_OFF, waiting.block, waiting.first, place);
        continue;
      }
      wanted.get(waiting.block).clear(waiting.first);
      any = true;
      now.add(waiting);
      if (now.size() == control.maxCommands()) {
        exchange(now);
        now.clear();
      }
    }
    if (!now.isEmpty()) {
      exchange(now);
    }
    return any;
  }

  /** Whether a caller waits until a range is deregistered. */
  boolean isAwaited() {
    return awaited.any();
  }

  /**
   * Deregisters what callers wait for, as far as it is not in use. The destination must be in its
   * registration loop, with no answer outstanding.
   *
   * @param busy what will be written
   * @return whether something of it is in transit
   */
  boolean processAwaited(BusyChunks busy) throws IOException, InterruptedException {
    boolean inTransit = false;
    for (AwaitedRanges.Range range : awaited.take()) {
      var now = new ArrayList<Waiting>();
      int chunk = range.next(range.first());
      while (chunk <= range.last()) {
        int first = registrar.firstOf(range.block(), chunk);
        range.found(first);
        var waiting = new Waiting(range.block(), first, 0);
        if (theirs.areOurs() && !isBusy(waiting, busy)) {
          leaveQueue(waiting);
          now.add(waiting);
        } else {
          inTransit |= isInTransit(waiting);
          if (!wanted.get(range.block()).get(first)) {
            // So that it is given back even if the caller does not wait long enough.
            signal(range.block(), first);
          }
        }
        chunk = range.next(first + registrar.chunksFrom(range.block(), first));
        if (now.size() == control.maxCommands() || (chunk > range.last() && !now.isEmpty())) {
          exchange(now);
          now.clear();
        }
      }
      awaited.check(range);
    }
    return inTransit;
  }

  private void leaveQueue(Waiting now) {
    BitSet firsts = wanted.get(now.block);
    if (firsts.get(now.first)) {
      firsts.clear(now.first);
      queue.removeIf(waiting -> waiting.block == now.block && waiting.first == now.first);
    }
  }

  private boolean isBusy(Waiting waiting, BusyChunks busy) {
    int chunks = registrar.chunksFrom(waiting.block, waiting.first);
    return isInTransit(waiting) || busy.hasAny(waiting.block, waiting.first, chunks);
  }

  private boolean isInTransit(Waiting waiting) {
    int end = waiting.first + registrar.chunksFrom(waiting.block, waiting.first);
    for (int chunk = waiting.first; chunk < end; chunk++) {
      if (tables.get(waiting.block).inTransit(chunk) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Deregisters on this side, and requests the same of the destination. */
  private void exchange(List<Waiting> registrations) throws IOException, InterruptedException {
    ByteBuffer payload = control.payload();
    int[] lengths = new int[registrations.size()];
    for (int i = 0; i < lengths.length; i++) {
      Waiting waiting = registrations.get(i);
      int chunks = registrar.release(waiting.block, waiting.first);
      lengths[i] = chunks;
      ChunkTable table = tables.get(waiting.block);
      for (int chunk = waiting.first; chunk < waiting.first + chunks; chunk++) {
        table.setRemoteKey(chunk, 0);
      }
      registrar.note(UnregisterStep.REQUESTED, waiting.block, waiting.first, chunks, i);
      new UnregisterCommand(waiting.first, waiting.block, chunks - 1L).encode(payload);
    }
    control.sendWhenReady(ControlType.UNREGISTER_REQUEST, lengths.length);
    long begin = Time.nanos();
    Message message = control.receive(ControlType.UNREGISTER_FINISHED, poller.limits().answer());
    metrics.add(Metric.WAIT_REGISTER_TIME, Time.nanos() - begin);
    int repeat = message.header().repeat();
    if (repeat != lengths.length) {
      throw ProtocolException.of(
          "UNREGISTER FINISHED repeat", repeat, lengths.length + ", as asked");
    }
    control.release(message);
    for (int i = 0; i < lengths.length; i++) {
      Waiting waiting = registrations.get(i);
      registrar.note(UnregisterStep.CONFIRMED, waiting.block, waiting.first, lengths[i], i);
    }
  }
}
