// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.Parse;
import org.wridscope.control.SourceSettings;
import org.wridscope.telemetry.Format;

/** What was typed into a dialog, and whether it makes settings. Plain Java, for any thread. */
public final class SettingsForm {
  private static final int PAGE = 4096;

  /** {@code MAX_MIGRATE_DOWNTIME} of QEMU. */
  private static final Duration LONGEST_DOWNTIME = Duration.ofSeconds(2000);

  private static final Duration SHORTEST_DOWNTIME = Duration.ofMillis(1);

  /** What is going to be started. */
  public enum Kind {
    SOURCE,
    DESTINATION,
    LAB
  }

  /** What a dialog asks for as text. */
  public enum Field {
    URI("URI", "rdma:HOST:PORT"),
    RAM("RAM", "such as 2GiB"),
    FILE("Image file", "a file that becomes the guest's RAM"),
    OUT("Write to", "a new file for the RAM that arrived"),
    DIRTY_RATE("Dirty rate", "such as 200MiB/s; 0 for an idle guest"),
    WORKING_SET("Working set", "a quarter of the RAM"),
    ZERO_SHARE("Zero share", "such as 40%"),
    SEED("Seed", "a whole number"),
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
  private final Map<Field, String> texts = new EnumMap<>(Field.class);
  private boolean image;
  private boolean pinAll;
  private boolean monitored = true;

  /** A form with the values that suit most. */
  public SettingsForm(Kind kind) {
    this.kind = kind;
    for (Field field : Field.values()) {
      texts.put(field, "");
    }
    set(Field.URI, kind == Kind.DESTINATION ? "rdma:127.0.0.1:0" : "rdma:127.0.0.1:4444");
    set(Field.RAM, "1GiB");
    set(Field.DIRTY_RATE, "50MiB/s");
    set(Field.ZERO_SHARE, "40%");
    set(Field.SEED, "1");
    set(Field.DOWNTIME_LIMIT, "300ms");
    if (kind == Kind.LAB) {
      // Both ends share this machine's memory bus; slower than that can be watched.
      set(Field.BANDWIDTH, "128MiB/s");
    }
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
      }
      case GuestSettings.Image guest -> {
        form.setImage(true);
        form.set(Field.FILE, guest.file() == null ? "" : guest.file().toString());
        form.set(Field.OUT, guest.out() == null ? "" : guest.out().toString());
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

  /** Whether the guest's RAM is a file. */
  public boolean image() {
    return image;
  }

  public void setImage(boolean image) {
    this.image = image;
  }

  public boolean pinAll() {
    return pinAll;
  }

  public void setPinAll(boolean pinAll) {
    this.pinAll = pinAll;
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
      fields.add(Field.URI);
    }
    if (!image) {
      fields.addAll(EnumSet.of(Field.RAM, Field.DIRTY_RATE, Field.WORKING_SET, Field.SEED));
      if (kind != Kind.DESTINATION) {
        fields.add(Field.ZERO_SHARE);
      }
    } else if (kind == Kind.DESTINATION) {
      fields.addAll(EnumSet.of(Field.RAM, Field.OUT));
    } else {
      fields.add(Field.FILE);
      if (kind == Kind.LAB) {
        fields.add(Field.OUT);
      }
    }
    if (kind != Kind.DESTINATION) {
      fields.addAll(EnumSet.of(Field.BANDWIDTH, Field.DOWNTIME_LIMIT, Field.TIMEOUT));
    }
    return fields;
  }

  /** What is wrong, a sentence for each field that is; empty when all is well. */
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

  /** What is wrong with this field, one sentence; null when nothing is, or it does not matter. */
  public @Nullable String error(Field field) {
    if (!fields().contains(field)) {
      return null;
    }
    try {
      switch (field) {
        case URI -> uri();
        case RAM -> ram();
        case FILE -> file();
        case OUT -> out();
        case DIRTY_RATE -> rate(Field.DIRTY_RATE);
        case WORKING_SET -> workingSet();
        case ZERO_SHARE -> Parse.share(field.label(), get(field));
        case SEED -> Parse.number(field.label(), get(field));
        case BANDWIDTH -> rate(Field.BANDWIDTH);
        case DOWNTIME_LIMIT -> downtimeLimit(get(field));
        case TIMEOUT -> timeout();
      }
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

  private long ram() {
    return Parse.ram(Field.RAM.label(), get(Field.RAM));
  }

  private long rate(Field field) {
    return get(field).isBlank() ? 0 : Parse.rate(field.label(), get(field));
  }

  private long workingSet() {
    String text = get(Field.WORKING_SET);
    if (text.isBlank()) {
      return 0;
    }
    long bytes = Parse.size(Field.WORKING_SET.label(), text);
    if (bytes % PAGE != 0) {
      throw new IllegalArgumentException(
          "Working set: %s is not a multiple of the page size, 4096 bytes.".formatted(text));
    }
    if (error(Field.RAM) == null && bytes > ram()) {
      throw new IllegalArgumentException(
          "Working set: %s is more than the RAM, %s.".formatted(text, get(Field.RAM)));
    }
    return bytes;
  }

  /**
   * Reads a downtime limit, here and wherever it can be changed.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static Duration downtimeLimit(String text) {
    Duration limit = Parse.duration(Field.DOWNTIME_LIMIT.label(), text);
    if (limit.compareTo(SHORTEST_DOWNTIME) < 0 || limit.compareTo(LONGEST_DOWNTIME) > 0) {
      throw new IllegalArgumentException(
          "Downtime limit: %s is outside 1 ms to 2000 s.".formatted(text.strip()));
    }
    return limit;
  }

  private Duration timeout() {
    String text = get(Field.TIMEOUT);
    return text.isBlank() ? Duration.ZERO : Parse.duration(Field.TIMEOUT.label(), text);
  }

  private Path file() {
    Path file = path(Field.FILE);
    try {
      if (!Files.isRegularFile(file)) {
        throw new IllegalArgumentException("Image file: %s is not a file.".formatted(file));
      }
      long length = Files.size(file);
      if (length == 0 || length % PAGE != 0) {
        throw new IllegalArgumentException(
            "Image file: its length, %d bytes, is not a positive multiple of the page size, 4096."
                .formatted(length));
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("Image file: %s cannot be read.".formatted(file), e);
    }
    return file;
  }

  private Path out() {
    Path out = path(Field.OUT);
    if (Files.isDirectory(out)) {
      throw new IllegalArgumentException(
          "Write to: %s is a directory; name a file in it.".formatted(out));
    }
    Path directory = out.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw new IllegalArgumentException(
          "Write to: there is no directory %s.".formatted(directory));
    }
    return out;
  }

  private Path path(Field field) {
    String text = get(field).strip();
    if (text.isEmpty()) {
      throw new IllegalArgumentException(field.label() + ": name a file.");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          "%s: \"%s\" is not the name of a file.".formatted(field.label(), text), e);
    }
  }

  private GuestSettings guest() {
    if (!image) {
      return new GuestSettings.Synthetic(
          ram(),
          rate(Field.DIRTY_RATE),
          workingSet(),
          kind == Kind.DESTINATION
              ? 0
              : Parse.share(Field.ZERO_SHARE.label(), get(Field.ZERO_SHARE)),
          Parse.number(Field.SEED.label(), get(Field.SEED)));
    }
    if (kind == Kind.DESTINATION) {
      return new GuestSettings.Image(null, out(), ram());
    }
    Path file = file();
    try {
      return new GuestSettings.Image(file, kind == Kind.LAB ? out() : null, Files.size(file));
    } catch (IOException e) {
      throw new IllegalArgumentException("Image file: %s cannot be read.".formatted(file), e);
    }
  }

  /**
   * The settings of a source.
   *
   * @throws IllegalArgumentException when there are {@link #errors()}
   */
  public SourceSettings source() {
    return new SourceSettings(
        uri(),
        guest(),
        pinAll,
        rate(Field.BANDWIDTH),
        downtimeLimit(get(Field.DOWNTIME_LIMIT)),
        timeout(),
        monitored);
  }

  /**
   * The settings of a destination.
   *
   * @throws IllegalArgumentException when there are {@link #errors()}
   */
  public DestinationSettings destination() {
    return new DestinationSettings(uri(), guest(), monitored);
  }

  /**
   * The settings of a lab migration.
   *
   * @throws IllegalArgumentException when there are {@link #errors()}
   */
  public LabSettings lab() {
    return new LabSettings(
        guest(),
        pinAll,
        rate(Field.BANDWIDTH),
        downtimeLimit(get(Field.DOWNTIME_LIMIT)),
        timeout(),
        monitored);
  }
}
