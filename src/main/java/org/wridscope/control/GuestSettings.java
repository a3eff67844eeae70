// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Output;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;

/** The guest of a session. */
public sealed interface GuestSettings {

  /** A copy that replaces an existing file; call it after the user has agreed to that. */
  default GuestSettings replacing() {
    return switch (this) {
      case Image(Path file, Output out, long ramBytes) when out != null ->
          new Image(file, out.replacing(), ramBytes);
      case Capture(Output out) -> new Capture(out.replacing());
      case Image _, Synthetic _, Restore _, Lift _, Land _ -> this;
    };
  }

  /** Where the guest's QEMU accepts QMP; null if the guest is in this process or in a file. */
  default @Nullable QmpAddress qmp() {
    return null;
  }

  /**
   * Parses the QMP address of a QEMU whose RAM is to be shared.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  static QmpAddress parseQemu(String field, String text) {
    QmpAddress address;
    try {
      address = QmpAddress.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("%s: %s".formatted(field, e.getMessage()), e);
    }
    if (address instanceof QmpAddress.Ssh(String host, String path)) {
      throw new IllegalArgumentException(
          "%s: %s is on another machine, and RAM can be shared only on the same one; run this command on %s, with %s."
              .formatted(field, address, host, path));
    }
    return address;
  }

  /**
   * A synthetic guest.
   *
   * @param ramBytes RAM of its largest block, {@code pc.ram}; a positive multiple of 4096
   * @param dirtyRate bytes per second that its workload writes, 0 for an idle guest
   * @param workingSet bytes of {@code pc.ram} that the workload writes to, a multiple of 4096 up to
   *     {@code ramBytes}; 0 for a quarter of it
   * @param zeroShare share of the RAM that is zero, 0 to 1
   * @param seed of the random content of its memory, and of its workload
   * @param virtio settings of its virtio devices
   * @param balloonBytes RAM at the beginning of {@code pc.ram} that a balloon repeatedly inflates
   *     into and deflates from, a multiple of 1 MiB below the working set; 0 for no balloon
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

    /** Without a balloon, and with the usual load of virtio requests. */
    public Synthetic(long ramBytes, long dirtyRate, long workingSet, double zeroShare, long seed) {
      this(
          ramBytes,
          dirtyRate,
          workingSet,
          zeroShare,
          seed,
          VirtioSettings.usual(dirtyRate, VirtioVariant.SOUND));
    }

    /** What these settings say of a guest. */
    public static Synthetic of(Settings settings) {
      long dirtyRate = settings.get(GuestSetting.DIRTY_RATE);
      var variant = variant(settings);
      OptionalLong requests = settings.get(GuestSetting.VIRTIO_REQUESTS);
      VirtioSettings virtio =
          requests.isEmpty()
              ? VirtioSettings.usual(dirtyRate, variant)
              : new VirtioSettings(requests.getAsLong(), variant);
      return new Synthetic(
          settings.get(GuestSetting.RAM),
          dirtyRate,
          settings.get(GuestSetting.WORKING_SET),
          settings.get(GuestSetting.ZERO),
          settings.get(GuestSetting.SEED),
          virtio.disturbed(
              settings.get(GuestSetting.VIRTIO_MAP_CHANGE_EVERY),
              settings.get(GuestSetting.VIRTIO_RESET_EVERY)),
          settings.get(GuestSetting.BALLOON));
    }

    private static VirtioVariant variant(Settings settings) {
      return new VirtioVariant(
          settings.get(GuestSetting.VIRTIO_FAULT), settings.get(GuestSetting.VIRTIO_POLICY));
    }

    /** What these settings say of a guest that arrives. */
    public static Synthetic incoming(Settings settings) {
      return incoming(settings.get(GuestSetting.RAM), variant(settings));
    }

    /** Settings {@linkplain #of of which} this is the guest, besides others. */
    public Settings with(Settings others) {
      VirtioVariant variant = virtio.variant();
      long requests = virtio.requestsPerSecond();
      // The requests decide what is usual for the disturbances.
      VirtioLoad load = new VirtioSettings(requests, variant).load();
      return others
          .with(GuestSetting.RAM, ramBytes)
          .with(GuestSetting.DIRTY_RATE, dirtyRate)
          .with(GuestSetting.WORKING_SET, workingSet)
          .with(GuestSetting.ZERO, zeroShare)
          .with(GuestSetting.SEED, seed)
          .with(
              GuestSetting.VIRTIO_REQUESTS,
              requests == VirtioSettings.usual(dirtyRate, variant).requestsPerSecond()
                  ? OptionalLong.empty()
                  : OptionalLong.of(requests))
          .with(GuestSetting.VIRTIO_FAULT, variant.fault())
          .with(GuestSetting.VIRTIO_POLICY, variant.policy())
          .with(
              GuestSetting.VIRTIO_MAP_CHANGE_EVERY,
              unlessUsual(virtio.load().mapChangeEvery(), load.mapChangeEvery()))
          .with(
              GuestSetting.VIRTIO_RESET_EVERY,
              unlessUsual(virtio.load().resetEvery(), load.resetEvery()))
          .with(GuestSetting.BALLOON, balloonBytes);
    }

    private static OptionalInt unlessUsual(int number, int usual) {
      return number == usual ? OptionalInt.empty() : OptionalInt.of(number);
    }

    /** For a destination, which receives everything but the size of the RAM from the source. */
    public static Synthetic incoming(long ramBytes) {
      return incoming(ramBytes, VirtioVariant.SOUND);
    }

    /** For a destination whose virtio devices may differ from sound ones. */
    public static Synthetic incoming(long ramBytes, VirtioVariant variant) {
      return new Synthetic(ramBytes, 0, 0, 0, 0, new VirtioSettings(0, variant));
    }
  }

  /**
   * A guest with one RAM block, whose content is a file.
   *
   * @param file the file that a source maps; null for a destination
   * @param out the file to which a destination writes the RAM; null for a source
   * @param ramBytes length of the file
   */
  record Image(@Nullable Path file, @Nullable Output out, long ramBytes) implements GuestSettings {}

  /**
   * For a destination: captures any guest, of a QEMU or of a Wridscope, in a file from which {@code
   * qemu-system-x86_64 -incoming "exec:cat FILE"} starts it.
   *
   * @param out the file, which gets this name once it is complete
   */
  record Capture(Output out) implements GuestSettings {}

  /**
   * For a source: a guest in a file that a capture or QEMU's {@code migrate "exec:cat > FILE"}
   * wrote.
   *
   * @param file is only read
   */
  record Restore(Path file) implements GuestSettings {}

  /**
   * For a source: the guest of a running QEMU.
   *
   * @param qmp where the QEMU accepts QMP
   * @param dirtyLog how the pages that the guest writes are found
   * @param throttle whether the guest is slowed down meanwhile
   */
  record Lift(QmpAddress qmp, DirtyLogChoice dirtyLog, Throttle throttle) implements GuestSettings {
    /** Taken as these settings say. */
    public static Lift of(QmpAddress qmp, Settings settings) {
      return new Lift(
          qmp, settings.get(MigrationSetting.DIRTY_LOG), settings.get(MigrationSetting.THROTTLE));
    }
  }

  /**
   * For a destination: a QEMU that waits for a guest, {@code -incoming defer}.
   *
   * @param qmp where the QEMU accepts QMP
   * @param verify whether its RAM is compared with the source's before the guest starts, which
   *     lengthens the downtime
   */
  record Land(QmpAddress qmp, boolean verify) implements GuestSettings {}
}
