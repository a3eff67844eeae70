// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.Group;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.settings.Settings;

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

  /** What this form was made for, with settings that it has no inputs for. */
  private Settings base;

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
    base = usual();
    fill(base);
  }

  /** A copy of this form. */
  public SettingsForm copy() {
    var copy = new SettingsForm(kind, files);
    copy.fill(this);
    copy.guest = guest;
    copy.base = base;
    return copy;
  }

  /** A form with these settings. */
  public static SettingsForm of(LabSettings settings) {
    var form = new SettingsForm(Kind.LAB);
    Settings all = settings.migration().settings();
    switch (settings.guest()) {
      case GuestSettings.Synthetic guest -> all = guest.with(all);
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
    form.base = all;
    form.fill(all);
    return form;
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
    base = Settings.USUAL;
  }

  /** The file that the path in a field names. */
  Path resolve(Path typed) {
    return files.apply(typed);
  }

  @Override
  final Settings usual() {
    return kind == Kind.LAB ? Defaults.WATCHED_LAB : Defaults.SESSION;
  }

  @Override
  Settings base() {
    return base;
  }

  /** Where the settings are given. */
  Place place() {
    return switch (kind) {
      case SOURCE -> Place.SOURCE;
      case DESTINATION -> Place.DESTINATION;
      case LAB -> Place.LAB;
    };
  }

  /** Those of this kind of session. */
  @Override
  public Set<Setting<Boolean>> flags() {
    return flagsAt(place());
  }

  /** Registering all RAM rules out unregistering it early. */
  @Override
  public boolean isUseful(Setting<Boolean> flag) {
    return !flag.equals(MigrationSetting.UNREGISTER) || !has(MigrationSetting.PIN_ALL);
  }

  /** Those of this kind of session and guest. */
  @Override
  public Set<Field> fields() {
    Set<Field> fields = fieldsAt(place());
    fields.removeIf(field ->
        field.setting() != null
            && field.setting().group() == Group.GUEST
            // A destination takes over the guest of the source, and needs only as much RAM.
            && (guest != GuestKind.SYNTHETIC
                || (kind == Kind.DESTINATION && !field.equals(Field.RAM))));
    if (kind != Kind.LAB) {
      fields.addAll(List.of(Field.URI, Field.DEVICE));
    }
    if (kind == Kind.DESTINATION) {
      fields.add(Field.ALLOW);
    }
    fields.addAll(
        switch (guest) {
          case SYNTHETIC -> List.of();
          case IMAGE ->
              switch (kind) {
                case SOURCE -> List.of(Field.FILE);
                case DESTINATION -> List.of(Field.RAM, Field.OUT);
                case LAB -> List.of(Field.FILE, Field.OUT);
              };
          case STREAM -> List.of(kind == Kind.SOURCE ? Field.RESTORE : Field.CAPTURE);
        });
    return fields;
  }

  @Override
  void check(Field place) {
    values().checkPlace(place);
  }
}
