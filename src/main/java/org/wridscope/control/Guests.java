// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.wridscope.control.guard.GuardProcesses;
import org.wridscope.files.Output;
import org.wridscope.files.UserFiles;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.Guest;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.ImageGuest;
import org.wridscope.guest.SavedGuest;
import org.wridscope.guest.SyntheticGuest;
import org.wridscope.guest.SyntheticGuestConfig;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.RunningQemu;
import org.wridscope.guest.qemu.WaitingQemu;

/** Creates guests from settings. */
final class Guests implements AutoCloseable {
  private final GuardProcesses guards = GuardProcesses.ofUser();

  /** Gets ready for the guest of a QEMU, which can then be attached sooner. */
  void expectQemu() {
    guards.ready(JournalEntry.Role.SOURCE);
  }

  /** Undoes {@link #expectQemu}. */
  @Override
  public void close() {
    guards.close();
  }

  /**
   * The guest of a source: it runs, or is stored in a file.
   *
   * @param makeRoom called before RAM is allocated; not for a guest that exists
   * @param ready receives the bytes of RAM that were prepared, piece by piece, on any thread
   */
  Guest boot(GuestSettings settings, Runnable makeRoom, LongConsumer ready) throws IOException {
    return switch (settings) {
      case GuestSettings.Synthetic synthetic -> {
        SyntheticGuestConfig config = config(synthetic);
        makeRoom.run();
        yield SyntheticGuest.boot(config, ready);
      }
      case GuestSettings.Image image -> {
        if (image.file() == null) {
          throw new GuestException("Name the file whose content is to be migrated.");
        }
        yield ImageGuest.open(image.file());
      }
      case GuestSettings.Restore restore -> SavedGuest.open(restore.file());
      case GuestSettings.Lift lift -> {
        RunningQemu qemu =
            RunningQemu.of(lift.qmp(), lift.dirtyLog(), lift.throttle(), guards.ofQemu());
        qemu.check();
        yield qemu;
      }
      case GuestSettings.Capture _ ->
          throw new GuestException("Only a destination can capture a guest in a file.");
      case GuestSettings.Land _ ->
          throw new GuestException("Only a destination can fill a QEMU that waits for a guest.");
    };
  }

  /**
   * The guest of a destination, which receives RAM and device state from the source. It is not
   * {@linkplain Guest#prepare prepared}.
   */
  Guest incoming(GuestSettings settings) throws IOException {
    return switch (settings) {
      case GuestSettings.Synthetic synthetic -> SyntheticGuest.incoming(config(synthetic));
      case GuestSettings.Image image -> {
        if (image.out() == null) {
          throw new GuestException("Name the file to which the guest's RAM is to be written.");
        }
        if (image.file() != null) {
          requireOther(image.out(), image.file());
        }
        yield ImageGuest.incoming(image.out(), image.ramBytes());
      }
      case GuestSettings.Capture capture -> CapturedGuest.create(capture.out());
      case GuestSettings.Land land -> {
        WaitingQemu qemu = WaitingQemu.of(land.qmp(), land.verify(), guards.ofQemu());
        qemu.check();
        yield qemu;
      }
      case GuestSettings.Restore _ ->
          throw new GuestException("Only a source can restore a guest from a file.");
      case GuestSettings.Lift _ ->
          throw new GuestException("Only a source can take the guest of a running QEMU.");
    };
  }

  private static void requireOther(Output out, Path image) throws GuestException {
    try {
      UserFiles.refuseSame(out.field(), out.path(), "the image", image);
    } catch (IllegalArgumentException e) {
      throw new GuestException(String.valueOf(e.getMessage()), e);
    }
  }

  private static SyntheticGuestConfig config(GuestSettings.Synthetic settings)
      throws GuestException {
    try {
      return SyntheticGuestConfig.of(
              settings.ramBytes(),
              settings.dirtyRate(),
              settings.workingSet(),
              settings.zeroShare(),
              settings.seed())
          .withVirtio(settings.virtio().load(), settings.virtio().variant())
          .withBalloon(settings.balloonBytes());
    } catch (IllegalArgumentException e) {
      throw new GuestException(String.valueOf(e.getMessage()), e);
    }
  }
}
