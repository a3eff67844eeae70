// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.AddressRange;
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.VirtioSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.UserFiles;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.memory.RamBlock;
import org.wridscope.ui.settings.SettingsForm.Kind;
import org.wridscope.units.Parse;

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
    if (error != null || !form.fields().contains(field)) {
      return error;
    }
    return sentence(() -> {
      switch (field) {
        case FILE -> UserFiles.imageLength(field.label(), path(field));
        case OUT -> out();
        case CAPTURE -> UserFiles.output(field.label(), path(field));
        case RESTORE -> UserFiles.inputLength(field.label(), path(field));
        default -> {
          // names no file
        }
      }
    });
  }

  /** The error of the text of a field; does not examine the named file. */
  public @Nullable String textError(Field field) {
    if (!form.fields().contains(field)) {
      return null;
    }
    return sentence(() -> {
      switch (field) {
        case URI -> uri();
        case DEVICE -> device();
        case ALLOW -> allowed();
        case RAM -> ram();
        case FILE, OUT, CAPTURE, RESTORE -> path(field);
        case DIRTY_RATE -> rate(Field.DIRTY_RATE);
        case WORKING_SET -> workingSet();
        case ZERO_SHARE -> Parse.share(field.label(), form.get(field));
        case SEED -> Parse.number(field.label(), form.get(field));
        case VIRTIO_FAULT -> virtioFault();
        case VIRTIO_POLICY -> virtioPolicy();
        case BALLOON -> balloon();
        case BANDWIDTH -> rate(Field.BANDWIDTH);
        case DOWNTIME_LIMIT -> downtimeLimit();
        case TIMEOUT -> timeout();
        case DIRTY_LOG, THROTTLE, CONNECTIONS, AT_ONCE ->
            throw new IllegalStateException(field + " is of another dialog");
      }
    });
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

  private long ram() {
    return GuestSettings.parseRam(Field.RAM.label(), form.get(Field.RAM));
  }

  private long rate(Field field) {
    return form.get(field).isBlank() ? 0 : Parse.rate(field.label(), form.get(field));
  }

  private long workingSet() {
    long ram = textError(Field.RAM) == null ? ram() : Long.MAX_VALUE;
    return GuestSettings.parseWorkingSet(
        Field.WORKING_SET.label(), form.get(Field.WORKING_SET), ram);
  }

  private VirtioFault virtioFault() {
    String text = form.get(Field.VIRTIO_FAULT);
    return text.isBlank()
        ? VirtioFault.NONE
        : VirtioSettings.parseFault(Field.VIRTIO_FAULT.label(), text);
  }

  private long balloon() {
    boolean known = textError(Field.RAM) == null && textError(Field.WORKING_SET) == null;
    return GuestSettings.parseBalloon(
        Field.BALLOON.label(),
        form.get(Field.BALLOON),
        known ? ram() : Long.MAX_VALUE,
        known ? workingSet() : RamBlock.PAGE_SIZE);
  }

  private VirtioPolicy virtioPolicy() {
    String text = form.get(Field.VIRTIO_POLICY);
    return text.isBlank()
        ? VirtioPolicy.WHOLE_STATE
        : VirtioSettings.parsePolicy(Field.VIRTIO_POLICY.label(), text);
  }

  private VirtioSettings virtio() {
    var variant = new VirtioVariant(virtioFault(), virtioPolicy());
    VirtioSettings given = form.virtio();
    if (given == null || (given.requestsPerSecond() == 0 && !variant.isSound())) {
      return VirtioSettings.usual(rate(Field.DIRTY_RATE), variant);
    }
    return given.variant().equals(variant)
        ? given
        : new VirtioSettings(given.requestsPerSecond(), variant);
  }

  private Duration downtimeLimit() {
    return MigrationSettings.parseDowntimeLimit(
        Field.DOWNTIME_LIMIT.label(), form.get(Field.DOWNTIME_LIMIT));
  }

  private Duration timeout() {
    String text = form.get(Field.TIMEOUT);
    return text.isBlank() ? Duration.ZERO : Parse.duration(Field.TIMEOUT.label(), text);
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

  private GuestSettings guestSettings() {
    return switch (form.guest()) {
      case SYNTHETIC ->
          form.kind() == Kind.DESTINATION
              ? GuestSettings.Synthetic.incoming(ram())
              : new GuestSettings.Synthetic(
                  ram(),
                  rate(Field.DIRTY_RATE),
                  workingSet(),
                  Parse.share(Field.ZERO_SHARE.label(), form.get(Field.ZERO_SHARE)),
                  Parse.number(Field.SEED.label(), form.get(Field.SEED)),
                  virtio(),
                  balloon());
      case IMAGE -> image();
      case STREAM ->
          form.kind() == Kind.SOURCE
              ? new GuestSettings.Restore(path(Field.RESTORE))
              : new GuestSettings.Capture(output(Field.CAPTURE, FileKind.STREAM));
    };
  }

  private GuestSettings image() {
    if (form.kind() == Kind.DESTINATION) {
      return new GuestSettings.Image(null, output(Field.OUT, FileKind.RAM), ram());
    }
    Path file = path(Field.FILE);
    return new GuestSettings.Image(
        file,
        form.kind() == Kind.LAB ? output(Field.OUT, FileKind.RAM) : null,
        UserFiles.imageLength(Field.FILE.label(), file));
  }

  private MigrationSettings migration() {
    return new MigrationSettings(
        guestSettings(),
        form.has(Option.PIN_ALL),
        rate(Field.BANDWIDTH),
        downtimeLimit(),
        timeout(),
        form.has(Option.MONITORED),
        form.has(Option.UNREGISTER) && form.isUseful(Option.UNREGISTER),
        form.has(Option.PAUSE));
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
    return new DestinationSettings(
        uri(),
        device(),
        guestSettings(),
        timeout(),
        form.has(Option.MONITORED),
        form.has(Option.REFUSE_PIN_ALL),
        allowed());
  }

  /**
   * The settings of a lab migration.
   *
   * @throws IllegalArgumentException if there are {@link #errors()}
   */
  public LabSettings lab() {
    return new LabSettings(migration(), CompletionQueues.SPLIT, form.has(Option.REFUSE_PIN_ALL));
  }
}
