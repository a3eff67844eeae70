// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.AddressRange;
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.Defaults;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.VirtioSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.UserFiles;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.telemetry.Format;
import org.wridscope.units.Parse;

/** What was typed into a dialog, and whether it makes settings. Plain Java, for any thread. */
public final class SettingsForm {
  /** What is going to be started. */
  public enum Kind {
    SOURCE,
    DESTINATION,
    LAB
  }

  /** What the guest is. */
  public enum GuestKind {
    SYNTHETIC,
    /** A file as its RAM. */
    IMAGE,
    /** A file that a destination captures a guest in, and a source restores one from. */
    STREAM
  }

  /** What a dialog asks for as text. */
  public enum Field {
    URI("URI", "rdma:HOST:PORT"),
    DEVICE("Device", "automatic: the one that carries the address"),
    ALLOW("Allow", "everybody who can reach the port; or such as 10.9.0.0/24"),
    RAM("RAM", "such as 2GiB"),
    FILE("Image file", "a file that becomes the guest's RAM"),
    OUT("Write to", "a new file for the RAM that arrived"),
    CAPTURE("Capture in", "a new file for the guest that comes"),
    RESTORE("Restore from", "a file that a guest was captured in"),
    DIRTY_RATE("Dirty rate", "such as 200MiB/s; 0 for an idle guest"),
    WORKING_SET("Working set", "a quarter of the RAM"),
    ZERO_SHARE("Zero share", "such as 40%"),
    SEED("Seed", "a whole number"),
    VIRTIO_FAULT("Virtio fault", "none"),
    BALLOON("Balloon", "none; or RAM that comes and goes"),
    BANDWIDTH("Bandwidth limit", "none"),
    DOWNTIME_LIMIT("Downtime limit", "such as 300ms"),
    TIMEOUT("Timeout", "never");

    private final String label;
    private final String prompt;

    Field(String label, String prompt) {
      this.label = label;
      this.prompt = prompt;
    }

    public String label() {
      return label;
    }

    /** What an empty field means, or an example. */
    public String prompt() {
      return prompt;
    }
  }

  private final Kind kind;

  /** Where a path that was typed leads. */
  private final UnaryOperator<Path> files;

  private final Map<Field, String> texts = new EnumMap<>(Field.class);
  private GuestKind guest = GuestKind.SYNTHETIC;
  private boolean pinAll;
  private boolean unregister;
  private boolean refusePinAll;
  private boolean monitored = true;

  /** Of a guest whose virtio devices have another number of requests than usual. */
  private @Nullable Long virtioRequests;

  /** A form with the values that suit most. */
  public SettingsForm(Kind kind) {
    this(kind, path -> path);
  }

  /**
   * @param files where a path that was typed leads
   */
  SettingsForm(Kind kind, UnaryOperator<Path> files) {
    this.kind = kind;
    this.files = files;
    for (Field field : Field.values()) {
      texts.put(field, "");
    }
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

  /** Another form in which the same is typed. */
  public SettingsForm copy() {
    var copy = new SettingsForm(kind, files);
    copy.texts.putAll(texts);
    copy.guest = guest;
    copy.pinAll = pinAll;
    copy.unregister = unregister;
    copy.refusePinAll = refusePinAll;
    copy.monitored = monitored;
    copy.virtioRequests = virtioRequests;
    return copy;
  }

  /** An empty field shows its prompt, which says it in words. */
  private static String blankForNone(String value) {
    return value.equals("0") ? "" : value;
  }

  /** A form that shows these settings. */
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
        form.set(
            Field.VIRTIO_FAULT, virtio.fault() == VirtioFault.NONE ? "" : virtio.fault().text());
        if (!virtio.equals(VirtioSettings.usual(guest.dirtyRate(), virtio.fault()))) {
          form.virtioRequests = virtio.requestsPerSecond();
        }
      }
      case GuestSettings.Image guest -> {
        form.setGuest(GuestKind.IMAGE);
        form.set(Field.FILE, guest.file() == null ? "" : guest.file().toString());
        form.set(Field.OUT, guest.out() == null ? "" : guest.out().path().toString());
      }
      case GuestSettings.Capture _, GuestSettings.Restore _ ->
          throw new IllegalArgumentException("a lab has no guest in a file of a stream");
    }
    form.set(Field.ZERO_SHARE, form.get(Field.ZERO_SHARE).replace(".0%", "%"));
    form.setPinAll(settings.pinAll());
    form.set(
        Field.BANDWIDTH, settings.bandwidthLimit() == 0 ? "" : rate(settings.bandwidthLimit()));
    form.set(Field.DOWNTIME_LIMIT, Format.exactDuration(settings.downtimeLimit().toNanos()));
    form.set(
        Field.TIMEOUT,
        settings.timeout().isZero() ? "" : Format.exactDuration(settings.timeout().toNanos()));
    form.setUnregister(settings.unregister());
    form.setRefusePinAll(settings.refusePinAll());
    form.setMonitored(settings.monitored());
    return form;
  }

  private static String rate(long bytesPerSecond) {
    return bytesPerSecond == 0 ? "0" : Format.exactBytes(bytesPerSecond) + "/s";
  }

  public Kind kind() {
    return kind;
  }

  public String get(Field field) {
    return texts.getOrDefault(field, "");
  }

  public void set(Field field, String text) {
    texts.put(field, text);
  }

  public GuestKind guest() {
    return guest;
  }

  public void setGuest(GuestKind guest) {
    if (guest == GuestKind.STREAM && kind == Kind.LAB) {
      throw new IllegalArgumentException("a lab has no guest in a file of a stream");
    }
    this.guest = guest;
  }

  public boolean pinAll() {
    return pinAll;
  }

  public void setPinAll(boolean pinAll) {
    this.pinAll = pinAll;
  }

  /** Whether registrations are given back early, which pin-all rules out. */
  public boolean unregister() {
    return unregister && !pinAll;
  }

  public void setUnregister(boolean unregister) {
    this.unregister = unregister;
  }

  /** Whether the destination refuses pin-all. */
  public boolean refusePinAll() {
    return refusePinAll;
  }

  public void setRefusePinAll(boolean refusePinAll) {
    this.refusePinAll = refusePinAll;
  }

  public boolean monitored() {
    return monitored;
  }

  public void setMonitored(boolean monitored) {
    this.monitored = monitored;
  }

  /** The fields that matter for this kind of session and guest. */
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
          // A destination's guest goes on as the source's, and needs nothing but room.
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

  /**
   * What is wrong, a sentence for each field that is; empty when all is well. It looks at the files
   * that are named, which may wait for a disk.
   */
  public Map<Field, String> errors() {
    var errors = new LinkedHashMap<Field, String>();
    for (Field field : fields()) {
      String error = error(field);
      if (error != null) {
        errors.put(field, error);
      }
    }
    return errors;
  }

  /**
   * What is wrong with this field, one sentence; null when nothing is, or it does not matter. It
   * looks at the file that is named, which may wait for a disk.
   */
  public @Nullable String error(Field field) {
    String error = textError(field);
    if (error != null || !fields().contains(field)) {
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

  /** The same, but for the file that is named, at which nobody looks. */
  public @Nullable String textError(Field field) {
    if (!fields().contains(field)) {
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
        case ZERO_SHARE -> Parse.share(field.label(), get(field));
        case SEED -> Parse.number(field.label(), get(field));
        case VIRTIO_FAULT -> virtioFault();
        case BALLOON -> balloon();
        case BANDWIDTH -> rate(Field.BANDWIDTH);
        case DOWNTIME_LIMIT -> downtimeLimit();
        case TIMEOUT -> timeout();
      }
    });
  }

  /** What a check says that fails; null when it does not. */
  private static @Nullable String sentence(Runnable check) {
    try {
      check.run();
      return null;
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private String uri() {
    MigrationUri uri = MigrationUri.parse(get(Field.URI));
    if (uri.port() == 0 && kind == Kind.SOURCE) {
      throw new IllegalArgumentException(
          "URI: port 0 means any free port, which only a destination can take; write the port that"
              + " it listens on.");
    }
    return uri.toString();
  }

  private List<AddressRange> allowed() {
    return AddressRange.parseAll(Field.ALLOW.label(), get(Field.ALLOW));
  }

  private DeviceChoice device() {
    return DeviceChoice.of(get(Field.DEVICE));
  }

  private long ram() {
    return GuestSettings.parseRam(Field.RAM.label(), get(Field.RAM));
  }

  private long rate(Field field) {
    return get(field).isBlank() ? 0 : Parse.rate(field.label(), get(field));
  }

  private long workingSet() {
    long ram = textError(Field.RAM) == null ? ram() : Long.MAX_VALUE;
    return GuestSettings.parseWorkingSet(Field.WORKING_SET.label(), get(Field.WORKING_SET), ram);
  }

  private VirtioFault virtioFault() {
    String text = get(Field.VIRTIO_FAULT);
    return text.isBlank()
        ? VirtioFault.NONE
        : VirtioSettings.parseFault(Field.VIRTIO_FAULT.label(), text);
  }

  private long balloon() {
    String text = get(Field.BALLOON);
    return text.isBlank() ? 0 : Parse.size(Field.BALLOON.label(), text);
  }

  private VirtioSettings virtio() {
    VirtioFault fault = virtioFault();
    Long requests = virtioRequests;
    return requests == null || (requests == 0 && fault != VirtioFault.NONE)
        ? VirtioSettings.usual(rate(Field.DIRTY_RATE), fault)
        : new VirtioSettings(requests, fault);
  }

  private Duration downtimeLimit() {
    return SourceSettings.parseDowntimeLimit(
        Field.DOWNTIME_LIMIT.label(), get(Field.DOWNTIME_LIMIT));
  }

  private Duration timeout() {
    String text = get(Field.TIMEOUT);
    return text.isBlank() ? Duration.ZERO : Parse.duration(Field.TIMEOUT.label(), text);
  }

  private void out() {
    UserFiles.output(Field.OUT.label(), path(Field.OUT));
    if (kind == Kind.LAB && error(Field.FILE) == null) {
      UserFiles.refuseSame(Field.OUT.label(), path(Field.OUT), "the image", path(Field.FILE));
    }
  }

  private Path path(Field field) {
    return files.apply(UserFiles.path(field.label(), get(field)));
  }

  private Output output(Field field, FileKind holds) {
    return Output.of(field.label(), path(field), holds);
  }

  private GuestSettings guestSettings() {
    return switch (guest) {
      case SYNTHETIC ->
          kind == Kind.DESTINATION
              ? GuestSettings.Synthetic.incoming(ram())
              : new GuestSettings.Synthetic(
                  ram(),
                  rate(Field.DIRTY_RATE),
                  workingSet(),
                  Parse.share(Field.ZERO_SHARE.label(), get(Field.ZERO_SHARE)),
                  Parse.number(Field.SEED.label(), get(Field.SEED)),
                  virtio(),
                  balloon());
      case IMAGE -> image();
      case STREAM ->
          kind == Kind.SOURCE
              ? new GuestSettings.Restore(path(Field.RESTORE))
              : new GuestSettings.Capture(output(Field.CAPTURE, FileKind.STREAM));
    };
  }

  private GuestSettings image() {
    if (kind == Kind.DESTINATION) {
      return new GuestSettings.Image(null, output(Field.OUT, FileKind.RAM), ram());
    }
    Path file = path(Field.FILE);
    return new GuestSettings.Image(
        file,
        kind == Kind.LAB ? output(Field.OUT, FileKind.RAM) : null,
        UserFiles.imageLength(Field.FILE.label(), file));
  }

  /**
   * The settings of a source. Like those of the others, they may wait for the disk of a file.
   *
   * @throws IllegalArgumentException when there are {@link #errors()}
   */
  public SourceSettings source() {
    return new SourceSettings(
        uri(),
        device(),
        guestSettings(),
        pinAll,
        rate(Field.BANDWIDTH),
        downtimeLimit(),
        timeout(),
        monitored,
        unregister());
  }

  /**
   * The settings of a destination.
   *
   * @throws IllegalArgumentException when there are {@link #errors()}
   */
  public DestinationSettings destination() {
    return new DestinationSettings(
        uri(), device(), guestSettings(), timeout(), monitored, refusePinAll, allowed());
  }

  /**
   * The settings of a lab migration.
   *
   * @throws IllegalArgumentException when there are {@link #errors()}
   */
  public LabSettings lab() {
    return new LabSettings(
        guestSettings(),
        pinAll,
        rate(Field.BANDWIDTH),
        downtimeLimit(),
        timeout(),
        monitored,
        unregister(),
        CompletionQueues.SPLIT,
        refusePinAll);
  }
}
