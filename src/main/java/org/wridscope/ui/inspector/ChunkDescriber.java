// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.Selected;
import org.wridscope.ui.inspector.Description.Field;
import org.wridscope.ui.inspector.Description.Section;

/** Describes chunks at both ends, and registrations. */
final class ChunkDescriber {
  private ChunkDescriber() {}

  static Description describe(
      Session session,
      int block,
      int chunk,
      @Nullable SessionPair pair,
      List<Event> history,
      long found) {
    List<ChunkTable> blocks = session.telemetry().blocks();
    if (block >= blocks.size() || chunk >= blocks.get(block).chunkCount()) {
      return new Description("Chunk", "This chunk no longer exists.", List.of());
    }
    ChunkTable table = blocks.get(block);
    long offset = ChunkTable.offsetOf(chunk);
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    var what =
        List.of(
            new Field("block", table.name(), "RAM block %s".formatted(block)),
            new Field(
                "chunk",
                "%s of %s".formatted(Format.count(chunk), Format.count(table.chunkCount())),
                "counted from 0, 1 MiB each from the start of the block"),
            new Field(
                "offset",
                "0x%x".formatted(offset),
                "of its first byte, from the start of the block"),
            new Field("length", Format.bytes(table.lengthOf(chunk)), ""),
            new Field(
                "wrid",
                Format.wrid(wrid),
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
              found,
              pair == null ? session.telemetry().startNanos() : pair.originNanos()));
    }
    ChunkState state = table.state(chunk);
    return new Description(
        "%s chunk %s".formatted(table.name(), chunk),
        "Now: %s. %s".formatted(state.text(), meaning(state, session)),
        sections);
  }

  private static Section chunkAt(Session end, ChunkTable table, int chunk) {
    long offset = ChunkTable.offsetOf(chunk);
    var fields = new ArrayList<Field>();
    fields.add(new Field("state", table.state(chunk).text(), meaning(table.state(chunk), end)));
    ChunkRelease release = table.release(chunk);
    if (release != ChunkRelease.NONE) {
      fields.add(new Field("registration", release.text(), meaning(release)));
    }
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
            "local key: allows local work requests to access the chunk"));
    fields.add(
        new Field(
            "rkey",
            known(table.remoteKey(chunk), Format.key(table.remoteKey(chunk))),
            "remote key: allows the source to write the chunk at the destination"));
    if (end.role() == Role.SOURCE) {
      fields.add(
          new Field("times sent", Format.count(table.timesSent(chunk)), "RDMA WRITEs posted"));
      fields.add(
          new Field(
              "in transit",
              Format.count(table.inTransit(chunk)),
              "RDMA WRITEs posted that have not completed"));
    }
    return new Section(MigrationDescriber.end(end), fields);
  }

  private static String known(long value, String text) {
    return value == 0 ? "none" : text;
  }

  private static Section history(Session session, List<Event> history, long found, long origin) {
    var fields = new ArrayList<Field>();
    for (Event event : history) {
      fields.add(
          new Field(
              Format.moment(event.nanos() - origin),
              switch (event.kind()) {
                case POST_WRITE -> "WRITE posted, %s".formatted(Format.bytes(event.length()));
                case COMPLETION_SEND_QUEUE -> EventText.completionStatus(event.detail());
                default -> EventText.kind(event.kind());
              },
              EventText.summary(event, session.telemetry()),
              event.nanos()));
    }
    return new Section(
        found > history.size()
            ? "History, the newest %s of %s"
                .formatted(Format.count(history.size()), Format.count(found))
            : "History",
        fields);
  }

  private static String meaning(ChunkRelease release) {
    return switch (release) {
      case NONE -> "";
      case QUEUED -> "It is in the queue of registrations to be deregistered at both ends.";
      case PUT_OFF -> "It was its turn, but a write to it is in transit or next.";
      case GIVEN_BACK -> "It was deregistered before the end, and not registered again.";
    };
  }

  private static String meaning(ChunkState state, Session end) {
    return switch (state) {
      case NOT_REGISTERED -> "It has no keys: it is not registered yet, or was deregistered.";
      case ZERO -> "It is all zero, which takes a COMPRESS message instead of a write.";
      case REGISTERED -> "It has keys, so it can be written.";
      case SENT ->
          end.role() == Role.DESTINATION
              ? "What its source wrote to it until its last REGISTER FINISHED has arrived."
              : "Everything that was dirty when this round began has arrived.";
      case DIRTY_AGAIN -> "The guest wrote to it after it was sent; it will be sent again.";
      case IN_TRANSIT -> "At least one RDMA WRITE was posted and has not completed.";
    };
  }

  /** Describes a registration, by its chunk if it covers only one. */
  static Description describe(Selected.Registration registration, @Nullable SessionPair pair) {
    if (registration.chunks() == 1) {
      return describe(
          registration.session(),
          registration.block(),
          registration.firstChunk(),
          pair,
          List.of(),
          0);
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
            "%s to %s"
                .formatted(
                    registration.firstChunk(),
                    registration.firstChunk() + registration.chunks() - 1),
            "%s chunks under one key".formatted(Format.count(registration.chunks()))));
    if (registration.block() < blocks.size()) {
      ChunkTable table = blocks.get(registration.block());
      fields.add(new Field("lkey", Format.key(table.localKey(registration.firstChunk())), ""));
      fields.add(new Field("rkey", Format.key(table.remoteKey(registration.firstChunk())), ""));
    }
    return new Description(
        "Registration",
        "Memory that was registered in one piece and is accessed with one key.",
        List.of(new Section("", fields)));
  }
}
