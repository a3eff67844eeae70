// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;

/** The lines about control messages and the waits for them. */
final class TracedMessages {
  /** {@code IO_BUF_SIZE}, the size of the buffer that QEMU fills from a QEMU FILE message. */
  private static final int STREAM_BUFFER = 32768;

  /** Flags of QEMU's registration hooks: {@code RAM_CONTROL_SETUP}, {@code _ROUND}, …. */
  private static final int SETUP = 0;

  private static final int ROUND = 1;
  private static final int FINISH = 3;

  private final Role role;
  private final TraceLines lines;
  private final TraceBlocks blocks;
  private final TraceForesight foresight;
  private final TracedTransfers transfers;
  private final TracedRegistrations registrations;
  private final boolean comparable;

  private int phase = SETUP;
  private int readies;
  private boolean notified;
  private boolean waitsForReady;

  /** The answer that the source must wait for, null if none is due. */
  private @Nullable ControlType answerDue;

  /** Whether the trace says that it waits for the answer. */
  private boolean waitTraced;

  /** The completion of a receive, which is written once its message is known. */
  private @Nullable Event received;

  TracedMessages(
      Role role,
      TraceLines lines,
      TraceBlocks blocks,
      TraceForesight foresight,
      TracedTransfers transfers,
      TracedRegistrations registrations,
      boolean comparable) {
    this.role = role;
    this.lines = lines;
    this.blocks = blocks;
    this.foresight = foresight;
    this.transfers = transfers;
    this.registrations = registrations;
    this.comparable = comparable;
  }

  private boolean isSource() {
    return role == Role.SOURCE;
  }

  /** A round begins, or the last one. */
  void roundBegins(long nanos, boolean last) throws IOException {
    phase = last ? FINISH : ROUND;
    lines.event(nanos, QemuTraceEvent.REGISTRATION_START, phase);
  }

  // -------------------------------------------------------------------------------------- sending

  void sent(Event event) throws IOException {
    ControlType type = ControlType.of(event.detail());
    if (isSource()) {
      sourceSends(event.nanos(), type);
    } else {
      destinationSends(event.nanos(), type);
    }
    lines.event(event.nanos(), QemuTraceEvent.POST_SEND_CONTROL, text(event.detail()));
  }

  private void sourceSends(long nanos, @Nullable ControlType type) throws IOException {
    ControlType answer =
        switch (type) {
          case RAM_BLOCKS_REQUEST -> ControlType.RAM_BLOCKS_RESULT;
          case REGISTER_REQUEST -> ControlType.REGISTER_RESULT;
          case UNREGISTER_REQUEST -> ControlType.UNREGISTER_FINISHED;
          case null, default -> null;
        };
    if (answer != null) {
      answerDue = answer;
      waitTraced = false;
    }
    if (type == ControlType.RAM_BLOCKS_REQUEST) {
      lines.event(nanos, QemuTraceEvent.REGISTRATION_STOP_RAM);
      registrations.exchange(true);
    } else if (type == ControlType.REGISTER_FINISHED) {
      lines.event(nanos, QemuTraceEvent.REGISTRATION_STOP, phase);
    }
  }

  private void destinationSends(long nanos, @Nullable ControlType type) throws IOException {
    switch (type) {
      case READY -> {
        if (foresight.isForRegistration(readies++)) {
          notifyBlocks(nanos);
          lines.event(nanos, QemuTraceEvent.REGISTRATION_HANDLE_WAIT);
        }
      }
      case RAM_BLOCKS_RESULT -> {
        registrations.exchange(false);
        for (int i = 0; i < blocks.count(); i++) {
          lines.event(
              nanos,
              QemuTraceEvent.REGISTRATION_HANDLE_RAM_BLOCKS_LOOP,
              blocks.name(i),
              blocks.offset(i),
              blocks.length(i),
              blocks.local(i, 0),
              i);
        }
      }
      case null, default -> {
        // no line but its own
      }
    }
  }

  /** The destination has learnt the source's blocks before it enters the registration loop. */
  private void notifyBlocks(long nanos) throws IOException {
    if (!notified) {
      notified = true;
      for (int i = 0; i < blocks.count(); i++) {
        lines.event(nanos, QemuTraceEvent.BLOCK_NOTIFICATION_HANDLE, blocks.name(i), i);
      }
    }
  }

  // ------------------------------------------------------------------------------------ receiving

  /** The completion of a receive. */
  void completed(Event event) {
    received = event;
  }

  /** Writes the pending completion of a receive, if there is one. */
  void completePending() throws IOException {
    completePending(false);
  }

  private void completePending(boolean ready) throws IOException {
    Event completion = received;
    received = null;
    if (completion == null || transfers.failed(completion)) {
      return;
    }
    long nanos = completion.nanos();
    int type = comparable ? WorkRequestId.CONTROL_RECEIVE : WorkRequestId.type(completion.wrid());
    String name = TracedTransfers.name(completion.wrid());
    if (ready) {
      lines.event(
          nanos,
          QemuTraceEvent.POLL_RECV,
          name,
          type - WorkRequestId.CONTROL_RECEIVE,
          type,
          transfers.left());
    }
    lines.event(nanos, QemuTraceEvent.POLL_OTHER, name, type, transfers.left());
  }

  void received(Event event) throws IOException {
    ControlType type = ControlType.of(event.detail());
    if (isSource()) {
      sourceReceives(event, type);
    } else {
      destinationReceives(event, type);
    }
  }

  private void sourceReceives(Event event, @Nullable ControlType type) throws IOException {
    long nanos = event.nanos();
    boolean answers = type != null && type == answerDue;
    if (answers && !waitTraced) {
      // It had come before the source began to wait.
      lines.event(nanos, QemuTraceEvent.EXCHANGE_SEND_WAITING, text(event.detail()));
    }
    completePending(type == ControlType.READY);
    if (type == ControlType.READY && !waitsForReady) {
      // QEMU does not trace a READY that arrives while it waits for something else.
      return;
    }
    lines.event(nanos, QemuTraceEvent.EXCHANGE_GET_RESPONSE_START, text(event.detail()));
    if (answers) {
      answerDue = null;
      lines.event(nanos, QemuTraceEvent.EXCHANGE_SEND_RECEIVED, text(event.detail()));
    }
    if (type == ControlType.RAM_BLOCKS_RESULT) {
      registrations.exchange(false);
    }
  }

  private void destinationReceives(Event event, @Nullable ControlType type) throws IOException {
    long nanos = event.nanos();
    completePending(false);
    if (type == ControlType.QEMU_FILE) {
      lines.event(nanos, QemuTraceEvent.EXCHANGE_GET_RESPONSE_START, text(event.detail()));
      if (event.length() > 0) {
        lines.event(nanos, QemuTraceEvent.FILL, event.length(), STREAM_BUFFER);
      }
      return;
    }
    lines.event(nanos, QemuTraceEvent.EXCHANGE_GET_RESPONSE_START, ControlType.NONE.text());
    lines.event(
        nanos, QemuTraceEvent.EXCHANGE_GET_RESPONSE_NONE, text(event.detail()), event.detail());
    long repeat = Math.max(1, event.argument());
    switch (type) {
      case RAM_BLOCKS_REQUEST -> {
        lines.event(nanos, QemuTraceEvent.REGISTRATION_HANDLE_RAM_BLOCKS);
        registrations.exchange(true);
      }
      case REGISTER_REQUEST -> {
        lines.event(nanos, QemuTraceEvent.REGISTRATION_HANDLE_REGISTER, repeat);
        registrations.requests();
      }
      case UNREGISTER_REQUEST -> {
        lines.event(nanos, QemuTraceEvent.REGISTRATION_HANDLE_UNREGISTER, repeat);
        registrations.requests();
      }
      case REGISTER_FINISHED -> lines.event(nanos, QemuTraceEvent.REGISTRATION_HANDLE_FINISHED);
      case null, default -> {
        // no line but its own
      }
    }
  }

  // ---------------------------------------------------------------------------------------- waits

  /**
   * A wait begins.
   *
   * @return whether QEMU traces it
   */
  boolean waitBegins(Event event, Wait wait) throws IOException {
    waitsForReady = wait.kind() == Wait.Kind.READY;
    if (answerDue == null || !wait.equals(new Wait(Wait.Kind.MESSAGE, answerDue.value()))) {
      return false;
    }
    if (!waitTraced) {
      waitTraced = true;
      lines.event(event.nanos(), QemuTraceEvent.EXCHANGE_SEND_WAITING, answerDue.text());
    }
    return true;
  }

  void waitEnds() {
    waitsForReady = false;
  }

  private static String text(int type) {
    ControlType known = ControlType.of(type);
    return known == null ? "??BAD CONTROL VALUE??" : EventText.control(type);
  }
}
