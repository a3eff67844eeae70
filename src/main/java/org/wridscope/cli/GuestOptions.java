// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.GuestSettings;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.settings.Group;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.settings.Settings;
import picocli.CommandLine.Option;

/** The guest of a source: a synthetic one, the content of a file, or one of a QEMU. */
final class GuestOptions {
  static final String IMAGE = "--image";
  static final String QEMU = "--qemu";

  private final SettingOptions settings;

  @Option(
      names = IMAGE,
      paramLabel = "FILE",
      description =
          "Instead of a synthetic guest, migrate one whose RAM is the content of this file; the"
              + " file is not changed")
  private @Nullable Path image;

  /**
   * @param settings of the same command
   */
  GuestOptions(SettingOptions settings) {
    this.settings = settings;
  }

  /**
   * The synthetic guest.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  GuestSettings.Synthetic synthetic() {
    Settings read = settings.read();
    GuestSettings.Synthetic guest = GuestSettings.Synthetic.of(read);
    if (read.get(GuestSetting.VIRTIO_REQUESTS).orElse(1) == 0
        && !guest.virtio().variant().isSound()) {
      boolean isFault = read.get(GuestSetting.VIRTIO_FAULT) != VirtioFault.NONE;
      throw new IllegalArgumentException(
          "%s: a %s has no effect without requests; leave out %s=0, or give more."
              .formatted(
                  (isFault ? GuestSetting.VIRTIO_FAULT : GuestSetting.VIRTIO_POLICY).option(),
                  isFault ? "fault" : "policy",
                  GuestSetting.VIRTIO_REQUESTS.option()));
    }
    return guest;
  }

  /**
   * The file of {@value #IMAGE}; null if it was not given.
   *
   * @throws InputException if options of a synthetic guest were given, too
   */
  @Nullable Path image() throws InputException {
    if (image != null) {
      refuseWith(IMAGE, "the RAM is the content of the file, and nothing writes to it");
    }
    return image;
  }

  /** Refuses {@value #IMAGE} beside an option that selects another guest. */
  void refuseImageWith(String other) throws InputException {
    if (image != null) {
      throw new InputException(
          "%s: leave it out, or leave out %s; give only one.".formatted(other, IMAGE));
    }
  }

  /**
   * Refuses the options of a synthetic guest beside an option that selects another guest.
   *
   * @param other that option
   * @param why a clause that says why
   */
  void refuseWith(String other, String why) throws InputException {
    Setting<?> given = first(setting -> setting.group() == Group.GUEST);
    if (given != null) {
      throw new InputException(
          "%s: leave it out with %s; %s.".formatted(given.option(), other, why));
    }
  }

  /**
   * The guest of a running QEMU.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  GuestSettings.Lift lift(QmpAddress qmp) {
    return GuestSettings.Lift.of(qmp, settings.read());
  }

  /**
   * Refuses the options of a QEMU's guest where none is named.
   *
   * @param missing the option that is missing, as a user writes it
   */
  void refuseLiftWithout(String missing) throws InputException {
    Setting<?> given = first(setting -> setting.isAt(Place.LIFT) && !setting.isAt(Place.SOURCE));
    if (given != null) {
      throw new InputException(
          "%s: it has an effect only with %s; give that, too, or leave it out."
              .formatted(given.option(), missing));
    }
  }

  private @Nullable Setting<?> first(Predicate<Setting<?>> kind) {
    return settings.given().stream().filter(kind).findFirst().orElse(null);
  }
}
