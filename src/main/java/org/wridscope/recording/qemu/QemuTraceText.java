// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import org.wridscope.analysis.EventText;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.file.Names;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;

/**
 * Writes the events of a recorded session as QEMU 7.2 would trace them, so that logs of both can be
 * compared, and so that the log can be opened again. {@link QemuTraceEvent} says how each of QEMU's
 * trace events comes about. Events without a trace event in QEMU are omitted, or written under
 * names of our own.
 */
public final class QemuTraceText {
  /** Begins the names of events that QEMU does not have. */
  static final String OWN = "wridscope_";

  private final RecordedSession session;
  private final Names names;
  private final TraceLines lines;
  private final TraceForesight foresight;
  private final TracedTransfers transfers;
  private final TracedRegistrations registrations;
  private final TracedMessages messages;
  private final TracedBeginning beginning;
  private long waitedWrid;
  private boolean lastRound;
  private long lastNanos;

  /**
   * The format of lines.
   *
   * @param times whether each line starts with thread and time, as with {@code -msg timestamp=on}
   * @param comparable whether values that differ between runs are replaced: addresses become
   *     relative to their block; keys and the numbers of receive buffers become 0
   * @param all whether events without a trace event in QEMU are written as well
   */
  public record Form(boolean times, boolean comparable, boolean all) {}

  /** Receives lines without line ends. */
  @FunctionalInterface
  public interface Out {
    void line(String line) throws IOException;
  }

  private QemuTraceText(RecordedSession session, Form form, Out out) throws IOException {
    this.session = session;
    names = session.names();
    lines = new TraceLines(session, form, out);
    var blocks = new TraceBlocks(names, form.comparable);
    foresight = TraceForesight.of(session);
    Role role = session.role();
    transfers = new TracedTransfers(role, lines, blocks, form.comparable);
    registrations = new TracedRegistrations(role, lines, blocks, foresight, form.comparable);
    messages =
        new TracedMessages(
            role, lines, blocks, foresight, transfers, registrations, form.comparable);
    beginning = new TracedBeginning(session, lines, blocks, foresight);
    lastNanos = session.firstNanos();
  }

  /** Writes all events of a session, independently of its position. */
  public static void write(RecordedSession session, Form form, Out out) throws IOException {
    var text = new QemuTraceText(session, form, out);
    session.forEachEvent(text::event);
    text.end();
  }

  private void event(Event event) throws IOException {
    lastNanos = event.nanos();
    if (event.kind() == EventKind.UNREGISTER) {
      // QEMU queues a chunk in the course of the completion of a write to it.
      transfers.writeCovered(event.wrid(), event.length());
    } else {
      transfers.writeCovered();
    }
    if (event.kind() != EventKind.CONTROL_RECEIVED) {
      messages.completePending();
    }
    // A source changes its status before it resolves the host.
    boolean starts =
        session.role() == Role.SOURCE
            && event.kind() == EventKind.STATUS
            && event.detail() == MigrationStatus.SETUP.ordinal();
    if (!starts) {
      beginning.begin(event.nanos());
    }
    write(event);
    if (starts) {
      beginning.begin(event.nanos());
    }
  }

  private void write(Event event) throws IOException {
    long nanos = event.nanos();
    EventKind kind = event.kind();
    switch (kind) {
      case CONTROL_SENT -> {
        messages.sent(event);
        transfers.messagePosted(event);
      }
      case COMPLETION_SEND_QUEUE -> transfers.completed(event);
      case COMPLETION_RECEIVE_QUEUE -> messages.completed(event);
      case CONTROL_RECEIVED -> messages.received(event);
      case POST_WRITE -> transfers.posted(event);
      case REGISTERED -> registrations.registered(event);
      case DEREGISTERED -> registrations.deregistered(event);
      case KEY_REQUESTED -> registrations.keyRequested(event);
      case KEY_GIVEN -> registrations.keyGiven(event);
      case UNREGISTER -> registrations.unregister(event);
      case ZERO -> transfers.zero(event);
      case STATUS -> status(event);
      case ROUND_BEGIN -> {
        lines.timed(nanos, "migration_bitmap_sync_start ");
        // QEMU reports no dirty pages for the first round.
        lines.timed(
            nanos,
            "migration_bitmap_sync_end dirty_pages "
                + (event.detail() == 1 ? 0 : event.argument() >> RamBlock.PAGE_SHIFT));
        messages.roundBegins(nanos, lastRound);
      }
      case GUEST_PAUSED -> {
        lastRound = true;
        lines.timed(nanos, "migration_completion_vm_stop ret 0");
      }
      case ESTABLISHED -> beginning.established(nanos);
      case DISCONNECTING -> {
        registrations.close();
        if (beginning.isEstablished()) {
          lines.event(nanos, QemuTraceEvent.CLOSE);
          lines.event(nanos, QemuTraceEvent.CLEANUP_DISCONNECT);
        }
      }
      case WAIT_BEGIN -> waitBegins(event);
      case WAIT_END -> {
        messages.waitEnds();
        lines.own(nanos, kind, names.wait(event.detail()).text());
      }
      case COMPLETION_DROPPED, COMPLETION_MET -> {
        long wanted = event.argument() == 0 ? waitedWrid : event.argument();
        lines.event(
            nanos,
            QemuTraceEvent.BLOCK_FOR_WRID_MISS,
            TracedTransfers.name(wanted),
            WorkRequestId.type(wanted),
            TracedTransfers.name(event.wrid()),
            WorkRequestId.type(event.wrid()));
      }
      case POST_SEND,
          POST_RECEIVE,
          ROUND_END,
          GUEST_RESUMED,
          OPERATED,
          CONNECTION,
          ASYNC,
          DEVICE_OPENED,
          SENT_AGAIN,
          WIRE_RETRANSMISSION,
          WIRE_NAK,
          WIRE_CNP,
          DEVICE_COUNTED,
          PROGRAM_POST,
          PROGRAM_TARGET,
          PROGRAM_IMMEDIATE,
          PROGRAM_RECEIVE,
          PROGRAM_COMPLETION,
          PROGRAM_REFUSED,
          PROGRAM_UNSEEN,
          PROGRAM_MESSAGE,
          PROGRAM_REGISTERED,
          PROGRAM_DEREGISTERED,
          PROGRAM_PEER,
          PROGRAM_MODIFIED,
          PROGRAM_PATH,
          PROGRAM_REGIONS,
          PROGRAM_REGION_REFUSED,
          PROGRAM_POLLED_EMPTY ->
          lines.own(
              nanos,
              kind,
              "detail %d length %d wrid %d"
                  .formatted(event.detail(), event.length(), event.wrid()));
    }
  }

  private void waitBegins(Event event) throws IOException {
    waitedWrid = event.wrid();
    Wait wait = names.wait(event.detail());
    if (wait.kind() == Wait.Kind.SEND_CONTEXT) {
      lines.event(event.nanos(), QemuTraceEvent.WRITE_ONE_QUEUE_FULL);
    } else if (!messages.waitBegins(event, wait)) {
      lines.own(event.nanos(), event.kind(), wait.text());
    }
  }

  private void status(Event event) throws IOException {
    lastRound |= event.detail() == MigrationStatus.DEVICE.ordinal();
    MigrationStatus[] all = MigrationStatus.values();
    if (event.detail() < all.length && all[event.detail()].isEnd()) {
      registrations.end(event.nanos());
    }
    lines.timed(event.nanos(), "migrate_set_state new state " + EventText.status(event.detail()));
  }

  private void end() throws IOException {
    transfers.writeCovered();
    messages.completePending();
    beginning.begin(lastNanos);
  }
}
