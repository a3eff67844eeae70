// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.EventKind;

/** Writes the lines of a trace log. */
final class TraceLines {
  private final RecordedSession session;
  private final QemuTraceText.Form form;
  private final QemuTraceText.Out out;

  TraceLines(RecordedSession session, QemuTraceText.Form form, QemuTraceText.Out out) {
    this.session = session;
    this.form = form;
    this.out = out;
  }

  /** Writes a trace event of QEMU's RDMA migration. */
  void event(long nanos, QemuTraceEvent event, Object... values) throws IOException {
    timed(nanos, event.line(values));
  }

  /** Writes a line with thread and time, if lines have them. */
  void timed(long nanos, String text) throws IOException {
    if (form.times() && !form.comparable()) {
      Instant when = session.wallClock(nanos);
      out.line(
          String.format(
              Locale.ROOT,
              "%d@%d.%06d:%s",
              session.role().ordinal() + 1,
              when.getEpochSecond(),
              when.getNano() / 1000,
              text));
    } else {
      out.line(text);
    }
  }

  /** Writes a message that QEMU prints to standard error, which has no time. */
  void message(String text) throws IOException {
    out.line(text);
  }

  /** Writes an event that QEMU does not have, if those are wanted. */
  void own(long nanos, EventKind kind, String text) throws IOException {
    if (form.all()) {
      timed(
          nanos, QemuTraceText.OWN + "%s %s".formatted(kind.name().toLowerCase(Locale.ROOT), text));
    }
  }
}
