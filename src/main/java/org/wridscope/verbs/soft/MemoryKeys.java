// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * The memory keys of a device. A key is an index of 24 bits, of which 0 is not used, and a variant
 * of 8 bits that changes each time the index is used again, as in the hardware of mlx5. The lowest
 * bit of the variant tells remote keys from local ones, so that one in the place of the other is
 * found out.
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

  /** The variant that each index gets next. */
  private byte[] variants = new byte[0];

  /** Freed indices, a ring: the one that was freed first is used first. */
  private int[] free = new int[64];

  private int freeHead;
  private int freeCount;
  private int used = 1;

  /**
   * @param deviceThread that must be able to reach registered memory
   */
  MemoryKeys(Thread deviceThread) {
    this.deviceThread = deviceThread;
  }

  /** The region that a local key names, null when none does. */
  @Nullable SoftMemoryRegion local(int key) {
    SoftMemoryRegion region = at(key >>> VARIANT_BITS);
    return region != null && region.localKey() == key ? region : null;
  }

  /** The region that a remote key names, null when none does. */
  @Nullable SoftMemoryRegion remote(int key) {
    SoftMemoryRegion region = at(key >>> VARIANT_BITS);
    return region != null && region.remoteKey() == key ? region : null;
  }

  private @Nullable SoftMemoryRegion at(int index) {
    @Nullable SoftMemoryRegion[] table = regions;
    return index < table.length ? (SoftMemoryRegion) SLOT.getAcquire(table, index) : null;
  }

  /** How many regions there are. */
  synchronized int alive() {
    return used - 1 - freeCount;
  }

  synchronized SoftMemoryRegion register(
      SoftProtectionDomain domain, MemorySegment memory, Set<Access> access) throws VerbsException {
    int index = takeIndex();
    int variant = variants[index] & ~REMOTE & 0xff;
    variants[index] = (byte) (variant + GENERATION);
    int bits = 0;
    for (Access right : access) {
      bits |= right.bit();
    }
    int key = index << VARIANT_BITS | variant;
    var region = new SoftMemoryRegion(domain, reachable(memory), bits, key, key | REMOTE);
    SLOT.setRelease(regions, index, region);
    SoftResource.MEMORY_REGION.made();
    return region;
  }

  synchronized void remove(SoftMemoryRegion region) {
    int index = region.localKey() >>> VARIANT_BITS;
    SLOT.setRelease(regions, index, null);
    SoftResource.MEMORY_REGION.gone();
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
    // An index rests a while before it is used again, so that a stale key stays void for longer.
    if (freeCount > regions.length / 2 || (used > MAX_REGIONS && freeCount > 0)) {
      int index = free[freeHead];
      freeHead = (freeHead + 1) & (free.length - 1);
      freeCount--;
      return index;
    }
    if (used > MAX_REGIONS) {
      throw new VerbsException(
          Errno.ENOMEM, "the device has no key left: %d regions".formatted(MAX_REGIONS));
    }
    int index = used++;
    if (index >= regions.length) {
      regions = Arrays.copyOf(regions, regions.length * 2);
    }
    if (index >= variants.length) {
      byte[] fresh = new byte[regions.length];
      ThreadLocalRandom.current().nextBytes(fresh);
      System.arraycopy(variants, 0, fresh, 0, variants.length);
      variants = fresh;
    }
    return index;
  }

  /** Memory of a confined arena, seen so that the device's thread may reach it. */
  @SuppressWarnings("restricted")
  private MemorySegment reachable(MemorySegment memory) {
    return memory.isAccessibleBy(deviceThread)
        ? memory
        : MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
  }
}
