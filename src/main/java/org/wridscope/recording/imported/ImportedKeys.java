// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.imported;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;

/** The keys of the destination in a session that is imported from a trace log of QEMU. */
public final class ImportedKeys {
  /** {@code RDMA_CONTROL_MAX_COMMANDS_PER_MESSAGE}; more are not kept. */
  private static final int MOST_REQUESTS = 4096;

  private final ImportedSession session;
  private final ImportedRam ram;

  /** The requested keys that have not come. */
  private final ArrayDeque<Run> requested = new ArrayDeque<>();

  private record Run(int block, long first, int chunks) {
    boolean contains(long chunk) {
      return chunk >= first && chunk < first + chunks;
    }

    boolean endsWith(long chunk) {
      return chunk == first + chunks - 1;
    }
  }

  public ImportedKeys(ImportedSession session, ImportedRam ram) {
    this.session = session;
    this.ram = ram;
  }

  /**
   * The key of some memory was requested.
   *
   * @param address in QEMU's address space of all RAM blocks
   * @return false when it is not in that block
   */
  public boolean requested(int block, long address, long bytes) throws IOException {
    long offset = ram.offsetOfRamAddress(block, address);
    if (offset < 0 || bytes < 1) {
      return false;
    }
    int first = ChunkTable.chunkOf(offset);
    long last = Math.min(ram.length(block) - offset, bytes) + offset - 1;
    var run = new Run(block, first, ChunkTable.chunkOf(last) - first + 1);
    if (requested.size() == MOST_REQUESTS) {
      requested.removeFirst();
    }
    requested.addLast(run);
    event(EventKind.KEY_REQUESTED, run, 0);
    return true;
  }

  /** The destination gave out the next key. */
  public void given(int key) throws IOException {
    Run run = requested.poll();
    if (run != null) {
      event(EventKind.KEY_GIVEN, run, key);
    }
  }

  /**
   * The source received the key of a chunk.
   *
   * @param otherwise the block, if the request for it was not traced
   */
  public void received(int key, long chunk, int otherwise) throws IOException {
    Run run = take(chunk);
    if (run == null) {
      run = new Run(otherwise, chunk, 1);
    }
    if (!ram.exists(run.block, chunk)) {
      return;
    }
    if (chunk == run.first) {
      event(EventKind.KEY_GIVEN, run, key);
    } else if (ram.table(run.block).remoteKey((int) chunk) != key) {
      event(EventKind.KEY_GIVEN, new Run(run.block, chunk, 1), key);
    }
  }

  /** The oldest request with a chunk, which ends with the last one that it is for. */
  private @Nullable Run take(long chunk) {
    for (Iterator<Run> all = requested.iterator(); all.hasNext(); ) {
      Run run = all.next();
      if (run.contains(chunk)) {
        if (run.endsWith(chunk)) {
          all.remove();
        }
        return run;
      }
    }
    return null;
  }

  private void event(EventKind kind, Run run, int key) throws IOException {
    session.event(
        kind,
        0,
        run.chunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, run.block, run.first),
        Integer.toUnsignedLong(key));
  }
}
