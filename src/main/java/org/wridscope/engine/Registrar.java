// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.MemoryRegion;

/** Registers the RAM of this side, by runs of chunks or whole, and keeps count of it. */
final class Registrar {
  private final Endpoint endpoint;
  private final List<RamBlock> ram;
  private final List<ChunkTable> tables;
  private final SessionTelemetry telemetry;
  private final Set<Access> access;

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
    this.access = access;
  }

  /** Registers a whole block. */
  MemoryRegion registerBlock(int block) throws IOException {
    return register(block, 0, tables.get(block).chunkCount());
  }

  /**
   * Registers a run of chunks, and notes the local key of each.
   *
   * @param chunks at least 1, up to the end of the block
   */
  MemoryRegion register(int block, int first, int chunks) throws IOException {
    ChunkTable table = tables.get(block);
    long offset = ChunkTable.offsetOf(first);
    long length = Math.min(table.length() - offset, (long) chunks << ChunkTable.CHUNK_SHIFT);
    long begin = System.nanoTime();
    MemoryRegion region;
    try {
      region = endpoint.register(ram.get(block).memory().asSlice(offset, length), access);
    } catch (IOException e) {
      throw new MigrationException(
          "Registering %d bytes of RAM block %s failed: %s Check the locked-memory limit (ulimit -l)."
              .formatted(length, table.name(), e.getMessage()),
          e);
    }
    for (int chunk = first; chunk < first + chunks; chunk++) {
      table.setLocalKey(chunk, region.localKey());
    }
    Metrics metrics = telemetry.metrics();
    long alive = metrics.get(Metric.REGISTRATIONS_ALIVE) + 1;
    metrics.add(Metric.REGISTRATION_TIME, System.nanoTime() - begin);
    metrics.increment(Metric.REGISTRATIONS_TOTAL);
    metrics.set(Metric.REGISTRATIONS_ALIVE, alive);
    metrics.set(Metric.REGISTRATIONS_PEAK, Math.max(alive, metrics.get(Metric.REGISTRATIONS_PEAK)));
    metrics.add(Metric.REGISTERED_BYTES, length);
    metrics.set(
        Metric.REGISTERED_BYTES_PEAK,
        Math.max(metrics.get(Metric.REGISTERED_BYTES), metrics.get(Metric.REGISTERED_BYTES_PEAK)));
    telemetry.event(
        EventKind.REGISTERED,
        0,
        chunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, first),
        region.localKey());
    return region;
  }

  /** Gives a region back before the end. */
  void deregister(int block, int first, MemoryRegion region) throws IOException {
    ChunkTable table = tables.get(block);
    int chunks = (int) ((region.length() + ChunkTable.CHUNK_SIZE - 1) >> ChunkTable.CHUNK_SHIFT);
    long length = region.length();
    int key = region.localKey();
    region.close();
    for (int chunk = first; chunk < first + chunks; chunk++) {
      table.setLocalKey(chunk, 0);
      table.setRemoteKey(chunk, 0);
      table.setState(chunk, ChunkState.NOT_REGISTERED);
    }
    telemetry.metrics().add(Metric.REGISTRATIONS_ALIVE, -1);
    telemetry.metrics().add(Metric.REGISTERED_BYTES, -length);
    telemetry.event(
        EventKind.DEREGISTERED,
        0,
        chunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, first),
        key);
  }
}
