// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.wridscope.analysis.EventText;
import org.wridscope.control.CapturedFile;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.MessageCounts;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.ui.inspector.Description.Field;
import org.wridscope.ui.inspector.Description.Section;

/** Describes a migration as a whole: both ends, their messages and the RAM blocks. */
final class MigrationDescriber {
  private MigrationDescriber() {}

  static Description describe(SessionPair pair) {
    var sections = new ArrayList<Section>();
    for (Session session : pair.sessions()) {
      sections.add(session(session));
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

  private static void registrations(Metrics metrics, List<Field> fields) {
    fields.add(
        new Field(
            "registrations",
            "%s, peak %s"
                .formatted(
                    Format.count(metrics.get(Metric.REGISTRATIONS_ALIVE)),
                    Format.count(metrics.get(Metric.REGISTRATIONS_PEAK))),
            Metric.REGISTRATIONS_ALIVE.description()));
    fields.add(
        new Field(
            "pinned",
            "%s, peak %s"
                .formatted(
                    Format.bytes(metrics.get(Metric.REGISTERED_BYTES)),
                    Format.bytes(metrics.get(Metric.REGISTERED_BYTES_PEAK))),
            Metric.REGISTERED_BYTES.description()));
  }

  /** Commands that start a captured guest; values can be copied. */
  private static Section start(CapturedFile file) {
    return new Section(
        "Start the captured guest",
        List.of(
            new Field("QEMU", file.qemuOption(), "added to the command line of the same machine"),
            new Field("Wridscope", file.restoreCommand(), "sends it to a destination")));
  }

  private static Section session(Session session) {
    Metrics metrics = session.telemetry().metrics();
    var fields = new ArrayList<Field>();
    fields.add(new Field("name", session.name(), ""));
    if (!session.migrates()) {
      fields.add(new Field("process", session.uri(), "its process ID"));
      fields.add(new Field("device", session.device(), session.deviceReason()));
      String outcome = session.outcome();
      fields.add(new Field("state", outcome == null ? "attached" : outcome, ""));
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
        new Field("status", session.status().qemuName(), "in the words of QEMU's query-migrate"));
    fields.add(new Field("guest", guest(session), ""));
    session
        .machine()
        .flatMap(machine -> Optional.ofNullable(machine.dirtyLog()))
        .ifPresent(log ->
            fields.add(
                new Field(
                    "dirty log", log.text(), "how the pages are found that the guest writes")));
    queuePair(session, fields);
    boolean captured = session.ofCapture();
    if (!captured) {
      Wait waiting = session.telemetry().waitingFor();
      fields.add(
          new Field(
              "waits for",
              waiting == null ? "nothing" : waiting.text(),
              "what the engine waits for now"));
    }
    if (!session.showsRequests()) {
      ofQemu(session, fields);
      return new Section(end(session), fields);
    }
    memory(metrics, fields);
    fields.add(metric(metrics, Metric.RAM_TRANSFERRED, "transferred"));
    fields.add(metric(metrics, Metric.DUPLICATE_PAGES, "zero pages"));
    if (session.role() == Role.SOURCE) {
      // A destination does not notice what its device writes to memory.
      fields.add(metric(metrics, Metric.NORMAL_PAGES, "normal pages"));
      fields.add(metric(metrics, Metric.WRITES_POSTED, "writes posted"));
      if (!captured) {
        fields.add(metric(metrics, Metric.WRITES_SIGNALED, "writes signaled"));
        fields.add(metric(metrics, Metric.SEND_CONTEXT_WAITS, "ring was empty"));
      }
      fields.add(metric(metrics, Metric.WRITES_COMPLETED, "writes ended"));
    }
    if (metrics.get(Metric.REGISTRATIONS_TOTAL) > 0 || metrics.get(Metric.RAM_TRANSFERRED) == 0) {
      registrations(metrics, fields);
    } else {
      fields.add(new Field("registrations", "not known", "packets do not show them"));
    }
    times(metrics, fields);
    session.recorded().ifPresent(recorded -> measured(recorded, fields));
    if (metrics.sharesCompletionQueue()) {
      fields.add(
          new Field("completion queue", "shared", Metric.COMPLETION_QUEUE_SHARED.description()));
      fields.add(metric(metrics, Metric.COMPLETIONS_DROPPED, "dropped completions"));
    }
    if (metrics.get(Metric.FAILED_COMPLETIONS) > 0) {
      fields.add(metric(metrics, Metric.FAILED_COMPLETIONS, "failed completions"));
    }
    return new Section(end(session), fields);
  }

  private static void memory(Metrics metrics, List<Field> fields) {
    MigrationReport.Memory memory = MigrationReport.Memory.of(metrics);
    fields.add(
        new Field(
            "RAM in use", memory.inUse(), "RAM that had memory of this end's host, of all RAM"));
    fields.add(
        new Field(
            "never touched",
            memory.neverTouched(),
            "RAM that had no memory: the guest never touched it or gave it back"));
  }

  private static void times(Metrics metrics, List<Field> fields) {
    if (metrics.get(Metric.SETUP_TIME) > 0) {
      fields.add(metric(metrics, Metric.SETUP_TIME, "set-up time"));
    }
    if (metrics.get(Metric.HELD_TIME) > 0) {
      fields.add(metric(metrics, Metric.HELD_TIME, "held time"));
    }
    if (metrics.get(Metric.TOTAL_TIME) > 0) {
      fields.add(metric(metrics, Metric.TOTAL_TIME, "total time"));
    }
  }

  /** Counters are those of the shown moment; what does not follow from events is a little older. */
  private static void measured(Recorded session, List<Field> fields) {
    long before = session.measuredBefore().orElse(0);
    if (before > 0 && !session.isAtEnd()) {
      fields.add(
          new Field(
              "times, rates",
              "as of %s earlier".formatted(Format.duration(before)),
              "they are recorded fifty times a second; all counters but that of the empty ring"
                  + " are those of the shown moment"));
    }
  }

  /** What QEMU tells of a migration by its own engine; only the source tells figures. */
  private static void ofQemu(Session session, List<Field> fields) {
    Metrics metrics = session.telemetry().metrics();
    if (session.role() == Role.SOURCE) {
      fields.add(metric(metrics, Metric.RAM_TRANSFERRED, "transferred"));
      fields.add(metric(metrics, Metric.DUPLICATE_PAGES, "zero pages"));
      fields.add(metric(metrics, Metric.NORMAL_PAGES, "normal pages"));
      fields.add(metric(metrics, Metric.DIRTY_SYNC_COUNT, "synchronized"));
      if (!session.status().isEnd()) {
        fields.add(metric(metrics, Metric.EXPECTED_DOWNTIME, "expected downtime"));
      }
    }
    times(metrics, fields);
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
            "%s; destroying it waits for them"
                .formatted(Metric.QUEUE_PAIR_REFERENCES.description())));
  }

  static String end(Session session) {
    return !session.migrates()
        ? "Program"
        : session.role() == Role.SOURCE ? "Source" : "Destination";
  }

  private static Field metric(Metrics metrics, Metric metric, String name) {
    return new Field(name, value(metrics.get(metric), metric.unit()), metric.description());
  }

  private static String value(long value, Metric.Unit unit) {
    return switch (unit) {
      case COUNT, PAGES -> Format.count(value);
      case BYTES -> Format.bytes(value);
      case BYTES_PER_SECOND -> Format.rate(value);
      case NANOSECONDS -> Format.duration(value);
    };
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
