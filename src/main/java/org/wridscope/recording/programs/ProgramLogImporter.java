// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.programs;

import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Unseen;
import org.wridscope.recording.file.ImportedFile;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.recording.file.RecordingWriter;
import org.wridscope.recording.file.SessionHead;
import org.wridscope.recording.imported.ImportedSession;
import org.wridscope.recording.programs.ProgramLogLine.BadLineException;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;
import org.wridscope.verbs.WorkCompletionStatus;

/** Makes a session of a {@link ProgramLog}. */
public final class ProgramLogImporter {
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ProgramLog log;
  private final RecordingWriter writer;
  private @Nullable ImportedSession session;
  private long lines;
  private long bad;
  private long late;
  private @Nullable String firstBad;

  private ProgramLogImporter(ProgramLog log, RecordingWriter writer) {
    this.log = log;
    this.writer = writer;
  }

  /**
   * Writes a log as a recording of one session.
   *
   * @throws RecordingException if no line of it can be read
   */
  public static void convert(ProgramLog log, RecordingWriter writer) throws IOException {
    var importer = new ProgramLogImporter(log, writer);
    log.forEach(importer::line);
    importer.finish();
  }

  private void line(@Nullable ProgramLogLine line, long number) throws IOException {
    lines++;
    try {
      if (line == null) {
        throw new BadLineException(
            log.columns() == null
                ? "it is no JSON object"
                : "it has another number of fields than the first line");
      }
      add(line);
    } catch (BadLineException e) {
      bad++;
      if (firstBad == null) {
        firstBad = "line %d: %s".formatted(number, e.getMessage());
      }
    }
  }

  /** The session, which begins with its first event. */
  private ImportedSession at(long nanos) throws IOException {
    ImportedSession known = session;
    if (known == null) {
      var head =
          new SessionHead(
              Role.SOURCE,
              SessionHead.LOG,
              Legible.of(String.valueOf(log.file().getFileName())),
              "log:" + Legible.of(String.valueOf(log.file().getFileName())),
              "a device that the log does not name",
              "as the log says",
              nanos,
              nanos,
              Instant.EPOCH.plusNanos(Math.max(0, nanos)));
      known = new ImportedSession(new ImportedFile(writer, head), head.role(), nanos, SAMPLE_NANOS);
      session = known;
      known.begin();
      known.enter(MigrationStatus.ACTIVE);
    }
    late += nanos < known.now() ? 1 : 0;
    known.advance(nanos);
    return known;
  }

  private void add(ProgramLogLine line) throws IOException, BadLineException {
    long nanos = line.nanos();
    switch (line.event()) {
      case "post" -> post(line, nanos);
      case "refused" -> {
        QueueId queue = line.queue();
        long receive = line.isReceive() ? 1L << 32 : 0;
        int errno = (int) line.number("error", 16, 0L);
        int length = (int) line.number("length", 32, 0L);
        long wrid = line.number("wr_id", 64, null);
        at(nanos).event(EventKind.PROGRAM_REFUSED, errno, length, wrid, queue.argument() | receive);
      }
      case "completion" -> completion(line, nanos);
      case "unseen" -> {
        int what =
            switch (line.text()) {
              case "requests" -> 0;
              case "completions" -> 1;
              case "refused" -> 4;
              case "early" -> 5;
              case "packets" -> Unseen.OF_PACKETS;
              default -> 2;
            };
        int count = (int) line.number("length", 32, 1L);
        at(nanos).event(EventKind.PROGRAM_UNSEEN, what, count, 0, 0);
      }
      case "message" -> message(line, nanos);
      case "peer" -> {
        String address = line.text();
        long queue = line.queue().argument();
        ImportedSession at = at(nanos);
        at.event(EventKind.PROGRAM_PEER, at.phrase(address), 0, 0, queue);
      }
      case "register", "deregister" -> {
        int key = (int) line.number("key", 32, 0L);
        long address = line.number("address", 64, 0L);
        long length = line.number("length", 63, 0L);
        EventKind kind =
            line.event().equals("register")
                ? EventKind.PROGRAM_REGISTERED
                : EventKind.PROGRAM_DEREGISTERED;
        at(nanos).event(kind, 0, key, address, length);
      }
      case "wait" -> {
        long wrid = line.number("wr_id", 64, 0L);
        var wait = new Wait(Wait.Kind.OF_PROGRAM, line.text());
        at(nanos).beginWait(wait, wrid);
      }
      case "wait_end" -> at(nanos).endWait();
      default ->
          throw new BadLineException(
              "there is no event %s".formatted(Legible.of(line.event(), 40)));
    }
  }

  private void post(ProgramLogLine line, long nanos) throws IOException, BadLineException {
    long queue = line.queue().argument();
    long wrid = line.number("wr_id", 64, null);
    int length = (int) line.number("length", 32, 0L);
    if (line.isReceive()) {
      at(nanos).event(EventKind.PROGRAM_RECEIVE, 0, length, wrid, queue);
      return;
    }
    int detail = line.requestOpcode() | line.flags() << 8;
    long address = line.number("remote_address", 64, 0L);
    int key = (int) line.number("key", 32, 0L);
    at(nanos).event(EventKind.PROGRAM_POST, detail, length, wrid, queue);
    if (line.hasTarget()) {
      at(nanos).event(EventKind.PROGRAM_TARGET, 0, key, wrid, address);
    }
  }

  private void completion(ProgramLogLine line, long nanos) throws IOException, BadLineException {
    WorkCompletionStatus status = line.status();
    boolean ok = status == WorkCompletionStatus.SUCCESS;
    int side = !line.namesQueue() ? 0 : line.isReceive() ? 2 : 1;
    int what = ok ? line.completionOpcode() : side;
    int length = (int) line.number(ok ? "length" : "vendor_error", 32, 0L);
    long wrid = line.number("wr_id", 64, null);
    long completionQueue = line.number("completion_queue", 31, 0L);
    long queue = line.queue().argument();
    at(nanos)
        .event(
            EventKind.PROGRAM_COMPLETION,
            status.value() | what << 8,
            length,
            wrid,
            queue | completionQueue << 32);
  }

  private void message(ProgramLogLine line, long nanos) throws IOException, BadLineException {
    String text = line.text();
    long received = line.isReceived() ? 1L << 32 : 0;
    long wrid = line.number("wr_id", 64, 0L);
    int length = (int) line.number("length", 32, 0L);
    long queue = line.number("queue_pair", 24, 0L);
    ImportedSession at = at(nanos);
    at.event(
        EventKind.PROGRAM_MESSAGE,
        at.phrase(text),
        length,
        wrid,
        QueueId.ofQueuePair(0, (int) queue).argument() | received);
  }

  private void finish() throws IOException {
    ImportedSession known = session;
    if (known == null) {
      throw new RecordingException(
          firstBad == null
              ? "It has a header and no lines."
              : "None of its lines could be read; %s.".formatted(firstBad));
    }
    if (bad > 0) {
      known.note(
          "%s of %s lines could not be read and were left out; the first is %s."
              .formatted(Format.count(bad), Format.count(lines), firstBad));
    }
    if (!log.unknownColumns().isEmpty()) {
      known.note(
          "These columns are not known and were ignored: %s."
              .formatted(Legible.of(String.join(", ", log.unknownColumns()), 200)));
    }
    if (late > 0) {
      known.note(
          "%s lines are earlier than the one before, and are shown at its time; sort the file by"
                  .formatted(Format.count(late))
              + " time_s.");
    }
    known.enter(MigrationStatus.COMPLETED);
    known.finish("The log ends.");
  }
}
