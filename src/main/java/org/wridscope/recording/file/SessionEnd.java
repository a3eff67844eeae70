// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.text.Legible;

/**
 * The end of a recorded session, or of its recording if that ended first.
 *
 * @param outcome null when the session had not ended, or it is not known
 * @param report null when there was none
 * @param leftOut number of events skipped after the last block of events
 */
public record SessionEnd(
    boolean guestRunning,
    @Nullable SessionOutcome outcome,
    @Nullable MigrationReport report,
    long leftOut) {
  private static final Gson GSON =
      new GsonBuilder().registerTypeAdapter(String.class, new LegibleStrings()).create();

  void encode(ByteSink into) {
    into.u8(guestRunning ? 1 : 0);
    into.u8(outcome == null ? 0 : 1);
    if (outcome != null) {
      into.text(outcome.reason());
      into.text(outcome.guest());
      into.u8(outcome.origin().ordinal());
    }
    into.u8(report == null ? 0 : 1);
    if (report != null) {
      into.text(GSON.toJson(report));
    }
    into.number(leftOut);
  }

  static SessionEnd decode(ByteSource source) throws RecordingException {
    boolean guestRunning = source.u8("state of the guest") != 0;
    SessionOutcome outcome = isPresent(source, "outcome") ? outcome(source) : null;
    String report =
        isPresent(source, "report")
            ? source.characters(RecordingFormat.MAX_REPORT, "report")
            : null;
    return new SessionEnd(
        guestRunning,
        outcome,
        report == null ? null : report(report),
        source.number("number of events left out"));
  }

  private static SessionOutcome outcome(ByteSource source) throws RecordingException {
    String reason = source.text(RecordingFormat.MAX_TEXT, "reason of an outcome");
    String guest = source.text(RecordingFormat.MAX_TEXT, "guest of an outcome");
    int origin = source.u8("origin of a failure");
    Origin[] known = Origin.values();
    if (origin >= known.length) {
      throw RecordingException.of("origin of a failure", origin, "0 to " + (known.length - 1));
    }
    return new SessionOutcome(reason, guest, known[origin]);
  }

  private static boolean isPresent(ByteSource source, String field) throws RecordingException {
    return source.u8("presence of the " + field) != 0;
  }

  /** Reads the strings of a report, including the keys of its maps. */
  private static final class LegibleStrings extends TypeAdapter<String> {
    @Override
    public void write(JsonWriter out, @Nullable String value) throws IOException {
      out.value(value);
    }

    @Override
    public @Nullable String read(JsonReader in) throws IOException {
      if (in.peek() == JsonToken.NULL) {
        in.nextNull();
        return null;
      }
      return Legible.of(in.nextString());
    }
  }

  private static MigrationReport report(String json) throws RecordingException {
    try {
      JsonElement read = GSON.fromJson(json, JsonElement.class);
      MigrationReport report = GSON.fromJson(withKnownParts(read), MigrationReport.class);
      if (report == null || !isWhole(report)) {
        throw new RecordingException("The report of a session lacks some of its members.");
      }
      return report;
    } catch (JsonParseException | NumberFormatException | StackOverflowError e) {
      // Gson does not wrap the exception for an invalid number in a map.
      throw new RecordingException(
          "The report of a session is not one: " + Legible.of(String.valueOf(e.getMessage())), e);
    }
  }

  /** Without parts of the downtime that only another Wridscope knows. */
  private static JsonElement withKnownParts(JsonElement report) {
    if (report instanceof JsonObject members
        && members.get("downtimePhases") instanceof JsonObject parts) {
      Set<String> known =
          Stream.of(DowntimePart.values()).map(DowntimePart::text).collect(Collectors.toSet());
      parts.keySet().retainAll(known);
    }
    return report;
  }

  /** Gson leaves missing members null, whatever their type. */
  @SuppressWarnings("NullAway")
  private static boolean isWhole(MigrationReport report) {
    return report.status() != null
        && report.ram() != null
        && report.role() != null
        && report.uri() != null
        && report.device() != null
        && report.unconfirmed() != null
        && !report.unconfirmed().contains(null)
        && report.downtimePhases() != null
        && !report.downtimePhases().containsValue(null)
        && isWhole(report.completions())
        && report.controlMessages() != null
        && report.controlMessages().sent() != null
        && !report.controlMessages().sent().containsValue(null)
        && report.controlMessages().received() != null
        && !report.controlMessages().received().containsValue(null)
        && report.digests() != null
        && report.digests().source() != null
        && !report.digests().source().containsValue(null)
        && report.digests().destination() != null
        && !report.digests().destination().containsValue(null)
        && isWhole(report.machine());
  }

  /** Only sessions whose work requests are seen have them. */
  @SuppressWarnings("NullAway")
  private static boolean isWhole(MigrationReport.@Nullable Completions completions) {
    return completions == null || (completions.send() != null && completions.receive() != null);
  }

  /** Only sessions of guests in other processes have one. */
  @SuppressWarnings("NullAway")
  private static boolean isWhole(MigrationReport.@Nullable Machine machine) {
    return machine == null
        || (machine.name() != null
            && machine.qmp() != null
            && (machine.dirtyLog() == null
                || (machine.dirtyLog().method() != null && machine.dirtyLog().reason() != null)));
  }
}
