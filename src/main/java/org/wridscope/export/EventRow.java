// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.RequestKind;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.WirePacket;

/** A row of {@link ExportTable#EVENTS}. */
record EventRow(Session session, Event event, Clock clock) {
  static final List<Column<EventRow>> COLUMNS =
      List.of(
          new Column<>("end", row -> EndReading.end(row.session)),
          new Column<>("number", row -> row.event.number()),
          new Column<>("time_s", row -> row.clock.seconds(row.event.nanos())),
          new Column<>("utc", row -> row.clock.utc(row.event.nanos())),
          new Column<>("kind", row -> row.event.kind().name()),
          new Column<>("wrid", EventRow::wrid),
          new Column<>("work", EventRow::work),
          new Column<>("block", row -> row.decodes() ? block(row.event.wrid()) : null),
          new Column<>(
              "block_name", row -> row.decodes() ? blockName(row.event.wrid(), row.session) : null),
          new Column<>("chunk", row -> row.decodes() ? chunk(row.event.wrid()) : null),
          new Column<>("detail", row -> row.event.detail()),
          new Column<>("length", row -> row.event.length()),
          new Column<>("argument", row -> row.event.argument()),
          new Column<>("text", row -> EventText.summary(row.event, row.session.telemetry())));

  static void forEach(SessionPair ends, Clock clock, Meter meter, RowSink<EventRow> sink)
      throws IOException {
    for (Session session : ends.sessions()) {
      EventFeed.forEach(session, meter, event -> sink.row(new EventRow(session, event, clock)));
    }
  }

  private @Nullable String work() {
    return switch (event.kind()) {
      case POST_SEND,
          POST_WRITE,
          POST_RECEIVE,
          COMPLETION_SEND_QUEUE,
          COMPLETION_RECEIVE_QUEUE,
          CONTROL_SENT,
          CONTROL_RECEIVED,
          COMPLETION_DROPPED,
          SENT_AGAIN,
          COMPLETION_MET,
          WAIT_BEGIN ->
          event.wrid() == 0 ? null : RequestKind.of(event.wrid()).name();
      case WIRE_RETRANSMISSION, WIRE_NAK ->
          event.wrid() == 0 || !decodes() ? null : RequestKind.of(event.wrid()).name();
      default -> null;
    };
  }

  /** Whether the wrid is one of QEMU's, which names a block and a chunk. */
  private boolean decodes() {
    return event.kind().ofWire() ? !WirePacket.of(event).ofProgram() : !event.kind().ofProgram();
  }

  /** Of a migration, no request has the wrid 0; of a program, one may. */
  private @Nullable String wrid() {
    boolean has = event.wrid() != 0 || (event.kind().ofWire() ? hasRequest() : isOfRequest());
    return has ? wrid(event.wrid()) : null;
  }

  private boolean hasRequest() {
    return WirePacket.of(event).hasWrid();
  }

  /** Whether it is about a request of a program. */
  private boolean isOfRequest() {
    return event.kind().ofProgram()
        && event.kind() != EventKind.PROGRAM_UNSEEN
        && event.kind() != EventKind.PROGRAM_PEER
        && event.kind() != EventKind.PROGRAM_MODIFIED
        && event.kind() != EventKind.PROGRAM_PATH
        && event.kind() != EventKind.PROGRAM_REGIONS
        && event.kind() != EventKind.PROGRAM_REGION_REFUSED
        && event.kind() != EventKind.PROGRAM_POLLED_EMPTY;
  }

  /** In hexadecimal, because a spreadsheet keeps only fifteen digits of a number. */
  static String wrid(long wrid) {
    return "0x" + Long.toHexString(wrid);
  }

  private static boolean hasChunk(long wrid) {
    return WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE;
  }

  static @Nullable Integer block(long wrid) {
    return hasChunk(wrid) ? WorkRequestId.block(wrid) : null;
  }

  static @Nullable String blockName(long wrid, Session session) {
    List<ChunkTable> blocks = session.telemetry().blocks();
    int block = WorkRequestId.block(wrid);
    return hasChunk(wrid) && block < blocks.size() ? blocks.get(block).name() : null;
  }

  static @Nullable Long chunk(long wrid) {
    return hasChunk(wrid) ? WorkRequestId.chunk(wrid) : null;
  }
}
