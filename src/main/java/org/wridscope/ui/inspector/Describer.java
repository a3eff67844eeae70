// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.RequestKind;
import org.wridscope.control.CapturedFile;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.MessageCounts;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.Selected;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.inspector.Description.Field;
import org.wridscope.ui.inspector.Description.Section;

/** Puts sessions and what is selected in them into words. */
public final class Describer {
  private Describer() {}

  /**
   * Describes what is selected.
   *
   * @param pair the shown sessions: a chunk is described at both ends
   * @param history events of the selected chunk, oldest first
   */
  public static Description describe(
      Selected selected, @Nullable SessionPair pair, List<Event> history) {
    return switch (selected) {
      case Selected.Chunk chunk ->
          chunk(chunk.session(), chunk.block(), chunk.chunk(), pair, history);
      case Selected.Registration registration -> registration(registration, pair);
      case Selected.LoggedEvent logged ->
          event(logged.session(), logged.event(), origin(logged, pair));
      case Selected.WorkRequest request -> workRequest(request, origin(request, pair));
    };
  }

  /** Describes a migration when nothing in it is selected. */
  public static Description describe(SessionPair pair) {
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
        "Migration",
        "Select a chunk, a registration or an event to see it here in every detail.",
        sections);
  }

  private static String guest(Session session) {
    if (session instanceof RecordedSession recorded && recorded.ofQemu()) {
      return "not told by the log";
    }
    return session.guestPlace();
  }

  /** How a captured guest is started again; the values can be copied. */
  private static Section start(CapturedFile file) {
    return new Section(
        "Start the captured guest",
        List.of(
            new Field("QEMU", file.qemuOption(), "added to the command line of the same machine"),
            new Field("Wridscope", file.restoreCommand(), "sends it to a destination")));
  }

  private static Section session(Session session) {
    var metrics = session.telemetry().metrics();
    var fields = new ArrayList<Field>();
    fields.add(new Field("name", session.name(), ""));
    fields.add(new Field("URI", session.uri(), "where the destination listens"));
    fields.add(new Field("device", session.device(), "RDMA device"));
    fields.add(
        new Field("status", session.status().qemuName(), "as query-migrate of QEMU spells it"));
    fields.add(new Field("guest", guest(session), ""));
    String waiting = session.telemetry().waitingFor();
    fields.add(
        new Field(
            "waits for",
            waiting == null ? "nothing" : waiting,
            "what the engine waits for right now"));
    fields.add(metric(metrics.get(Metric.RAM_TRANSFERRED), Metric.RAM_TRANSFERRED, "transferred"));
    fields.add(metric(metrics.get(Metric.DUPLICATE_PAGES), Metric.DUPLICATE_PAGES, "zero pages"));
    if (session.role() == Role.SOURCE) {
      // A destination's device writes to its memory without telling.
      fields.add(metric(metrics.get(Metric.NORMAL_PAGES), Metric.NORMAL_PAGES, "normal pages"));
      fields.add(metric(metrics.get(Metric.WRITES_POSTED), Metric.WRITES_POSTED, "writes posted"));
      fields.add(
          metric(metrics.get(Metric.WRITES_SIGNALED), Metric.WRITES_SIGNALED, "writes signaled"));
      fields.add(
          metric(
              metrics.get(Metric.WRITES_COMPLETED), Metric.WRITES_COMPLETED, "writes completed"));
      fields.add(
          metric(
              metrics.get(Metric.SEND_CONTEXT_WAITS), Metric.SEND_CONTEXT_WAITS, "ring was empty"));
    }
    fields.add(
        new Field(
            "registrations",
            Format.count(metrics.get(Metric.REGISTRATIONS_ALIVE))
                + ", peak "
                + Format.count(metrics.get(Metric.REGISTRATIONS_PEAK)),
            Metric.REGISTRATIONS_ALIVE.description()));
    fields.add(
        new Field(
            "pinned",
            Format.bytes(metrics.get(Metric.REGISTERED_BYTES))
                + ", peak "
                + Format.bytes(metrics.get(Metric.REGISTERED_BYTES_PEAK)),
            Metric.REGISTERED_BYTES.description()));
    if (metrics.get(Metric.SETUP_TIME) > 0) {
      fields.add(metric(metrics.get(Metric.SETUP_TIME), Metric.SETUP_TIME, "set-up time"));
    }
    if (metrics.get(Metric.TOTAL_TIME) > 0) {
      fields.add(metric(metrics.get(Metric.TOTAL_TIME), Metric.TOTAL_TIME, "total time"));
    }
    if (metrics.get(Metric.FAILED_COMPLETIONS) > 0) {
      fields.add(
          metric(
              metrics.get(Metric.FAILED_COMPLETIONS),
              Metric.FAILED_COMPLETIONS,
              "failed completions"));
    }
    return new Section(end(session), fields);
  }

  private static String end(Session session) {
    return session.role() == Role.SOURCE ? "Source" : "Destination";
  }

  private static Field metric(long value, Metric metric, String name) {
    return new Field(name, value(value, metric.unit()), metric.description());
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
    return new Section(end(session) + ": messages sent / received", fields);
  }

  private static Section blocks(SessionTelemetry telemetry) {
    var fields = new ArrayList<Field>();
    for (ChunkTable block : telemetry.blocks()) {
      fields.add(
          new Field(
              block.name(),
              Format.bytes(block.length()),
              Format.count(block.chunkCount()) + " chunks of at most 1 MiB"));
    }
    return new Section(fields.isEmpty() ? "" : "RAM blocks", fields);
  }

  private static Description chunk(
      Session session, int block, int chunk, @Nullable SessionPair pair, List<Event> history) {
    List<ChunkTable> blocks = session.telemetry().blocks();
    if (block >= blocks.size() || chunk >= blocks.get(block).chunkCount()) {
      return new Description("Chunk", "This chunk is not there any more.", List.of());
    }
    ChunkTable table = blocks.get(block);
    long offset = ChunkTable.offsetOf(chunk);
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    var what =
        List.of(
            new Field("block", table.name(), "RAM block " + block),
            new Field(
                "chunk",
                Format.count(chunk) + " of " + Format.count(table.chunkCount()),
                "counted from 0, 1 MiB each from the start of the block"),
            new Field(
                "offset",
                "0x%x".formatted(offset),
                "of its first byte, from the start of the block"),
            new Field("length", Format.bytes(table.lengthOf(chunk)), ""),
            new Field(
                "wrid",
                Format.address(wrid),
                "of an RDMA WRITE to it: 16 bits type, 14 bits block, 34 bits chunk"));
    var sections = new ArrayList<Section>();
    sections.add(new Section("", what));
    for (Session end : pair == null ? List.of(session) : pair.sessions()) {
      List<ChunkTable> tables = end.telemetry().blocks();
      if (block < tables.size() && chunk < tables.get(block).chunkCount()) {
        sections.add(chunkAt(end, tables.get(block), chunk));
      }
    }
    if (!history.isEmpty()) {
      sections.add(
          history(
              session,
              history,
              pair == null ? session.telemetry().startNanos() : pair.originNanos()));
    }
    ChunkState state = table.state(chunk);
    return new Description(
        table.name() + " chunk " + chunk, "Now: " + state.text() + ". " + meaning(state), sections);
  }

  private static Section chunkAt(Session end, ChunkTable table, int chunk) {
    long offset = ChunkTable.offsetOf(chunk);
    var fields = new ArrayList<Field>();
    fields.add(new Field("state", table.state(chunk).text(), meaning(table.state(chunk))));
    fields.add(
        new Field(
            "address",
            known(table.localAddress(), Format.address(table.localAddress() + offset)),
            "of its first byte in this process"));
    fields.add(
        new Field(
            "peer address",
            known(table.remoteAddress(), Format.address(table.remoteAddress() + offset)),
            "of its first byte at the other end"));
    fields.add(
        new Field(
            "lkey",
            known(table.localKey(chunk), Format.key(table.localKey(chunk))),
            "local key: allows our own work requests to read the chunk"));
    fields.add(
        new Field(
            "rkey",
            known(table.remoteKey(chunk), Format.key(table.remoteKey(chunk))),
            "remote key: allows the source to write to the chunk at the destination"));
    if (end.role() == Role.SOURCE) {
      fields.add(
          new Field("times sent", Format.count(table.timesSent(chunk)), "RDMA WRITEs posted"));
      fields.add(
          new Field(
              "in transit",
              Format.count(table.inTransit(chunk)),
              "RDMA WRITEs posted that have not completed"));
    }
    return new Section(end(end), fields);
  }

  private static String known(long value, String text) {
    return value == 0 ? "none" : text;
  }

  private static Section history(Session session, List<Event> history, long origin) {
    var fields = new ArrayList<Field>();
    for (Event event : history) {
      fields.add(
          new Field(
              Format.moment(event.nanos() - origin),
              switch (event.kind()) {
                case POST_WRITE -> "WRITE posted, " + Format.bytes(event.length());
                case COMPLETION_SEND_QUEUE -> EventText.completionStatus(event.detail());
                default -> EventText.kind(event.kind());
              },
              EventText.summary(event, session.telemetry())));
    }
    return new Section("History", fields);
  }

  private static String meaning(ChunkState state) {
    return switch (state) {
      case NOT_REGISTERED ->
          "It has no keys: nothing asked for them yet, or its registration was given back.";
      case ZERO -> "It is all zero, which takes a COMPRESS message instead of a write.";
      case REGISTERED -> "Its keys are there, so it can be written.";
      case SENT -> "All of it that was dirty when this round began has arrived.";
      case DIRTY_AGAIN -> "The guest wrote to it after it was sent; it will be sent again.";
      case IN_TRANSIT -> "At least one RDMA WRITE was posted and has not completed.";
    };
  }

  private static Description registration(
      Selected.Registration registration, @Nullable SessionPair pair) {
    if (registration.chunks() == 1) {
      return chunk(
          registration.session(), registration.block(), registration.firstChunk(), pair, List.of());
    }
    List<ChunkTable> blocks = registration.session().telemetry().blocks();
    var fields = new ArrayList<Field>();
    fields.add(
        new Field(
            "block",
            EventText.block(registration.block(), registration.session().telemetry()),
            ""));
    fields.add(
        new Field(
            "chunks",
            registration.firstChunk()
                + " to "
                + (registration.firstChunk() + registration.chunks() - 1),
            Format.count(registration.chunks()) + " chunks under one key"));
    if (registration.block() < blocks.size()) {
      ChunkTable table = blocks.get(registration.block());
      fields.add(new Field("lkey", Format.key(table.localKey(registration.firstChunk())), ""));
      fields.add(new Field("rkey", Format.key(table.remoteKey(registration.firstChunk())), ""));
    }
    return new Description(
        "Registration",
        "Memory that was pinned in one piece and is reached with one key.",
        List.of(new Section("", fields)));
  }

  private static Description workRequest(Selected.WorkRequest request, long origin) {
    RequestFacts facts = request.facts();
    SessionTelemetry telemetry = request.session().telemetry();
    var fields = new ArrayList<Field>();
    fields.add(new Field("session", request.session().name(), ""));
    fields.add(
        new Field("number", Format.count(facts.id()), "in its queue, counted from 0 by post"));
    wrid(fields, facts.wrid(), telemetry);
    if (facts.controlType() != 0) {
      fields.add(new Field("message", EventText.control(facts.controlType()), "control message"));
    }
    fields.add(new Field("length", Format.bytes(facts.length()), ""));
    fields.add(
        new Field(
            "signaled",
            facts.signaled() ? "yes" : "no",
            "whether it asked for a completion of its own"));
    fields.add(
        new Field(
            "state",
            facts.isOpen() ? "not completed" : facts.status().text(),
            "ibv_wc_status " + facts.status().value()));
    if (!facts.isOpen()) {
      fields.add(
          new Field(
              "took", Format.duration(facts.endedNanos() - facts.postedNanos()), "post to poll"));
    }
    var way = new ArrayList<Field>();
    for (RequestFacts.Station station : facts.way()) {
      way.add(
          new Field(
              station.what(),
              Format.moment(station.nanos() - origin) + "  " + station.text(),
              "event " + Format.count(station.event()) + ": " + station.text()));
    }
    return new Description(
        facts.kind() == RequestKind.RECEIVE ? "Receive" : facts.kind().text(),
        "A work request of the " + facts.queue().text() + " queue, from its post to its end.",
        List.of(new Section("", fields), new Section("Its way", way)));
  }

  private static long origin(Selected selected, @Nullable SessionPair pair) {
    return pair == null ? selected.session().telemetry().startNanos() : pair.originNanos();
  }

  private static Description event(Session session, Event event, long origin) {
    SessionTelemetry telemetry = session.telemetry();
    var when =
        List.of(
            new Field("session", session.name(), ""),
            new Field("number", Format.count(event.number()), "counted from 0"),
            new Field("time", Format.moment(event.nanos() - origin), "since the migration began"));
    return new Description(
        EventText.kind(event.kind()),
        EventText.explanation(event.kind()),
        List.of(
            new Section("", when), new Section("Decoded", decoded(event, telemetry)), raw(event)));
  }

  private static List<Field> decoded(Event event, SessionTelemetry telemetry) {
    var fields = new ArrayList<Field>();
    switch (event.kind()) {
      case POST_SEND -> {
        fields.add(new Field("message", EventText.control(event.detail()), "control message"));
        fields.add(new Field("length", Format.bytes(event.length()), "header and payload"));
        wrid(fields, event, telemetry);
      }
      case POST_WRITE -> {
        wrid(fields, event, telemetry);
        fields.add(new Field("length", Format.bytes(event.length()), ""));
        fields.add(
            new Field(
                "remote address", Format.address(event.argument()), "where it goes at the peer"));
      }
      case POST_RECEIVE -> {
        wrid(fields, event, telemetry);
        fields.add(new Field("offered", Format.bytes(event.length()), "size of the buffer"));
      }
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE -> {
        fields.add(
            new Field(
                "status",
                EventText.completionStatus(event.detail()),
                "ibv_wc_status " + event.detail()));
        wrid(fields, event, telemetry);
      }
      case CONTROL_SENT, CONTROL_RECEIVED -> {
        fields.add(
            new Field(
                "type", EventText.control(event.detail()), "value on the wire: " + event.detail()));
        fields.add(new Field("payload", Format.bytes(event.length()), "without the header"));
        if (event.argument() != 0) {
          fields.add(new Field("repeat", Format.count(event.argument()), "entries in the payload"));
        }
      }
      case REGISTERED, DEREGISTERED -> {
        place(fields, event, telemetry);
        fields.add(new Field("chunks", Format.count(event.length()), "covered by the key"));
        fields.add(new Field("key", Format.key((int) event.argument()), ""));
      }
      case ZERO -> {
        place(fields, event, telemetry);
        fields.add(new Field("bytes", Format.bytes(event.argument()), "all zero"));
      }
      case ROUND_BEGIN -> {
        fields.add(new Field("round", Format.count(event.detail()), ""));
        fields.add(new Field("to send", Format.bytes(event.argument()), "dirty when it began"));
      }
      case ROUND_END -> {
        fields.add(new Field("round", Format.count(event.detail()), ""));
        fields.add(new Field("dealt with", Format.bytes(event.argument()), "sent, or zero"));
      }
      case STATUS -> fields.add(new Field("status", EventText.status(event.detail()), ""));
      case CONNECTION -> fields.add(new Field("type", EventText.connection(event.detail()), ""));
      case ASYNC -> fields.add(new Field("type", EventText.async(event.detail()), ""));
      case GUEST_PAUSED -> fields.add(new Field("guest", "stands still", ""));
      case GUEST_RESUMED -> fields.add(new Field("guest", "runs", ""));
      case WAIT_BEGIN -> {
        fields.add(new Field("waits for", EventText.wait(event.detail(), telemetry), ""));
        if (event.wrid() != 0) {
          wrid(fields, event, telemetry);
        }
      }
      case WAIT_END -> {
        fields.add(new Field("waited for", EventText.wait(event.detail(), telemetry), ""));
        fields.add(new Field("waited", Format.duration(event.argument()), ""));
      }
      case COMPLETION_DROPPED -> {
        wrid(fields, event, telemetry);
        fields.add(new Field("dropped by", EventText.wait(event.detail(), telemetry), "a wait"));
      }
    }
    return fields;
  }

  private static void wrid(List<Field> fields, Event event, SessionTelemetry telemetry) {
    wrid(fields, event.wrid(), telemetry);
  }

  private static void wrid(List<Field> fields, long wrid, SessionTelemetry telemetry) {
    fields.add(
        new Field("wrid", Format.address(wrid), "work request id, chosen by whoever posts it"));
    fields.add(new Field("wrid type", WorkRequestId.describe(wrid).replaceAll(" block.*", ""), ""));
    if (WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE) {
      place(fields, wrid, telemetry);
    }
  }

  private static void place(List<Field> fields, Event event, SessionTelemetry telemetry) {
    place(fields, event.wrid(), telemetry);
  }

  private static void place(List<Field> fields, long wrid, SessionTelemetry telemetry) {
    int block = WorkRequestId.block(wrid);
    fields.add(new Field("block", EventText.block(block, telemetry), "RAM block " + block));
    fields.add(new Field("chunk", Format.count(WorkRequestId.chunk(wrid)), "the first, from 0"));
  }

  private static Section raw(Event event) {
    return new Section(
        "As recorded",
        List.of(
            new Field("kind", event.kind().name(), ""),
            new Field("detail", Integer.toString(event.detail()), "16 bits"),
            new Field("length", Integer.toString(event.length()), "32 bits"),
            new Field("wrid", Format.address(event.wrid()), "64 bits"),
            new Field("argument", Format.address(event.argument()), "64 bits")));
  }
}
