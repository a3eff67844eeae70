// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.wridscope.time.Time;

/**
 * Computes the {@link BlockDigest} of each RAM block as it was when the digester was made, while
 * the guest may already run: the guest calls {@link #beforeWrite} before it changes memory.
 *
 * <p>The checksum of a chunk is its CRC-32C in the high and its CRC-32 in the low 32 bits; the JDK
 * computes both with special processor instructions, faster than memory can be read. The digest of
 * a block is the SHA-256 of its length and the checksums of its chunks in order, all big-endian.
 *
 * <p>Any number of threads may call {@link #beforeWrite}, and one {@link #digest}. Uses 9 bytes per
 * chunk.
 */
public final class RamDigester {
  private static final VarHandle STATES = MethodHandles.arrayElementVarHandle(byte[].class);
  private static final byte TO_DO = 0;
  private static final byte BEING_DIGESTED = 1;
  private static final byte DONE = 2;

  /**
   * Bytes that are copied to the heap at a time, which fit the first-level cache. The native code
   * of the checksums must not read a mapped file: if the file is truncated meanwhile, that would
   * crash the process, while the copy throws an {@link InternalError}. The copy costs two percent.
   */
  private static final int PIECE = 8 << 10;

  /** Fewer chunks are not worth a second thread. */
  private static final int CHUNKS_FOR_TWO = 32;

  /** Chunks that a thread takes at a time, at least and at most: it is asked what exists of all. */
  private static final int SPAN = 16;

  private static final int MOST_OF_A_SPAN = 1024;

  /** Spans of a block with many chunks, so that threads share the work evenly. */
  private static final int SPANS = 256;

  /** Checksums that are digested at a time. */
  private static final int CHECKSUMS = 1024;

  /** The checksum of a chunk that does not exist. */
  private static final long ZERO_CHUNK = checksumOfZeros(ChunkTable.CHUNK_SIZE);

  private static final long WAIT_NANOS = 30_000_000_000L;

  private final List<RamBlock> blocks;
  private final Residency residency;

  /** Index in {@link #states} of each block's first chunk. */
  private final int[] first;

  private final byte[] states;
  private final long[] checksums;

  /** Checksums of holes that are shorter than a chunk, by their length. */
  private final Map<Long, Long> shortHoles = new ConcurrentHashMap<>();

  private volatile boolean abandoned;

  /** Nothing may write to the RAM until this returns. */
  public RamDigester(List<RamBlock> blocks) {
    this(blocks, Residency.ALWAYS);
  }

  /** For RAM that nothing writes to, of which each chunk is fetched before it is read. */
  public RamDigester(List<RamBlock> blocks, Residency residency) {
    this.blocks = List.copyOf(blocks);
    this.residency = residency;
    first = new int[blocks.size()];
    int chunks = 0;
    for (int i = 0; i < first.length; i++) {
      first[i] = chunks;
      chunks = Math.addExact(chunks, chunkCount(blocks.get(i)));
    }
    states = new byte[chunks];
    checksums = new long[chunks];
  }

  private static int chunkCount(RamBlock block) {
    return Math.toIntExact(Math.ceilDiv(block.length(), ChunkTable.CHUNK_SIZE));
  }

  /**
   * Makes sure that the checksums of these chunks have been computed, which is cheap if they have;
   * called by the guest's threads.
   *
   * @param block index of the RAM block
   * @param length at least 1
   */
  public void beforeWrite(int block, long offset, long length) {
    int last = ChunkTable.chunkOf(offset + length - 1);
    for (int chunk = ChunkTable.chunkOf(offset); chunk <= last; chunk++) {
      ensureDigested(block, chunk);
    }
  }

  /**
   * Computes the remaining checksums, with up to two threads.
   *
   * @return the digests in the order of the blocks
   * @throws IllegalStateException if the digest was abandoned
   */
  public List<BlockDigest> digest() {
    int processors = Runtime.getRuntime().availableProcessors();
    List<Span> spans = spans();
    Parallel.forEach(
        states.length < CHUNKS_FOR_TWO ? 1 : Math.min(2, processors),
        spans.size(),
        span -> digest(spans.get((int) span)));
    if (abandoned) {
      throw new IllegalStateException("the digest of the RAM was abandoned before it was complete");
    }
    List<BlockDigest> digests = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      digests.add(blockDigest(i));
    }
    return digests;
  }

  /**
   * Chunks of a block.
   *
   * @param end the first that is not among them
   */
  private record Span(int block, int begin, int end) {}

  private List<Span> spans() {
    List<Span> spans = new ArrayList<>();
    for (int block = 0; block < blocks.size(); block++) {
      int chunks = chunkCount(blocks.get(block));
      int length = Math.clamp(chunks / SPANS, SPAN, MOST_OF_A_SPAN);
      for (int begin = 0; begin < chunks; begin += length) {
        spans.add(new Span(block, begin, Math.min(chunks, begin + length)));
      }
    }
    return spans;
  }

  /**
   * Digests chunks. What is a hole now is one as long as its chunk is still to be digested, since
   * it would be digested before a write.
   */
  private void digest(Span span) {
    int block = span.block;
    RamBlock ram = blocks.get(block);
    long end = Math.min(ram.length(), ChunkTable.offsetOf(span.end));
    for (int chunk = span.begin; chunk < span.end && !abandoned; chunk++) {
      long data = ram.holes().nextData(ChunkTable.offsetOf(chunk), end);
      int next = data == end ? span.end : ChunkTable.chunkOf(data);
      while (chunk < next) {
        noteHole(block, chunk++);
      }
      if (chunk < span.end) {
        ensureDigested(block, chunk);
      }
    }
  }

  private void noteHole(int block, int chunk) {
    int at = first[block] + chunk;
    if (STATES.compareAndSet(states, at, TO_DO, BEING_DIGESTED)) {
      checksums[at] = checksumOfHole(lengthOf(block, chunk));
      STATES.setRelease(states, at, DONE);
    }
    // Another thread that has begun with it, and may write to it afterwards, has to end it.
    ensureDigested(block, chunk);
  }

  private long lengthOf(int block, int chunk) {
    return Math.min(ChunkTable.CHUNK_SIZE, blocks.get(block).length() - ChunkTable.offsetOf(chunk));
  }

  /** Abandons the digest: the guest no longer waits for it, and {@link #digest} throws. */
  public void abandon() {
    abandoned = true;
  }

  private void ensureDigested(int block, int chunk) {
    int at = first[block] + chunk;
    // Acquire: the write that follows must not be reordered before the reads of the other thread.
    if ((byte) STATES.getAcquire(states, at) != DONE) {
      digestOrAwait(block, chunk, at);
    }
  }

  private void digestOrAwait(int block, int chunk, int at) {
    long start = 0;
    while ((byte) STATES.getAcquire(states, at) != DONE && !abandoned) {
      if (STATES.compareAndSet(states, at, TO_DO, BEING_DIGESTED)) {
        byte outcome = TO_DO;
        try {
          checksums[at] = checksum(block, chunk);
          outcome = DONE;
        } finally {
          STATES.setRelease(states, at, outcome);
        }
        return;
      }
      long now = Time.nanos();
      if (start == 0) {
        start = now;
      } else if (now - start > WAIT_NANOS) {
        throw new IllegalStateException(
            "block %s chunk %d: waited 30 s for another thread to digest it"
                .formatted(blocks.get(block).name(), chunk));
      }
      LockSupport.parkNanos(this, 10_000);
    }
  }

  private long checksum(int block, int chunk) {
    MemorySegment memory = blocks.get(block).memory();
    long offset = ChunkTable.offsetOf(chunk);
    long length = lengthOf(block, chunk);
    if (blocks.get(block).holes().nextData(offset, offset + length) == offset + length) {
      return checksumOfHole(length);
    }
    try {
      residency.fetch(block, offset, length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long checksum = checksum(memory, offset, offset + length);
    residency.discard(block, offset, length);
    return checksum;
  }

  /** Of the last chunks of many blocks, most are equally long. */
  private long checksumOfHole(long length) {
    return length == ChunkTable.CHUNK_SIZE
        ? ZERO_CHUNK
        : shortHoles.computeIfAbsent(length, RamDigester::checksumOfZeros);
  }

  private static long checksumOfZeros(long length) {
    return checksum(MemorySegment.ofArray(new byte[(int) length]), 0, length);
  }

  private static long checksum(MemorySegment memory, long from, long end) {
    long offset = from;
    byte[] piece = new byte[(int) Math.min(PIECE, end - from)];
    CRC32C high = new CRC32C();
    CRC32 low = new CRC32();
    while (offset < end) {
      int length = (int) Math.min(piece.length, end - offset);
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, piece, 0, length);
      high.update(piece, 0, length);
      low.update(piece, 0, length);
      offset += length;
    }
    return high.getValue() << 32 | low.getValue();
  }

  private BlockDigest blockDigest(int index) {
    RamBlock block = blocks.get(index);
    MessageDigest sha = sha256();
    ByteBuffer numbers = ByteBuffer.allocate(CHECKSUMS * Long.BYTES);
    sha.update(numbers.putLong(block.length()).flip());
    numbers.clear();
    for (int at = first[index], end = at + chunkCount(block); at < end; at++) {
      numbers.putLong(checksums[at]);
      if (!numbers.hasRemaining()) {
        sha.update(numbers.flip());
        numbers.clear();
      }
    }
    sha.update(numbers.flip());
    return new BlockDigest(block.name(), block.length(), HexFormat.of().formatHex(sha.digest()));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
