// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.AddressRange;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.SourceSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.UserFiles;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.Settings;
import org.wridscope.ui.settings.SettingsForm.Kind;

/** Reads the settings that a form contains, and finds the errors in it. */
public final class FormValues {
  private final SettingsForm form;

  public FormValues(SettingsForm form) {
    this.form = form;
  }

  /** The errors of all fields, a sentence each. Examines files, which may wait for a disk. */
  public Map<Field, String> errors() {
    var errors = new LinkedHashMap<Field, String>();
    for (Field field : form.fields()) {
      String error = error(field);
      if (error != null) {
        errors.put(field, error);
      }
    }
    return errors;
  }

  /**
   * The error of a field, one sentence; null if there is none, or the field does not matter.
   * Examines the named file, which may wait for a disk.
   */
  public @Nullable String error(Field field) {
    String error = textError(field);
    if (error != null || !form.fields().contains(field) || !Field.OF_FILES.contains(field)) {
      return error;
    }
    return sentence(() -> {
      if (field.equals(Field.FILE)) {
        UserFiles.imageLength(field.label(), path(field));
      } else if (field.equals(Field.OUT)) {
        out();
      } else if (field.equals(Field.CAPTURE)) {
        UserFiles.output(field.label(), path(field));
      } else {
        UserFiles.inputLength(field.label(), path(field));
      }
    });
  }

  /** The error of the text of a field; does not examine the named file. */
  public @Nullable String textError(Field field) {
    return form.textError(field);
  }

  /** Checks the text of a field that is no setting. */
  void checkPlace(Field field) {
    Object _ =
        field.equals(Field.URI)
            ? uri()
            : field.equals(Field.DEVICE)
                ? device()
                : field.equals(Field.ALLOW) ? allowed() : path(field);
  }

  /** The message of a check that fails; null if it succeeds. */
  private static @Nullable String sentence(Runnable check) {
    try {
      check.run();
      return null;
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private String uri() {
    MigrationUri uri = MigrationUri.parse(form.get(Field.URI));
    if (uri.port() == 0 && form.kind() == Kind.SOURCE) {
      throw new IllegalArgumentException(
          "URI: a source cannot use port 0; write the port on which the destination listens.");
    }
    return uri.toString();
  }

  private List<AddressRange> allowed() {
    return AddressRange.parseAll(Field.ALLOW.label(), form.get(Field.ALLOW));
  }

  private DeviceChoice device() {
    return DeviceChoice.of(form.get(Field.DEVICE));
  }

  private void out() {
    UserFiles.output(Field.OUT.label(), path(Field.OUT));
    if (form.kind() == Kind.LAB && error(Field.FILE) == null) {
      UserFiles.refuseSame(Field.OUT.label(), path(Field.OUT), "the image", path(Field.FILE));
    }
  }

  private Path path(Field field) {
    return form.resolve(UserFiles.path(field.label(), form.get(field)));
  }

  private Output output(Field field, FileKind holds) {
    return Output.of(field.label(), path(field), holds);
  }

  private GuestSettings guestSettings(Settings settings) {
    return switch (form.guest()) {
      case SYNTHETIC ->
          form.kind() == Kind.DESTINATION
              ? GuestSettings.Synthetic.incoming(settings.get(GuestSetting.RAM))
              : GuestSettings.Synthetic.of(sound(settings));
      case IMAGE -> image(settings);
      case STREAM ->
          form.kind() == Kind.SOURCE
              ? new GuestSettings.Restore(path(Field.RESTORE))
              : new GuestSettings.Capture(output(Field.CAPTURE, FileKind.STREAM));
    };
  }

  /**
   * The dialog does not ask for requests and disturbances: others than the usual ones belong to the
   * fault and the policy with which they came, and a fault has no effect without requests.
   */
  private Settings sound(Settings settings) {
    Settings base = form.base();
    boolean same =
        settings.get(GuestSetting.VIRTIO_FAULT) == base.get(GuestSetting.VIRTIO_FAULT)
            && settings.get(GuestSetting.VIRTIO_POLICY) == base.get(GuestSetting.VIRTIO_POLICY);
    if (same) {
      return settings;
    }
    Settings other =
        settings
            .with(GuestSetting.VIRTIO_MAP_CHANGE_EVERY, OptionalInt.empty())
            .with(GuestSetting.VIRTIO_RESET_EVERY, OptionalInt.empty());
    return settings.get(GuestSetting.VIRTIO_REQUESTS).orElse(1) == 0
        ? other.with(GuestSetting.VIRTIO_REQUESTS, OptionalLong.empty())
        : other;
  }

  private GuestSettings image(Settings settings) {
    if (form.kind() == Kind.DESTINATION) {
      return new GuestSettings.Image(
          null, output(Field.OUT, FileKind.RAM), settings.get(GuestSetting.RAM));
    }
    Path file = path(Field.FILE);
    return new GuestSettings.Image(
        file,
        form.kind() == Kind.LAB ? output(Field.OUT, FileKind.RAM) : null,
        UserFiles.imageLength(Field.FILE.label(), file));
  }

  private MigrationSettings migration() {
    Settings settings = form.settings();
    return new MigrationSettings(guestSettings(settings), settings);
  }

  /**
   * The settings of a source. Examines files, which may wait for a disk, like the methods below.
   *
   * @throws IllegalArgumentException if there are {@link #errors()}
   */
  public SourceSettings source() {
    return new SourceSettings(uri(), device(), migration());
  }

  /**
   * The settings of a destination.
   *
   * @throws IllegalArgumentException if there are {@link #errors()}
   */
  public DestinationSettings destination() {
    Settings settings = form.settings();
    return new DestinationSettings(uri(), device(), guestSettings(settings), settings, allowed());
  }

  /**
   * The settings of a lab migration.
   *
   * @throws IllegalArgumentException if there are {@link #errors()}
   */
  public LabSettings lab() {
    return new LabSettings(migration());
  }
}
