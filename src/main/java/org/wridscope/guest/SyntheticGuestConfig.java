// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import org.wridscope.guest.virtio.VirtioBus;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.memory.RamBlock;

/**
 * The configuration of a synthetic guest.
 *
 * @param ramBytes RAM of its largest block, {@code pc.ram}; a positive multiple of 4096, at most 16
 *     TiB
 * @param dirtyRate bytes of pages a second that its workload writes to, at most 1 TiB; 0 for an
 *     idle guest
 * @param workingSet bytes of {@code pc.ram} that the workload writes to, a multiple of 4096 up to
 *     {@code ramBytes}, less what the virtio devices occupy; 0 means a quarter of {@code ramBytes}
 * @param zeroShare share of each block's pages that are zero when it boots, 0 to 1
 * @param seed from which the content of its memory and its workload are computed
 * @param writers threads of the workload, 1 to 64
 * @param prefault whether all RAM is backed with physical memory at once, as with QEMU's {@code
 *     prealloc}, or each page when it is first written
 * @param virtioLoad what the drivers of its virtio devices do
 * @param virtioVariant how its virtio devices differ from sound ones
 * @param balloonBytes RAM at the beginning of {@code pc.ram} that a balloon repeatedly takes from
 *     the guest and gives back; a multiple of 1 MiB, at most what lies below the working set; 0 for
 *     no balloon
 */
public record SyntheticGuestConfig(
    long ramBytes,
    long dirtyRate,
    long workingSet,
    double zeroShare,
    long seed,
    int writers,
    boolean prefault,
    VirtioLoad virtioLoad,
    VirtioVariant virtioVariant,
    long balloonBytes) {
  /** Bytes by which a balloon's size can be changed. */
  public static final long BALLOON_STEP = Balloon.UNIT;

  private static final long MAX_RAM = 1L << 44;
  private static final long MAX_RATE = 1L << 40;
  private static final int MAX_WRITERS = 64;

  /** Bytes a second that one thread can write on any current machine. */
  private static final long RATE_OF_ONE_WRITER = 1L << 30;

  /**
   * Checks each value, and replaces a working set of 0 with the default.
   *
   * @throws IllegalArgumentException with a sentence that names the value and what is allowed
   */
  public SyntheticGuestConfig {
    check(
        ramBytes >= RamBlock.PAGE_SIZE && ramBytes <= MAX_RAM && ramBytes % RamBlock.PAGE_SIZE == 0,
        "RAM of %d bytes: it must be a multiple of %d from %d to %d",
        ramBytes,
        RamBlock.PAGE_SIZE,
        RamBlock.PAGE_SIZE,
        MAX_RAM);
    check(
        dirtyRate >= 0 && dirtyRate <= MAX_RATE,
        "dirty rate of %d bytes/s: it must be from 0 to %d",
        dirtyRate,
        MAX_RATE);
    workingSet = workingSet(ramBytes, workingSet);
    check(
        workingSet > 0 && workingSet <= ramBytes && workingSet % RamBlock.PAGE_SIZE == 0,
        "working set of %d bytes: it must be a multiple of %d up to the RAM's %d",
        workingSet,
        RamBlock.PAGE_SIZE,
        ramBytes);
    check(zeroShare >= 0 && zeroShare <= 1, "zero share of %s: it must be from 0 to 1", zeroShare);
    check(
        writers >= 1 && writers <= MAX_WRITERS,
        "%d writers: there must be from 1 to %d",
        writers,
        MAX_WRITERS);
    long most = mostBalloon(ramBytes, workingSet);
    check(
        balloonBytes >= 0 && balloonBytes <= most && balloonBytes % Balloon.UNIT == 0,
        "balloon of %d bytes: it must be a multiple of %d up to %d",
        balloonBytes,
        Balloon.UNIT,
        most);
  }

  private static long workingSet(long ramBytes, long given) {
    return given == 0 ? Math.max(RamBlock.PAGE_SIZE, ramBytes / 4 & -RamBlock.PAGE_SIZE) : given;
  }

  /**
   * The largest balloon, in bytes, which ends below the working set.
   *
   * @param workingSet in bytes, at most the RAM; 0 for the default
   */
  public static long mostBalloon(long ramBytes, long workingSet) {
    return Workload.firstPage(ramBytes, workingSet(ramBytes, workingSet)) << RamBlock.PAGE_SHIFT
        & -Balloon.UNIT;
  }

  /** Without a balloon; its virtio devices have no fault, and a light load unless it is idle. */
  public SyntheticGuestConfig(
      long ramBytes,
      long dirtyRate,
      long workingSet,
      double zeroShare,
      long seed,
      int writers,
      boolean prefault) {
    this(
        ramBytes,
        dirtyRate,
        workingSet,
        zeroShare,
        seed,
        writers,
        prefault,
        dirtyRate > 0 ? VirtioLoad.LIGHT : VirtioLoad.IDLE,
        VirtioVariant.SOUND,
        0);
  }

  /** With as many writers as the dirty rate requires, and prefaulted RAM. */
  public static SyntheticGuestConfig of(
      long ramBytes, long dirtyRate, long workingSet, double zeroShare, long seed) {
    return new SyntheticGuestConfig(
        ramBytes,
        dirtyRate,
        workingSet,
        zeroShare,
        seed,
        dirtyRate > RATE_OF_ONE_WRITER ? 2 : 1,
        true);
  }

  /** The same guest with other virtio devices. */
  public SyntheticGuestConfig withVirtio(VirtioLoad load, VirtioVariant variant) {
    return with(load, variant, balloonBytes);
  }

  /** The same guest with another balloon. */
  public SyntheticGuestConfig withBalloon(long bytes) {
    return with(virtioLoad, virtioVariant, bytes);
  }

  private SyntheticGuestConfig with(VirtioLoad load, VirtioVariant variant, long balloon) {
    return new SyntheticGuestConfig(
        ramBytes,
        dirtyRate,
        workingSet,
        zeroShare,
        seed,
        writers,
        prefault,
        load,
        variant,
        balloon);
  }

  /**
   * Bytes at the end of {@code pc.ram} that belong to virtio devices; 0 in a guest without them.
   */
  long virtioBytes() {
    return virtioBytes(ramBytes);
  }

  static long virtioBytes(long ramBytes) {
    return ramBytes < VirtioDevices.MIN_RAM ? 0 : VirtioBus.LENGTH;
  }

  @SuppressWarnings("AnnotateFormatMethod") // its annotation would be a library for three methods
  private static void check(boolean fine, String message, Object... values) {
    if (!fine) {
      throw new IllegalArgumentException(message.formatted(values));
    }
  }
}
