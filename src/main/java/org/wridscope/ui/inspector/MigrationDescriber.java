// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.wridscope.analysis.EventText;
import org.wridscope.control.CapturedFile;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.MessageCounts;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.ui.inspector.Description.Field;
import org.wridscope.ui.inspector.Description.Section;

/** Describes a migration as a whole: both ends, their messages and the RAM blocks. */
final class MigrationDescriber {
  /** What is said of an end that knows it. */
  private static final List<Figure> FIGURES =
      List.of(
          Figure.RAM_IN_USE_BEFORE,
          Figure.RAM_IN_USE_AFTER,
          Figure.RAM_TRANSFERRED,
          Figure.DUPLICATE_PAGES,
          Figure.FILL_TIME,
          Figure.NORMAL_PAGES,
          Figure.ROUNDS,
          Figure.WRITES_POSTED,
          Figure.WRITES_SIGNALED,
          Figure.SEND_CONTEXT_WAITS,
          Figure.WRITES_COMPLETED,
          Figure.COMPLETION_GAP,
          Figure.EXPECTED_DOWNTIME,
          Figure.DOWNTIME,
          Figure.SETUP_TIME,
          Figure.HELD_TIME,
          Figure.TOTAL_TIME);

  private MigrationDescriber() {}

  static Description describe(SessionPair pair, Function<Session, Reading> readings) {
    var sections = new ArrayList<Section>();
    for (Session session : pair.sessions()) {
      sections.add(session(session, readings.apply(session)));
    }
    for (Session session : pair.sessions()) {
      session.captured().ifPresent(file -> sections.add(start(file)));
    }
    for (Session session : pair.sessions()) {
      Section messages = messages(session);
      if (!messages.fields().isEmpty()) {
        sections.add(messages);
      }
    }
    sections.add(blocks(pair.leading().telemetry()));
    return new Description(
        pair.leading().migrates() ? "Migration" : "Program",
        pair.leading().migrates()
            ? "Select a chunk, a registration or an event to see all its details here."
            : "Select a request or an event to see all its details here.",
        sections);
  }

  private static String guest(Session session) {
    if (!session.tellsGuest()) {
      return "not known: not recorded";
    }
    return session.guestPlace();
  }

  private static void registrations(Reading reading, List<Field> fields) {
    fields.add(
        new Field(
            "registrations",
            both(reading, Figure.REGISTRATIONS_ALIVE, Figure.REGISTRATIONS_PEAK),
            Figure.REGISTRATIONS_ALIVE.measured()));
    fields.add(
        new Field(
            "pinned",
            both(reading, Figure.REGISTERED_BYTES, Figure.REGISTERED_BYTES_PEAK),
            Figure.REGISTERED_BYTES.measured()));
  }

  private static String both(Reading reading, Figure now, Figure peak) {
    return now.in(reading).isEmpty()
        ? Figure.NOT_KNOWN
        : "%s, peak %s".formatted(now.text(reading), peak.text(reading));
  }

  /** Commands that start a captured guest; values can be copied. */
  private static Section start(CapturedFile file) {
    return new Section(
        "Start the captured guest",
        List.of(
            new Field("QEMU", file.qemuOption(), "added to the command line of the same machine"),
            new Field("Wridscope", file.restoreCommand(), "sends it to a destination")));
  }

  private static Section session(Session session, Reading reading) {
    var fields = new ArrayList<Field>();
    fields.add(new Field("name", session.name(), ""));
    if (!session.migrates()) {
      fields.add(new Field("process", session.uri(), "its process ID"));
      fields.add(new Field("device", session.device(), session.deviceReason()));
      String outcome = session.outcome();
      fields.add(new Field("state", outcome == null ? "attached" : outcome, ""));
      registrations(reading, fields);
      return new Section(end(session), fields);
    }
    fields.add(new Field("URI", session.uri(), "where the destination listens"));
    fields.add(
        new Field(
            session.showsRequests() ? "device" : "engine",
            session.device(),
            session.showsRequests() ? "RDMA device" : session.deviceReason()));
    Banner banner = session.telemetry().banner();
    if (banner != null) {
      String text = EventText.banner(banner);
      if (banner.device().isKernels()) {
        fields.add(new Field("uverbs", banner.device().uverbsName(), text));
      }
      fields.add(new Field("link layer", EventText.linkLayer(banner.route().linkLayer()), text));
      fields.add(new Field("source GID", banner.route().sourceGid(), text));
      fields.add(new Field("destination GID", banner.route().destinationGid(), text));
    }
    fields.add(
        new Field("status", reading.status().qemuName(), "in the words of QEMU's query-migrate"));
    fields.add(new Field("guest", guest(session), ""));
    session
        .machine()
        .flatMap(machine -> Optional.ofNullable(machine.dirtyLog()))
        .ifPresent(log ->
            fields.add(
                new Field(
                    "dirty log", log.text(), "how the pages are found that the guest writes")));
    queuePair(session, fields);
    if (!session.ofCapture()) {
      Wait waiting = session.telemetry().waitingFor();
      fields.add(
          new Field(
              "waits for",
              waiting == null ? "nothing" : waiting.text(),
              "what the engine waits for now"));
    }
    FIGURES.stream()
        .filter(figure -> figure.in(reading).isPresent())
        .forEach(figure -> fields.add(field(figure, reading)));
    if (session.showsRequests()) {
      registrations(reading, fields);
    }
    session.recorded().ifPresent(recorded -> measured(recorded, fields));
    if (Figure.COMPLETION_QUEUE_SHARED.in(reading).orElse(0) > 0) {
      fields.add(
          new Field("completion queue", "shared", Figure.COMPLETION_QUEUE_SHARED.measured()));
      fields.add(field(Figure.COMPLETIONS_DROPPED, reading));
    }
    if (Figure.FAILED_COMPLETIONS.in(reading).orElse(0) > 0) {
      fields.add(field(Figure.FAILED_COMPLETIONS, reading));
    }
    return new Section(end(session), fields);
  }

  /** Counters are those of the shown moment; what does not follow from events is a little older. */
  private static void measured(Recorded session, List<Field> fields) {
    long before = session.measuredBefore().orElse(0);
    if (before > 0 && !session.isAtEnd()) {
      fields.add(
          new Field(
              "times, rates",
              "as of %s earlier".formatted(Format.duration(before)),
              "they are recorded fifty times a second; all counters but that of waits for a send context"
                  + " are those of the shown moment"));
    }
  }

  /** The number may be that of another queue pair as soon as this one is destroyed. */
  private static void queuePair(Session session, List<Field> fields) {
    var metrics = session.telemetry().metrics();
    long number = metrics.get(Metric.QUEUE_PAIR_NUMBER);
    if (number == 0) {
      return;
    }
    long ids = metrics.get(Metric.QUEUE_PAIR_IDS);
    fields.add(
        new Field(
            "queue pair",
            number
                + (ids > 1 ? " (%d ids)".formatted(ids) : "")
                + (session.status().isEnd() ? ", destroyed" : ""),
            "its number, which the device may reuse once it is destroyed; further ids are those"
                + " of its work queues"));
    long references = metrics.get(Metric.QUEUE_PAIR_REFERENCES);
    fields.add(
        new Field(
            "references",
            references == 0 ? "none" : Format.counted(references, "handler"),
            "%s; destroying it waits for them".formatted(Figure.QUEUE_PAIR_REFERENCES.measured())));
  }

  static String end(Session session) {
    return !session.migrates()
        ? "Program"
        : session.role() == Role.SOURCE ? "Source" : "Destination";
  }

  private static Field field(Figure figure, Reading reading) {
    return new Field(figure.title(), figure.text(reading), figure.measured());
  }

  private static Section messages(Session session) {
    MessageCounts sent = session.telemetry().messagesSent();
    MessageCounts received = session.telemetry().messagesReceived();
    var fields = new ArrayList<Field>();
    for (ControlType type : ControlType.values()) {
      if (sent.get(type) > 0 || received.get(type) > 0) {
        fields.add(
            new Field(
                type.text(),
                Format.count(sent.get(type)) + " / " + Format.count(received.get(type)),
                "control messages sent / received"));
      }
    }
    return new Section("%s: messages sent / received".formatted(end(session)), fields);
  }

  private static Section blocks(SessionTelemetry telemetry) {
    var fields = new ArrayList<Field>();
    for (ChunkTable block : telemetry.blocks()) {
      fields.add(
          new Field(
              block.name(),
              Format.bytes(block.length()),
              "%s chunks of at most 1 MiB".formatted(Format.count(block.chunkCount()))));
    }
    return new Section(fields.isEmpty() ? "" : "RAM blocks", fields);
  }
}
