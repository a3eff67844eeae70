// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.wridscope.memory.ChunkTable;

/**
 * The name, length and address of a RAM block.
 *
 * @param length in bytes, at least 1
 */
public record BlockShape(String name, long length, long localAddress) {
  public long chunks() {
    return (length + ChunkTable.CHUNK_SIZE - 1) >>> ChunkTable.CHUNK_SHIFT;
  }
}
