// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.file.ImportTarget;
import org.wridscope.recording.file.ImportedFile;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.recording.file.RecordingFormat;
import org.wridscope.recording.file.RecordingWriter;
import org.wridscope.recording.file.SessionHead;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Capture;
import org.wridscope.wire.CaptureListener;
import org.wridscope.wire.Syndrome;
import org.wridscope.wire.WireConnection;
import org.wridscope.wire.WireRequest;

/** Makes sessions of captured packets: two of each migration, and one of all other connections. */
public final class CaptureImporter {
  private static final int MOST_MIGRATIONS = (RecordingFormat.MAX_SESSIONS - 1) / 2;

  private static final String INFERRED =
      "inferred from captured packets: wr_ids do not travel, and times are those at which packets"
          + " passed, of a completion that of its acknowledgement";

  private static final String INFERRED_OF_OURS =
      "inferred from packets that Wridscope wrote: wr_ids do not travel; when requests were posted"
          + " and their completions polled, the file says, other times are those of packets";

  private final Path file;
  private final Capture capture;
  private final RecordingWriter writer;
  private int sessions;

  /** See {@link CaptureOrder}; 0 if the capture tells neither posts nor polls. */
  private long lagNanos;

  /** Whether it tells when completions were polled. */
  private boolean tellsPolls;

  private CaptureImporter(Path file, Capture capture, RecordingWriter writer) {
    this.file = file;
    this.capture = capture;
    this.writer = writer;
  }

  /**
   * Writes what a capture shows as a recording.
   *
   * @throws RecordingException if it has no requests of RoCE or InfiniBand connections
   */
  public static void convert(Path file, RecordingWriter writer) throws IOException {
    Capture capture = Capture.of(file);
    if (capture.connections().isEmpty()) {
      throw new RecordingException(capture.refusal());
    }
    new CaptureImporter(file, capture, writer).convert();
  }

  private void convert() throws IOException {
    Map<Integer, CapturedMessages> facts = facts();
    var migrations = new TreeMap<Integer, CapturedMigration>();
    @Nullable CapturedEnd first = null;
    long tooMany = 0;
    for (WireConnection each : capture.connections()) {
      CapturedMessages messages = facts.get(each.number());
      if (messages != null && messages.isMigration()) {
        if (migrations.size() == MOST_MIGRATIONS) {
          tooMany++;
          continue;
        }
        String uri = "wire:%s-%s".formatted(each.first(), each.second());
        CapturedEnd source = end(Role.SOURCE, uri, each, messages.source());
        CapturedEnd destination = end(Role.DESTINATION, uri, each, 1 - messages.source());
        first = first == null ? source : first;
        migrations.put(each.number(), new CapturedMigration(messages, source, destination));
      }
    }
    boolean all = migrations.size() + tooMany == capture.connections().size();
    CapturedPrograms programs = all ? null : programs();
    var order = new CaptureOrder(new Router(migrations, programs), lagNanos);
    List<String> notes = capture.read(order);
    order.finish();
    for (String note : notes) {
      if (first != null) {
        first.note(note);
      } else if (programs != null) {
        programs.note(note);
      }
    }
    if (first != null && tooMany > 0) {
      first.note(
          "%s left out: a file shows at most %d."
              .formatted(Format.counted(tooMany, "further migration"), MOST_MIGRATIONS));
    }
    for (CapturedMigration each : migrations.values()) {
      each.finish();
    }
    if (programs != null) {
      programs.finish();
    }
  }

  /** What the messages of each connection say about it. */
  private Map<Integer, CapturedMessages> facts() throws IOException {
    var facts = new TreeMap<Integer, CapturedMessages>();
    var open = new OpenCompletions();
    capture.read(
        new CaptureListener() {
          @Override
          public void began(WireConnection connection, int end, WireRequest request, long nanos) {
            if (request.postedNanos() != 0) {
              lagNanos = Math.max(lagNanos, nanos - request.postedNanos());
            }
          }

          @Override
          public void completed(
              WireConnection connection,
              int end,
              WireRequest request,
              WorkCompletionStatus status,
              long nanos) {
            open.add(connection, end, request, nanos);
          }

          @Override
          public void polled(
              WireConnection connection, int end, WireRequest request, long nanos, long toldNanos) {
            for (OpenCompletions.Answered each : open.polled(connection, end, request, nanos)) {
              tellsPolls = true;
              lagNanos = Math.max(lagNanos, toldNanos - each.nanos());
            }
          }

          @Override
          public void sent(WireConnection connection, int end, WireRequest request, long nanos) {
            facts
                .computeIfAbsent(connection.number(), _ -> new CapturedMessages(connection))
                .add(end, request);
          }
        });
    return facts;
  }

  private CapturedEnd end(Role role, String uri, WireConnection connection, int end)
      throws IOException {
    String name = (role == Role.SOURCE ? "source " : "destination ") + connection.side(end);
    return new CapturedEnd(
        target(role, SessionHead.WIRE, name, uri),
        role,
        connection.queuePair(end),
        capture.firstNanos());
  }

  private CapturedPrograms programs() throws IOException {
    String uri = "wire:" + Legible.of(String.valueOf(file.getFileName()));
    return new CapturedPrograms(
        target(Role.SOURCE, SessionHead.WIRE_PROGRAMS, "connections", uri), capture.firstNanos());
  }

  private ImportTarget target(Role role, String program, String name, String uri)
      throws IOException {
    long nanos = capture.firstNanos();
    var head =
        new SessionHead(
            role,
            program,
            name,
            uri,
            "inferred from captured packets",
            tellsPolls ? INFERRED_OF_OURS : INFERRED,
            nanos,
            nanos,
            Instant.EPOCH.plusNanos(nanos));
    return new ImportedFile(writer, head, sessions++);
  }

  /** Passes on what concerns a migration, or a program. */
  private static final class Router implements CaptureOrder.Sink {
    private static final CaptureOrder.Sink NOBODY = new CaptureOrder.Sink() {};

    private final Map<Integer, CapturedMigration> migrations;
    private final @Nullable CapturedPrograms programs;

    Router(Map<Integer, CapturedMigration> migrations, @Nullable CapturedPrograms programs) {
      this.migrations = migrations;
      this.programs = programs;
    }

    private CaptureOrder.Sink of(WireConnection connection) {
      CapturedMigration migration = migrations.get(connection.number());
      return migration != null ? migration : programs != null ? programs : NOBODY;
    }

    @Override
    public void began(WireConnection connection, int end, WireRequest request, long nanos)
        throws IOException {
      of(connection).began(connection, end, request, nanos);
    }

    @Override
    public void posted(WireConnection connection, int end, WireRequest request, long nanos)
        throws IOException {
      of(connection).posted(connection, end, request, nanos);
    }

    @Override
    public void sent(WireConnection connection, int end, WireRequest request, long nanos)
        throws IOException {
      of(connection).sent(connection, end, request, nanos);
    }

    @Override
    public void completed(
        WireConnection connection,
        int end,
        WireRequest request,
        WorkCompletionStatus status,
        long nanos)
        throws IOException {
      of(connection).completed(connection, end, request, status, nanos);
    }

    @Override
    public void repeated(
        WireConnection connection,
        int end,
        WireRequest request,
        boolean otherData,
        int psn,
        long nanos)
        throws IOException {
      of(connection).repeated(connection, end, request, otherData, psn, nanos);
    }

    @Override
    public void refused(
        WireConnection connection,
        int end,
        @Nullable WireRequest request,
        Syndrome syndrome,
        int psn,
        long nanos)
        throws IOException {
      of(connection).refused(connection, end, request, syndrome, psn, nanos);
    }

    @Override
    public void congested(WireConnection connection, int end, long nanos) throws IOException {
      of(connection).congested(connection, end, nanos);
    }

    @Override
    public void disconnecting(WireConnection connection, int end, long nanos) throws IOException {
      of(connection).disconnecting(connection, end, nanos);
    }
  }
}
