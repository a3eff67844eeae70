// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.verbs.OpcodeNames;

/**
 * A row of {@link ExportTable#REQUESTS}; valid until the next row.
 *
 * @param id its number within its queue
 */
record RequestRow(Session session, WorkRequests all, long id, Clock clock) {
  static final List<Column<RequestRow>> COLUMNS =
      List.of(
          new Column<>("end", row -> EndReading.end(row.session)),
          new Column<>("queue", row -> row.all.queue().text()),
          new Column<>("number", row -> row.id),
          new Column<>("kind", row -> row.all.kind(row.id).name()),
          new Column<>("wrid", row -> EventRow.wrid(row.wrid())),
          new Column<>("block", row -> row.ofProgram() ? null : EventRow.block(row.wrid())),
          new Column<>(
              "block_name",
              row -> row.ofProgram() ? null : EventRow.blockName(row.wrid(), row.session)),
          new Column<>("chunk", row -> row.ofProgram() ? null : EventRow.chunk(row.wrid())),
          new Column<>("message", RequestRow::message),
          new Column<>("length_bytes", row -> Integer.toUnsignedLong(row.all.length(row.id))),
          new Column<>("signaled", row -> row.all.knowsFlags() ? row.all.signaled(row.id) : null),
          new Column<>(
              "posted_s",
              row ->
                  row.all.isPostKnown(row.id)
                      ? row.clock.seconds(row.all.postedNanos(row.id))
                      : null),
          new Column<>(
              "completed_s",
              row -> row.open() ? null : row.clock.seconds(row.all.endedNanos(row.id))),
          new Column<>("latency_us", RequestRow::latency),
          new Column<>("status", row -> row.open() ? null : row.all.status(row.id).name()),
          new Column<>("covered_by", RequestRow::coveredBy),
          new Column<>("overtook", row -> row.all.overtook(row.id)),
          new Column<>("overtaken", row -> row.all.overtaken(row.id)),
          new Column<>("dropped", row -> row.all.dropped(row.id)),
          new Column<>("met", row -> row.all.met(row.id)),
          new Column<>(
              "post_event", row -> row.all.isPostKnown(row.id) ? row.all.postEvent(row.id) : null),
          new Column<>("completion_event", row -> row.open() ? null : row.all.endEvent(row.id)),
          new Column<>(
              "program_queue", row -> row.ofProgram() ? row.all.queueId(row.id).text() : null),
          new Column<>("opcode", RequestRow::opcode),
          new Column<>(
              "send_flags",
              row ->
                  row.isProgramSend() && row.all.knowsFlags() ? row.all.sendFlags(row.id) : null),
          new Column<>("wrid_means", RequestRow::meaning),
          new Column<>("peer", row -> row.all.peer(row.id)));

  /** Number of events between two searches for settled requests. */
  private static final int STEP = 1 << 12;

  /**
   * A request is settled this many events after its completion: later events do not change it, for
   * example by a drop.
   */
  private static final int SETTLED = 1 << 10;

  /** An open request is written once this many later requests of its queue were posted. */
  private static final int PATIENCE = 1 << 15;

  private static final long KEPT = 1 << 17;

  static void forEach(SessionPair ends, Clock clock, Meter meter, RowSink<RequestRow> sink)
      throws IOException {
    for (Session session : ends.sessions()) {
      var walk = new Walk(session, clock, sink);
      EventFeed.forEach(
          session,
          meter,
          event -> {
            walk.requests.take(event);
            if (event.number() % STEP == 0) {
              walk.writeSettled(event.number() - SETTLED, PATIENCE);
            }
          });
      walk.writeSettled(Long.MAX_VALUE, -1);
    }
  }

  /** Iterates over the requests of both queues in the order of their posts. */
  private static final class Walk {
    private final Session session;
    private final Clock clock;
    private final RowSink<RequestRow> sink;
    private final Requests requests;
    private final long[] next = new long[QueueType.values().length];

    Walk(Session session, Clock clock, RowSink<RequestRow> sink) {
      this.session = session;
      this.clock = clock;
      this.sink = sink;
      requests = new Requests(session.telemetry(), KEPT);
    }

    void writeSettled(long beforeEvent, int patience) throws IOException {
      for (QueueType queue : QueueType.values()) {
        WorkRequests all = requests.of(queue);
        long id = next[queue.ordinal()];
        while (id < all.end()
            && (all.end() - id > patience || (!all.isOpen(id) && all.endEvent(id) < beforeEvent))) {
          sink.row(new RequestRow(session, all, id++, clock));
        }
        next[queue.ordinal()] = id;
      }
    }
  }

  private long wrid() {
    return all.wrid(id);
  }

  /** Whether it is of a program that is not ours, whose wrids are not QEMU's. */
  private boolean ofProgram() {
    return all.ofProgram(id);
  }

  private boolean isProgramSend() {
    return ofProgram() && all.queue() == QueueType.SEND;
  }

  private @Nullable String meaning() {
    String means = ofProgram() ? session.telemetry().wrids().text(wrid()) : "";
    return means.isEmpty() ? null : means;
  }

  private @Nullable String opcode() {
    return isProgramSend() ? OpcodeNames.ofRequest(all.opcode(id)) : null;
  }

  private boolean open() {
    return all.isOpen(id);
  }

  private @Nullable String message() {
    int type = all.controlType(id);
    return type == 0 ? null : EventText.control(type);
  }

  private @Nullable Object latency() {
    return open() || !all.isPostKnown(id)
        ? null
        : Clock.micros(all.endedNanos(id) - all.postedNanos(id));
  }

  private @Nullable Long coveredBy() {
    long by = all.coveredBy(id);
    return by == WorkRequests.NONE ? null : by;
  }
}
