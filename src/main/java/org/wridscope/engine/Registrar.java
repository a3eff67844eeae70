// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.time.Time;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.VerbsException;

/**
 * Registers the RAM of this side, in runs of chunks or whole blocks. At most one region begins at a
 * chunk, so the peer cannot cause more regions than there are chunks.
 */
final class Registrar implements AutoCloseable {
  private final Endpoint endpoint;
  private final List<RamBlock> ram;
  private final List<ChunkTable> tables;
  private final SessionTelemetry telemetry;
  private final Metrics metrics;
  private final Set<Access> access;

  /** For each block, the region that begins at each chunk. */
  private final List<@Nullable MemoryRegion[]> regions = new ArrayList<>();

  /** All regions are deregistered when the endpoint is closed. */
  Registrar(
      Endpoint endpoint,
      List<RamBlock> ram,
      List<ChunkTable> tables,
      SessionTelemetry telemetry,
      Set<Access> access) {
    this.endpoint = endpoint;
    this.ram = ram;
    this.tables = tables;
    this.telemetry = telemetry;
    this.metrics = telemetry.metrics();
    metrics.set(Metric.MEMLOCK_LIMIT, endpoint.lockedMemoryLimit());
    this.access = access;
    for (ChunkTable table : tables) {
      regions.add(new MemoryRegion[table.chunkCount()]);
    }
    endpoint.adopt(this);
  }

  /**
   * Records a step of giving a registration back.
   *
   * @param first the chunk at which it begins
   * @param argument of the event; see {@link EventKind#UNREGISTER}
   */
  void note(UnregisterStep step, int block, int first, int chunks, int argument) {
    ChunkRelease release = step.release();
    if (release != null) {
      tables.get(block).setReleases(first, first + chunks, release);
    }
    telemetry.event(
        EventKind.UNREGISTER,
        step.ordinal(),
        chunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, first),
        argument);
  }

  /** The region that begins at a chunk, or null if there is none. */
  @Nullable MemoryRegion region(int block, int first) {
    return regions.get(block)[first];
  }

  /**
   * The first chunk of the region that covers a chunk, among the regions of a {@link RamSender}; -1
   * if none does.
   */
  int firstOf(int block, int chunk) {
    @Nullable MemoryRegion[] slots = regions.get(block);
    int begin = Math.max(0, chunk - RamSender.MAX_RUN_CHUNKS + 1);
    for (int first = chunk; first >= begin; first--) {
      if (slots[first] != null) {
        return first + chunksFrom(block, first) > chunk ? first : -1;
      }
    }
    return -1;
  }

  /** Number of chunks of the region that begins at a chunk, 0 if there is none. */
  int chunksFrom(int block, int first) {
    MemoryRegion region = regions.get(block)[first];
    return region == null ? 0 : chunks(region);
  }

  private static int chunks(MemoryRegion region) {
    return (int) ((region.length() + ChunkTable.CHUNK_SIZE - 1) >> ChunkTable.CHUNK_SHIFT);
  }

  /**
   * Registers a whole block, which takes seconds for each ten GiB that the kernel pins.
   *
   * @param poller sends heartbeats meanwhile
   */
  MemoryRegion registerBlock(int block, CompletionPoller poller) throws IOException {
    int chunks = tables.get(block).chunkCount();
    return register(block, 0, chunks, memory -> registerMeanwhile(memory, poller));
  }

  private MemoryRegion registerMeanwhile(MemorySegment memory, CompletionPoller poller)
      throws IOException {
    var made = new AtomicReference<@Nullable MemoryRegion>();
    var work = new Background("registration", () -> made.set(endpoint.register(memory, access)));
    telemetry.setWaitingFor(new Wait(Wait.Kind.REGISTRATION));
    try {
      work.join(poller::keepAlive);
      return Objects.requireNonNull(made.get());
    } catch (IOException | RuntimeException | Error e) {
      // The migration has ended meanwhile.
      MemoryRegion unused = made.get();
      if (unused != null) {
        unused.close();
      }
      throw e;
    } finally {
      telemetry.setWaitingFor(null);
    }
  }

  /**
   * Registers a run of chunks and sets their local keys. A region that begins at the same chunk is
   * deregistered.
   *
   * @param chunks at least 1, up to the end of the block
   */
  MemoryRegion register(int block, int first, int chunks) throws IOException {
    return register(block, first, chunks, memory -> endpoint.register(memory, access));
  }

  @FunctionalInterface
  private interface Registering {
    MemoryRegion register(MemorySegment memory) throws IOException;
  }

  private MemoryRegion register(int block, int first, int chunks, Registering registering)
      throws IOException {
    ChunkTable table = tables.get(block);
    long offset = ChunkTable.offsetOf(first);
    long length = Math.min(table.length() - offset, (long) chunks << ChunkTable.CHUNK_SHIFT);
    release(block, first);
    long begin = Time.nanos();
    MemoryRegion region;
    try {
      region = registering.register(ram.get(block).memory().asSlice(offset, length));
    } catch (VerbsException e) {
      throw new MigrationException(
          "%s could not be registered, with %s alive: %s"
              .formatted(
                  range(table, first, chunks, length),
                  Format.counted(metrics.get(Metric.REGISTRATIONS_ALIVE), "registration"),
                  MigrationSession.sentence(e)),
          e);
    }
    regions.get(block)[first] = region;
    for (int chunk = first; chunk < first + chunks; chunk++) {
      table.setLocalKey(chunk, region.localKey());
    }
    table.setReleases(first, first + chunks, ChunkRelease.NONE);
    metrics.add(Metric.REGISTRATION_TIME, Time.nanos() - begin);
    telemetry.event(
        EventKind.REGISTERED,
        0,
        chunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, first),
        region.localKey());
    return region;
  }

  /** Block, chunks, addresses and count, as in the chunk details that QEMU prints. */
  private static String range(ChunkTable table, int first, int chunks, long length) {
    long begin = table.localAddress() + ChunkTable.offsetOf(first);
    return "RAM block %d (%s), %s from chunk %d (%d bytes at %s to %s)"
        .formatted(
            table.index(),
            table.name(),
            Format.counted(chunks, "chunk"),
            first,
            length,
            Format.address(begin),
            Format.address(begin + length - 1));
  }

  /**
   * Deregisters the region that begins at a chunk before the migration ends.
   *
   * @return the number of its chunks
   */
  int deregister(int block, int first) throws IOException {
    int chunks = release(block, first);
    ChunkTable table = tables.get(block);
    for (int chunk = first; chunk < first + chunks; chunk++) {
      table.setRemoteKey(chunk, 0);
      table.setState(chunk, ChunkState.NOT_REGISTERED);
    }
    return chunks;
  }

  /**
   * Deregisters the region that begins at a chunk. Its chunks keep their states and remote keys,
   * and lose their local keys.
   *
   * @return the number of chunks of the region, 0 if there is none
   */
  int release(int block, int first) throws IOException {
    @Nullable MemoryRegion[] slots = regions.get(block);
    MemoryRegion region = slots[first];
    if (region == null) {
      return 0;
    }
    slots[first] = null;
    int chunks;
    int key;
    try (region) {
      chunks = chunks(region);
      key = region.localKey();
    }
    ChunkTable table = tables.get(block);
    for (int chunk = first; chunk < first + chunks; chunk++) {
      if (table.localKey(chunk) == key) {
        table.setLocalKey(chunk, 0);
      }
    }
    telemetry.event(
        EventKind.DEREGISTERED,
        0,
        chunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, first),
        key);
    return chunks;
  }

  /**
   * Deregisters everything, whatever fails. No chunk keeps a key, and those that were only
   * registered no longer are; all other states stay.
   */
  @Override
  public void close() throws IOException {
    Throwable failure = null;
    for (int block = 0; block < regions.size(); block++) {
      ChunkTable table = tables.get(block);
      table.keepRegistered(0, table.chunkCount());
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        table.setRemoteKey(chunk, 0);
        if (table.state(chunk) == ChunkState.REGISTERED) {
          table.setState(chunk, ChunkState.NOT_REGISTERED);
        }
        try {
          release(block, chunk);
        } catch (IOException | RuntimeException | Error e) {
          failure = FirstFailure.of(failure, e);
        }
      }
    }
    FirstFailure.rethrow(failure);
  }
}
