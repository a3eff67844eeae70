// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/** The heap that each chunk of a guest's RAM costs. */
final class FootprintTest {
  private static final long CHUNKS = 1 << 14;

  private static long allocatedBytes(Supplier<Object> structure, List<Object> kept) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    Object made = structure.get();
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    kept.add(made);
    return allocated;
  }

  @Test
  void allStructuresTogether_haveAtMost64BytesAChunk() throws IOException {
    long bytes = CHUNKS * ChunkTable.CHUNK_SIZE;
    SyntheticGuestConfig config = SyntheticGuestConfig.of(bytes, 1, 0, 0.5, 1);
    // Only reserves addresses; no page is accessed.
    try (NativeMemory memory = NativeMemory.allocate(bytes)) {
      RamBlock block = new RamBlock("pc.ram", memory.segment());
      Workload workload = new Workload(config);
      List<Object> kept = new ArrayList<>();
      long total = 0;
      for (int warmUp = 0; warmUp < 2; warmUp++) {
        total =
            allocatedBytes(
                () -> {
                  var table = new ChunkTable(0, "pc.ram", bytes, 0);
                  // Chunks without a registration cost nothing.
                  for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
                    table.setRemoteKey(chunk, chunk + 1);
                  }
                  return table;
                },
                kept);
        total += allocatedBytes(() -> new DirtyBitmap(block.pages()), kept);
        total += allocatedBytes(() -> new RamDigester(List.of(block)), kept);
        total +=
            allocatedBytes(
                () -> {
                  WriteLog log = new WriteLog(List.of(block), 0, () -> {});
                  log.cover(workload.firstPage(), workload.pages());
                  log.start();
                  return log;
                },
                kept);
      }
      assertThat(total / (double) CHUNKS).isBetween(50.0, 64.0);
      assertThat(kept).hasSize(8);
    }
  }
}
