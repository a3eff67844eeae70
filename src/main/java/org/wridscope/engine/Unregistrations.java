// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * Deregisters RAM at both ends before the migration ends (QEMU's {@code
 * qemu_rdma_unregister_waiting}): a bitmap marks the pending registrations, and a queue has their
 * order. A registration whose chunks are in transit, or will be soon, stays in the queue. Chunks
 * that are sent again later are registered again.
 */
final class Unregistrations {

  /** A pending registration, which begins at a chunk. */
  private record Waiting(int block, int first) {}

  private final CompletionPoller poller;
  private final ControlChannel control;
  private final Registrar registrar;
  private final List<ChunkTable> tables;
  private final Metrics metrics;

  /** For each block, the first chunks of the registrations in the queue. */
  private final List<BitSet> wanted = new ArrayList<>();

  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();

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
      SessionTelemetry telemetry) {
    this.poller = poller;
    this.control = control;
    this.registrar = registrar;
    this.tables = tables;
    metrics = telemetry.metrics();
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
      bits.getAndAccumulate(chunk >> 6, 1L << chunk, (before, bit) -> before | bit);
    }
    hinted = true;
  }

  /** Queues the registration that covers a chunk, if there is one. */
  void signal(int block, int chunk) {
    int first = registrar.firstOf(block, chunk);
    if (first >= 0 && !wanted.get(block).get(first)) {
      wanted.get(block).set(first);
      queue.add(new Waiting(block, first));
    }
  }

  /**
   * Takes the hints that have been given.
   *
   * @return whether one is for a chunk in transit
   */
  boolean takeHints() {
    if (!hinted) {
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
          metrics.increment(Metric.UNREGISTER_HINTS);
          signal(block, chunk);
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
    takeHints();
    if (queue.isEmpty()) {
      return;
    }
    List<BitSet> busy = chunksOf(planned);
    var now = new ArrayList<Waiting>();
    for (int left = queue.size(); left > 0; left--) {
      Waiting waiting = queue.remove();
      if (isBusy(waiting, busy)) {
        metrics.increment(Metric.UNREGISTRATIONS_DEFERRED);
        queue.add(waiting);
        continue;
      }
      wanted.get(waiting.block).clear(waiting.first);
      now.add(waiting);
      if (now.size() == control.maxCommands()) {
        exchange(now);
        now.clear();
      }
    }
    if (!now.isEmpty()) {
      exchange(now);
    }
  }

  private List<BitSet> chunksOf(WriteBatch batch) {
    List<BitSet> chunks = tables.stream().map(table -> new BitSet()).toList();
    for (int i = 0; i < batch.pieces; i++) {
      chunks.get(batch.block[i]).set(ChunkTable.chunkOf(batch.offset[i]));
    }
    return chunks;
  }

  private boolean isBusy(Waiting waiting, List<BitSet> busy) {
    int end = waiting.first + registrar.chunksFrom(waiting.block, waiting.first);
    for (int chunk = waiting.first; chunk < end; chunk++) {
      if (tables.get(waiting.block).inTransit(chunk) > 0 || busy.get(waiting.block).get(chunk)) {
        return true;
      }
    }
    return false;
  }

  /** Deregisters on this side, and requests the same of the destination. */
  private void exchange(List<Waiting> registrations) throws IOException, InterruptedException {
    ByteBuffer payload = control.payload();
    int commands = 0;
    for (Waiting waiting : registrations) {
      int chunks = registrar.release(waiting.block, waiting.first);
      ChunkTable table = tables.get(waiting.block);
      for (int chunk = waiting.first; chunk < waiting.first + chunks; chunk++) {
        table.setRemoteKey(chunk, 0);
      }
      new UnregisterCommand(waiting.first, waiting.block, chunks - 1L).encode(payload);
      commands++;
    }
    control.sendWhenReady(ControlType.UNREGISTER_REQUEST, commands);
    long begin = System.nanoTime();
    Message message = control.receive(ControlType.UNREGISTER_FINISHED, poller.limits().answer());
    metrics.add(Metric.WAIT_REGISTER_TIME, System.nanoTime() - begin);
    int repeat = message.header().repeat();
    if (repeat != commands) {
      throw ProtocolException.of("UNREGISTER FINISHED repeat", repeat, commands + ", as asked");
    }
    control.release(message);
    metrics.add(Metric.UNREGISTRATIONS, commands);
  }
}
