// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Ladder;
import org.wridscope.analysis.Ladder.Rung;
import org.wridscope.analysis.Messages;
import org.wridscope.telemetry.Role;

/** A row of {@link ExportTable#MESSAGES}. */
record MessageRow(Rung rung, Clock clock) {
  static final List<Column<MessageRow>> COLUMNS =
      List.of(
          new Column<>("from", row -> EndReading.end(row.rung.from())),
          new Column<>("number", row -> row.rung.number()),
          new Column<>("message", MessageRow::message),
          new Column<>("type", row -> row.rung.type() == Messages.UNKNOWN ? null : row.rung.type()),
          new Column<>("length_bytes", row -> row.rung.length()),
          new Column<>("repeat", row -> row.rung.repeat()),
          new Column<>("sent_s", row -> row.seconds(row.rung.sentNanos())),
          new Column<>("received_s", row -> row.seconds(row.rung.receivedNanos())),
          new Column<>("transit_us", MessageRow::transit),
          new Column<>("dropped", row -> row.rung.dropped()));

  /** Passes on the messages of both directions in the order of time. */
  static void forEach(Ladder ladder, Clock clock, RowSink<MessageRow> sink) throws IOException {
    long source = ladder.first(Role.SOURCE);
    long destination = ladder.first(Role.DESTINATION);
    while (true) {
      Rung fromSource =
          source < ladder.count(Role.SOURCE) ? ladder.rung(Role.SOURCE, source) : null;
      Rung fromDestination =
          destination < ladder.count(Role.DESTINATION)
              ? ladder.rung(Role.DESTINATION, destination)
              : null;
      if (fromSource == null && fromDestination == null) {
        return;
      }
      boolean first =
          fromDestination == null
              || (fromSource != null && fromSource.firstNanos() <= fromDestination.firstNanos());
      source += first ? 1 : 0;
      destination += first ? 0 : 1;
      sink.row(new MessageRow(Objects.requireNonNull(first ? fromSource : fromDestination), clock));
    }
  }

  /** The number of messages. */
  static long count(Ladder ladder) {
    return ladder.count(Role.SOURCE)
        - ladder.first(Role.SOURCE)
        + ladder.count(Role.DESTINATION)
        - ladder.first(Role.DESTINATION);
  }

  /** Its name, null if it was not decoded because its completion was dropped. */
  @Nullable String message() {
    return rung.type() == Messages.UNKNOWN ? null : EventText.control(rung.type());
  }

  private @Nullable Object seconds(long nanos) {
    return nanos == Ladder.UNKNOWN ? null : clock.seconds(nanos);
  }

  private @Nullable Object transit() {
    return rung.sentNanos() == Ladder.UNKNOWN || rung.receivedNanos() == Ladder.UNKNOWN
        ? null
        : Clock.micros(rung.receivedNanos() - rung.sentNanos());
  }
}
