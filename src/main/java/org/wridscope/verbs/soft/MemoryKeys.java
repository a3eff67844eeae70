// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * The memory keys of a device. A key consists of an index of 24 bits, never 0, and a variant of 8
 * bits that changes each time the index is reused, as in mlx5 hardware. The lowest bit of the
 * variant distinguishes remote keys from local ones, so that using one for the other is detected.
 *
 * <p>Device threads look keys up without locks while others register and deregister.
 */
final class MemoryKeys {
  static final int MAX_REGIONS = (1 << 24) - 1;
  private static final int VARIANT_BITS = 8;
  private static final int REMOTE = 1;
  private static final int GENERATION = 2;

  private static final VarHandle SLOT =
      MethodHandles.arrayElementVarHandle(SoftMemoryRegion[].class);

  private final Thread deviceThread;

  private volatile @Nullable SoftMemoryRegion[] regions = new SoftMemoryRegion[64];

  /** The next variant of each index. */
  private byte[] variants = new byte[0];

  /** Ring of freed indices; the index that was freed first is reused first. */
  private int[] free = new int[64];

  private int freeHead;
  private int freeCount;
  private int used = 1;

  /**
   * @param deviceThread must be able to access registered memory
   */
  MemoryKeys(Thread deviceThread) {
    this.deviceThread = deviceThread;
  }

  /** The region with this local key, or null. */
  @Nullable SoftMemoryRegion local(int key) {
    SoftMemoryRegion region = at(key >>> VARIANT_BITS);
    return region != null && region.localKey() == key ? region : null;
  }

  /** The region with this remote key, or null. */
  @Nullable SoftMemoryRegion remote(int key) {
    SoftMemoryRegion region = at(key >>> VARIANT_BITS);
    return region != null && region.remoteKey() == key ? region : null;
  }

  private @Nullable SoftMemoryRegion at(int index) {
    @Nullable SoftMemoryRegion[] table = regions;
    return index < table.length ? (SoftMemoryRegion) SLOT.getAcquire(table, index) : null;
  }

  /** How many regions exist. */
  synchronized int alive() {
    return used - 1 - freeCount;
  }

  /**
   * Registers memory.
   *
   * @param access bits of {@link org.wridscope.verbs.Access}
   */
  synchronized SoftMemoryRegion register(
      SoftProtectionDomain domain, MemorySegment memory, int access) throws VerbsException {
    int index = takeIndex();
    int variant = variants[index] & ~REMOTE & 0xff;
    variants[index] = (byte) (variant + GENERATION);
    int key = index << VARIANT_BITS | variant;
    var region = new SoftMemoryRegion(domain, reachable(memory), access, key, key | REMOTE);
    SLOT.setRelease(regions, index, region);
    SoftResource.MEMORY_REGION.created();
    return region;
  }

  synchronized void remove(SoftMemoryRegion region) {
    int index = region.localKey() >>> VARIANT_BITS;
    SLOT.setRelease(regions, index, null);
    SoftResource.MEMORY_REGION.destroyed();
    if (freeCount == free.length) {
      int[] more = new int[free.length * 2];
      for (int i = 0; i < freeCount; i++) {
        more[i] = free[(freeHead + i) & (free.length - 1)];
      }
      free = more;
      freeHead = 0;
    }
    free[(freeHead + freeCount++) & (free.length - 1)] = index;
  }

  private int takeIndex() throws VerbsException {
    // Indices are reused as late as possible, so that a stale key stays invalid for longer.
    if (freeCount > regions.length / 2 || (used > MAX_REGIONS && freeCount > 0)) {
      int index = free[freeHead];
      freeHead = (freeHead + 1) & (free.length - 1);
      freeCount--;
      return index;
    }
    if (used > MAX_REGIONS) {
      throw new VerbsException(
          Errno.ENOMEM,
          "the device has no more memory keys: %d regions exist".formatted(MAX_REGIONS));
    }
    int index = used++;
    if (index >= regions.length) {
      regions = Arrays.copyOf(regions, regions.length * 2);
    }
    if (index >= variants.length) {
      byte[] fresh = new byte[regions.length];
      for (int i = 0; i < fresh.length; i++) {
        fresh[i] = (byte) Time.random(ThreadLocalRandom.current());
      }
      System.arraycopy(variants, 0, fresh, 0, variants.length);
      variants = fresh;
    }
    return index;
  }

  /** The memory, accessible by the device's thread even if its arena is confined. */
  @SuppressWarnings("restricted")
  private MemorySegment reachable(MemorySegment memory) {
    return memory.isAccessibleBy(deviceThread)
        ? memory
        : MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
  }
}
