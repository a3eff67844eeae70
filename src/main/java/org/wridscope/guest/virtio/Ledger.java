// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of the drivers' memory: their load, the first failure that was predicted, and the
 * first that a driver met. Little-endian: u64 magic; f64 requests a second; u32 requests between
 * map changes; u32 between resets; u32 kind of the predicted failure plus 1, or 0; u32 queue; u64
 * request; u64 map changes so far; u64 resets so far; u8 kind of the observed failure plus 1, or 0;
 * u8 queue; 6 bytes request.
 */
final class Ledger {
  static final int BYTES = 64;
  private static final long MAGIC = 0x31_6f69_7472_6976L; // "virtio1"

  private static final int RATE = 8;
  private static final int MAP_CHANGE_EVERY = 16;
  private static final int RESET_EVERY = 20;
  private static final int KIND = 24;
  private static final int QUEUE = 28;
  private static final int REQUEST = 32;
  private static final int MAP_CHANGES = 40;
  private static final int RESETS = 48;
  private static final int OBSERVED = 56;
  private static final int OBSERVED_QUEUE_SHIFT = 8;
  private static final int OBSERVED_REQUEST_SHIFT = 16;
  private static final int BYTE = 0xff;

  private final GuestMemory memory;
  private final long address;
  private final List<String> queues;

  Ledger(GuestMemory memory, long address, List<String> queues) {
    this.memory = memory;
    this.address = address;
    this.queues = queues;
  }

  void begin(VirtioLoad load) throws RingException {
    memory.fill(address, BYTES, 0);
    memory.putU64(address + RATE, Double.doubleToRawLongBits(load.requestsPerSecond()));
    memory.putU32(address + MAP_CHANGE_EVERY, load.mapChangeEvery());
    memory.putU32(address + RESET_EVERY, load.resetEvery());
    memory.putU64(address, MAGIC);
  }

  /**
   * The load of the drivers, from memory that may come from any peer.
   *
   * @throws IllegalArgumentException naming the field that is wrong
   */
  VirtioLoad load() throws RingException {
    long magic = memory.u64(address);
    if (magic != MAGIC) {
      throw new IllegalArgumentException(
          "magic 0x%x of the drivers' ledger, only 0x%x is known".formatted(magic, MAGIC));
    }
    return new VirtioLoad(
        Double.longBitsToDouble(memory.u64(address + RATE)),
        (int) memory.u32(address + MAP_CHANGE_EVERY),
        (int) memory.u32(address + RESET_EVERY));
  }

  /** Records a failure that was predicted, unless there is an earlier one. */
  void predict(RequestFailure failure) throws RingException {
    if (memory.u32(address + KIND) == 0) {
      memory.putU32(address + QUEUE, queues.indexOf(failure.queue()));
      memory.putU64(address + REQUEST, failure.request());
      memory.putU32(address + KIND, failure.kind().ordinal() + 1L);
    }
  }

  /** Records a failure that a driver met, unless there is an earlier one. */
  void observe(RequestFailure failure) throws RingException {
    if (memory.u64(address + OBSERVED) == 0) {
      memory.putU64(
          address + OBSERVED,
          failure.request() << OBSERVED_REQUEST_SHIFT
              | (long) queues.indexOf(failure.queue()) << OBSERVED_QUEUE_SHIFT
              | failure.kind().ordinal() + 1);
    }
  }

  /** The first predicted failure, or null. */
  @Nullable RequestFailure predicted() throws RingException {
    return failure(
        memory.u32(address + KIND), memory.u32(address + QUEUE), memory.u64(address + REQUEST));
  }

  /** The first failure that a driver met, or null. */
  @Nullable RequestFailure observed() throws RingException {
    long all = memory.u64(address + OBSERVED);
    return failure(all & BYTE, all >>> OBSERVED_QUEUE_SHIFT & BYTE, all >>> OBSERVED_REQUEST_SHIFT);
  }

  /** An unknown kind counts as a broken queue. */
  private @Nullable RequestFailure failure(long kind, long queue, long request) {
    if (kind == 0) {
      return null;
    }
    RequestFailure.Kind[] kinds = RequestFailure.Kind.values();
    return new RequestFailure(
        kind <= kinds.length ? kinds[(int) kind - 1] : RequestFailure.Kind.BROKEN,
        queues.get((int) Math.min(queue, queues.size() - 1)),
        request);
  }

  long mapChanges() throws RingException {
    return memory.u64(address + MAP_CHANGES);
  }

  void countMapChange() throws RingException {
    memory.putU64(address + MAP_CHANGES, mapChanges() + 1);
  }

  long resets() throws RingException {
    return memory.u64(address + RESETS);
  }

  void countReset() throws RingException {
    memory.putU64(address + RESETS, resets() + 1);
  }
}
