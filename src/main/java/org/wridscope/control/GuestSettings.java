// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Output;
import org.wridscope.guest.virtio.VirtioFault;

/** Which guest a session has. */
public sealed interface GuestSettings {

  /** The same after the user has agreed that a file that is in the way is replaced. */
  default GuestSettings replacing() {
    return switch (this) {
      case Image(Path file, Output out, long ramBytes) when out != null ->
          new Image(file, out.replacing(), ramBytes);
      case Capture(Output out) -> new Capture(out.replacing());
      case Image _, Synthetic _, Restore _ -> this;
    };
  }

  /**
   * A synthetic guest.
   *
   * @param ramBytes RAM of its largest block, {@code pc.ram}; a positive multiple of 4096
   * @param dirtyRate bytes a second that its workload writes, 0 for an idle guest
   * @param workingSet bytes of {@code pc.ram} that the workload writes to, a multiple of 4096 up to
   *     {@code ramBytes}; 0 for a quarter of it
   * @param zeroShare share of the RAM that is zero, 0 to 1
   * @param seed what its memory and its workload are made from
   * @param virtio what its virtio devices do
   * @param balloonBytes RAM at the beginning of {@code pc.ram} that a balloon takes and gives back
   *     again and again, a multiple of 1 MiB below the working set; 0 for no balloon
   */
  record Synthetic(
      long ramBytes,
      long dirtyRate,
      long workingSet,
      double zeroShare,
      long seed,
      VirtioSettings virtio,
      long balloonBytes)
      implements GuestSettings {

    /** Without a balloon. */
    public Synthetic(
        long ramBytes,
        long dirtyRate,
        long workingSet,
        double zeroShare,
        long seed,
        VirtioSettings virtio) {
      this(ramBytes, dirtyRate, workingSet, zeroShare, seed, virtio, 0);
    }

    /** Without a balloon, and with virtio devices that work, and have little to do. */
    public Synthetic(long ramBytes, long dirtyRate, long workingSet, double zeroShare, long seed) {
      this(
          ramBytes,
          dirtyRate,
          workingSet,
          zeroShare,
          seed,
          VirtioSettings.usual(dirtyRate, VirtioFault.NONE));
    }

    /** For a destination, whose guest has everything but the size of its RAM from the source's. */
    public static Synthetic incoming(long ramBytes) {
      return incoming(ramBytes, VirtioFault.NONE);
    }

    /** For a destination, where the virtio devices may be others than at the source. */
    public static Synthetic incoming(long ramBytes, VirtioFault fault) {
      return new Synthetic(ramBytes, 0, 0, 0, 0, new VirtioSettings(0, fault));
    }
  }

  /**
   * A file as the RAM of one block.
   *
   * @param file what a source maps; null for a destination
   * @param out where a destination leaves what it received; null for a source
   * @param ramBytes length of the file
   */
  record Image(@Nullable Path file, @Nullable Output out, long ramBytes) implements GuestSettings {}

  /**
   * For a destination: whatever guest comes, of a QEMU or of a Wridscope, is kept in a file that
   * {@code qemu-system-x86_64 -incoming "exec:cat FILE"} starts it from.
   *
   * @param out a file that has its name only once it is complete
   */
  record Capture(Output out) implements GuestSettings {}

  /**
   * For a source: a guest that stands still in a file, which a capture made or QEMU's {@code
   * migrate "exec:cat > FILE"}.
   *
   * @param file is only read
   */
  record Restore(Path file) implements GuestSettings {}
}
