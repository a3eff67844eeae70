// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.VirtioSettings;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.text.Format;

/** What the user has entered into a dialog; {@link FormValues} reads it. Not thread-safe. */
public final class SettingsForm extends Form {
  /** What the dialog starts. */
  public enum Kind {
    SOURCE,
    DESTINATION,
    LAB
  }

  /** Where the guest comes from, or goes to. */
  public enum GuestKind {
    SYNTHETIC,
    /** A file is its RAM. */
    IMAGE,
    /** A destination captures it in a file, and a source restores it from one. */
    STREAM
  }

  private final Kind kind;

  /** Maps a typed path to the file that it names. */
  private final UnaryOperator<Path> files;

  private GuestKind guest = GuestKind.SYNTHETIC;

  /** The guest's virtio devices that this form was made for; null for the usual ones. */
  private @Nullable VirtioSettings virtio;

  /** A form with default values. */
  public SettingsForm(Kind kind) {
    this(kind, path -> path);
  }

  /**
   * @param files maps a typed path to the file that it names
   */
  SettingsForm(Kind kind, UnaryOperator<Path> files) {
    this.kind = kind;
    this.files = files;
    set(Field.URI, kind == Kind.DESTINATION ? "rdma:127.0.0.1:0" : "rdma:127.0.0.1:4444");
    Defaults defaults = kind == Kind.LAB ? Defaults.WATCHED_LAB : Defaults.SESSION;
    set(Field.RAM, defaults.ram());
    set(Field.DIRTY_RATE, defaults.dirtyRate());
    set(Field.ZERO_SHARE, defaults.zeroShare());
    set(Field.SEED, defaults.seed());
    set(Field.BANDWIDTH, blankForNone(defaults.bandwidth()));
    set(Field.DOWNTIME_LIMIT, defaults.downtimeLimit());
    set(Field.TIMEOUT, blankForNone(defaults.timeout()));
  }

  /** A copy of this form. */
  public SettingsForm copy() {
    var copy = new SettingsForm(kind, files);
    copy.fill(this);
    copy.guest = guest;
    copy.virtio = virtio;
    return copy;
  }

  /** An empty field shows its prompt, which explains what it means. */
  private static String blankForNone(String value) {
    return value.equals("0") ? "" : value;
  }

  /** A form with these settings. */
  public static SettingsForm of(LabSettings settings) {
    var form = new SettingsForm(Kind.LAB);
    switch (settings.guest()) {
      case GuestSettings.Synthetic guest -> {
        form.set(Field.RAM, Format.exactBytes(guest.ramBytes()));
        form.set(Field.DIRTY_RATE, rate(guest.dirtyRate()));
        form.set(
            Field.WORKING_SET,
            guest.workingSet() == 0 ? "" : Format.exactBytes(guest.workingSet()));
        form.set(Field.ZERO_SHARE, Math.round(guest.zeroShare() * 1e6) / 1e4 + "%");
        form.set(Field.SEED, Long.toString(guest.seed()));
        form.set(
            Field.BALLOON,
            guest.balloonBytes() == 0 ? "" : Format.exactBytes(guest.balloonBytes()));
        VirtioSettings virtio = guest.virtio();
        VirtioVariant variant = virtio.variant();
        form.set(
            Field.VIRTIO_FAULT, variant.fault() == VirtioFault.NONE ? "" : variant.fault().text());
        form.set(
            Field.VIRTIO_POLICY,
            variant.policy() == VirtioPolicy.WHOLE_STATE ? "" : variant.policy().text());
        if (!virtio.equals(VirtioSettings.usual(guest.dirtyRate(), variant))) {
          form.virtio = virtio;
        }
      }
      case GuestSettings.Image guest -> {
        form.setGuest(GuestKind.IMAGE);
        form.set(Field.FILE, guest.file() == null ? "" : guest.file().toString());
        form.set(Field.OUT, guest.out() == null ? "" : guest.out().path().toString());
      }
      case GuestSettings.Capture _,
          GuestSettings.Restore _,
          GuestSettings.Lift _,
          GuestSettings.Land _ ->
          throw new IllegalArgumentException("a lab of the window has no guest of others");
    }
    form.set(Field.ZERO_SHARE, form.get(Field.ZERO_SHARE).replace(".0%", "%"));
    MigrationSettings migration = settings.migration();
    form.set(Option.PIN_ALL, migration.pinAll());
    form.set(
        Field.BANDWIDTH, migration.bandwidthLimit() == 0 ? "" : rate(migration.bandwidthLimit()));
    form.set(Field.DOWNTIME_LIMIT, Format.exactDuration(migration.downtimeLimit().toNanos()));
    form.set(
        Field.TIMEOUT,
        migration.timeout().isZero() ? "" : Format.exactDuration(migration.timeout().toNanos()));
    form.set(Option.UNREGISTER, migration.unregister());
    form.set(Option.PAUSE, migration.pauseBeforeSwitchover());
    form.set(Option.REFUSE_PIN_ALL, settings.refusePinAll());
    form.set(Option.MONITORED, migration.monitored());
    return form;
  }

  private static String rate(long bytesPerSecond) {
    return bytesPerSecond == 0 ? "0" : Format.exactBytes(bytesPerSecond) + "/s";
  }

  /** The settings in this form. */
  public FormValues values() {
    return new FormValues(this);
  }

  public Kind kind() {
    return kind;
  }

  public GuestKind guest() {
    return guest;
  }

  /** The guests that this kind of session can have. */
  Set<GuestKind> guests() {
    return kind == Kind.LAB
        ? EnumSet.complementOf(EnumSet.of(GuestKind.STREAM))
        : EnumSet.allOf(GuestKind.class);
  }

  public void setGuest(GuestKind guest) {
    if (!guests().contains(guest)) {
      throw new IllegalArgumentException("a lab neither captures nor restores a guest");
    }
    this.guest = guest;
  }

  @Override
  Enum<?> choice() {
    return guest;
  }

  @Override
  void choose(@Nullable String name) {
    for (GuestKind known : guests()) {
      if (name(known).equals(name)) {
        guest = known;
      }
    }
  }

  @Override
  void prefer(@Nullable String name) {
    choose(name);
    virtio = null;
  }

  /** The file that the path in a field names. */
  Path resolve(Path typed) {
    return files.apply(typed);
  }

  /** The guest's virtio devices that this form was made for; null for the usual ones. */
  @Nullable VirtioSettings virtio() {
    return virtio;
  }

  /** Those of this kind of session. */
  @Override
  public Set<Option> options() {
    return switch (kind) {
      case SOURCE -> EnumSet.of(Option.PIN_ALL, Option.UNREGISTER, Option.PAUSE, Option.MONITORED);
      case DESTINATION -> EnumSet.of(Option.REFUSE_PIN_ALL, Option.MONITORED);
      case LAB ->
          EnumSet.of(
              Option.PIN_ALL,
              Option.UNREGISTER,
              Option.PAUSE,
              Option.REFUSE_PIN_ALL,
              Option.MONITORED);
    };
  }

  /** Registering all RAM rules out unregistering it early. */
  @Override
  public boolean isUseful(Option option) {
    return option != Option.UNREGISTER || !has(Option.PIN_ALL);
  }

  /** Those of this kind of session and guest. */
  @Override
  public Set<Field> fields() {
    Set<Field> fields = EnumSet.noneOf(Field.class);
    if (kind != Kind.LAB) {
      fields.addAll(EnumSet.of(Field.URI, Field.DEVICE));
    }
    if (kind == Kind.DESTINATION) {
      fields.add(Field.ALLOW);
    }
    fields.addAll(
        switch (guest) {
          // A destination takes over the guest of the source, and needs only as much RAM.
          case SYNTHETIC ->
              kind == Kind.DESTINATION
                  ? EnumSet.of(Field.RAM)
                  : EnumSet.of(
                      Field.RAM,
                      Field.DIRTY_RATE,
                      Field.WORKING_SET,
                      Field.ZERO_SHARE,
                      Field.SEED,
                      Field.VIRTIO_FAULT,
                      Field.VIRTIO_POLICY,
                      Field.BALLOON);
          case IMAGE ->
              switch (kind) {
                case SOURCE -> EnumSet.of(Field.FILE);
                case DESTINATION -> EnumSet.of(Field.RAM, Field.OUT);
                case LAB -> EnumSet.of(Field.FILE, Field.OUT);
              };
          case STREAM -> EnumSet.of(kind == Kind.SOURCE ? Field.RESTORE : Field.CAPTURE);
        });
    if (kind != Kind.DESTINATION) {
      fields.addAll(EnumSet.of(Field.BANDWIDTH, Field.DOWNTIME_LIMIT));
    }
    fields.add(Field.TIMEOUT);
    return fields;
  }
}
