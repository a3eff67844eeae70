// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of the drivers' memory: their load, and their first failure. Little-endian: u64
 * magic; f64 requests a second; u32 requests between map changes; u32 between resets; u32 kind of
 * failure plus 1, or 0; u32 queue; u64 request; u64 map changes so far; u64 resets so far.
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

  /** Records a failure, unless there is an earlier one. */
  void record(RequestFailure failure) throws RingException {
    if (memory.u32(address + KIND) == 0) {
      memory.putU32(address + QUEUE, queues.indexOf(failure.queue()));
      memory.putU64(address + REQUEST, failure.request());
      memory.putU32(address + KIND, failure.kind().ordinal() + 1L);
    }
  }

  /** The first failure, or null. An unknown kind counts as a broken queue. */
  @Nullable RequestFailure failure() throws RingException {
    long kind = memory.u32(address + KIND);
    if (kind == 0) {
      return null;
    }
    RequestFailure.Kind[] kinds = RequestFailure.Kind.values();
    long queue = memory.u32(address + QUEUE);
    return new RequestFailure(
        kind <= kinds.length ? kinds[(int) kind - 1] : RequestFailure.Kind.BROKEN,
        queues.get((int) Math.min(queue, queues.size() - 1)),
        memory.u64(address + REQUEST));
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
