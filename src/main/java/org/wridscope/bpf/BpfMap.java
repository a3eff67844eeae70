// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.wridscope.process.SystemCallException;

/** Memory of the kernel that programs share with this process, until it is closed by both. */
public final class BpfMap implements AutoCloseable {
  private static final int HASH = 1;
  private static final int ARRAY = 2;
  private static final int RING_BUFFER = 27;

  private static final int COUNT_BYTES = Long.BYTES;

  private final int descriptor;

  private BpfMap(int type, int keyBytes, int valueBytes, int entries) throws IOException {
    descriptor =
        Bpf.MAP_CREATE.call((structure, _) -> {
          structure.set(JAVA_INT, 0, type);
          structure.set(JAVA_INT, 4, keyBytes);
          structure.set(JAVA_INT, 8, valueBytes);
          structure.set(JAVA_INT, 12, entries);
        });
  }

  /** Values by their keys. */
  public static BpfMap hash(int keyBytes, int valueBytes, int entries) throws IOException {
    return new BpfMap(HASH, keyBytes, valueBytes, entries);
  }

  /** A set of numbers of 64 bits. */
  public static BpfMap set(int entries) throws IOException {
    return hash(Long.BYTES, Integer.BYTES, entries);
  }

  /** Adds a number to a {@link #set}. */
  public void add(long number) throws IOException {
    Bpf.MAP_UPDATE_ELEM.call((structure, own) -> {
      structure.set(JAVA_INT, 0, descriptor);
      structure.set(JAVA_LONG, 8, own.allocateFrom(JAVA_LONG, number).address());
      structure.set(JAVA_LONG, 16, own.allocate(JAVA_INT).address());
    });
  }

  /** Removes a number from a {@link #set}, in which it is. */
  public void remove(long number) throws IOException {
    Bpf.MAP_DELETE_ELEM.call((structure, own) -> {
      structure.set(JAVA_INT, 0, descriptor);
      structure.set(JAVA_LONG, 8, own.allocateFrom(JAVA_LONG, number).address());
    });
  }

  /** One count of 64 bits, whose key is an {@code int} of 0. */
  public static BpfMap count() throws IOException {
    return new BpfMap(ARRAY, Integer.BYTES, COUNT_BYTES, 1);
  }

  /** Counts of 64 bits by pairs of numbers of 64 bits. */
  public static BpfMap counts(int entries) throws IOException {
    return hash(2 * Long.BYTES, COUNT_BYTES, entries);
  }

  /** Receives a count of {@link #counts}. */
  @FunctionalInterface
  public interface Counted {
    /** Receives a count. */
    void count(long first, long second, long count);
  }

  /** Reads all {@link #counts}; some that come meanwhile may be missing. */
  public void forEach(Counted sink) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment key = arena.allocate(JAVA_LONG, 2);
      MemorySegment value = arena.allocate(JAVA_LONG);
      boolean more = next(MemorySegment.NULL, key);
      while (more) {
        if (lookUp(key, value)) {
          sink.count(
              key.getAtIndex(JAVA_LONG, 0), key.getAtIndex(JAVA_LONG, 1), value.get(JAVA_LONG, 0));
        }
        more = next(key, key);
      }
    }
  }

  /** Sets a key to the one after another; returns whether there is one. */
  private boolean next(MemorySegment after, MemorySegment key) throws IOException {
    return found(Bpf.MAP_GET_NEXT_KEY, after, key);
  }

  private boolean lookUp(MemorySegment key, MemorySegment value) throws IOException {
    return found(Bpf.MAP_LOOKUP_ELEM, key, value);
  }

  private boolean found(Bpf command, MemorySegment key, MemorySegment value) throws IOException {
    try {
      command.call((structure, _) -> {
        structure.set(JAVA_INT, 0, descriptor);
        structure.set(JAVA_LONG, 8, key.address());
        structure.set(JAVA_LONG, 16, value.address());
      });
      return true;
    } catch (SystemCallException e) {
      if (e.errno() != SystemCallException.ENOENT) {
        throw e;
      }
      return false;
    }
  }

  /**
   * A ring buffer of the kernel, of version 5.8 or later.
   *
   * @param bytes a power of two, at least the page size
   */
  static BpfMap ringBuffer(int bytes) throws IOException {
    return new BpfMap(RING_BUFFER, 0, 0, bytes);
  }

  int descriptor() {
    return descriptor;
  }

  /** The value of a {@link #count}. */
  public long counted() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      Bpf.MAP_LOOKUP_ELEM.call((structure, own) -> {
        structure.set(JAVA_INT, 0, descriptor);
        structure.set(JAVA_LONG, 8, own.allocate(JAVA_INT).address());
        structure.set(JAVA_LONG, 16, value.address());
      });
      return value.get(JAVA_LONG, 0);
    }
  }

  @Override
  public void close() {
    Bpf.close(descriptor);
  }
}
