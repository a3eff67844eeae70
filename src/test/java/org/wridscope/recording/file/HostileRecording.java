// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.wridscope.control.MigrationReport;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.Wait;

/** Writes a recording of both ends in which every text is the given one. */
public final class HostileRecording {
  private HostileRecording() {}

  public static void write(Path file, String text) throws IOException {
    try (var writer =
        new RecordingWriter(
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
      for (Role role : Role.values()) {
        write(writer, role, text);
      }
    }
  }

  private static void write(RecordingWriter writer, Role role, String text) throws IOException {
    int session = role.ordinal();
    var sink = new ByteSink(1 << 12);
    new SessionHead(role, text, text, text, text, text, 1, 1, Instant.EPOCH).encode(sink);
    writer.block(BlockType.SESSION, session, sink);
    sink.clear();
    var names = new NamesEncoder();
    names.wait(new Wait(Wait.Kind.MACHINE_LOAD, text));
    names.blocks(1, List.of(new BlockShape(text, 1 << 20, 4096)));
    names.note(text);
    names.finish(sink);
    phase(sink, 1);
    phase(sink, 500);
    writer.block(BlockType.NAMES, session, sink);
    sink.clear();
    var events = new EventEncoder();
    events.event(10, EventKind.WAIT_BEGIN, 0, 0, 0, 0);
    events.event(1000, EventKind.WAIT_END, 0, 0, 0, 0);
    events.finish(sink, 0);
    writer.block(BlockType.EVENTS, session, sink);
    sink.clear();
    new SessionEnd(
            true, new SessionOutcome(text, text, SessionOutcome.Origin.PEER), report(text), 0)
        .encode(sink);
    writer.block(BlockType.END, session, sink);
  }

  /** Of a kind that this version does not know. */
  private static void phase(ByteSink sink, long nanos) {
    sink.u8(NamesEncoder.PHASE);
    sink.signed(nanos);
    sink.number(Phase.Kind.values().length);
    sink.number(-1);
  }

  private static MigrationReport report(String text) {
    var queue = new MigrationReport.Completions.Queue(0, 0);
    return new MigrationReport(
        text,
        1,
        null,
        null,
        0,
        null,
        new MigrationReport.Ram(0, 0, 0, 0, 0, 0, null, null, 0, 0, null),
        text,
        text,
        text,
        text,
        text,
        false,
        false,
        false,
        List.of(text),
        Map.of(DowntimePart.LOAD, 1.0),
        new MigrationReport.Completions(queue, queue, queue, 0, 0, 0),
        new MigrationReport.Registrations(0, 0, 0, 0, 0, 0, 0, 0),
        new MigrationReport.Messages(Map.of(text, 1L), Map.of(text, 1L)),
        new MigrationReport.Digests(Map.of(text, text), Map.of(text, text)),
        new MigrationReport.Virtio(0, 0, 0, 0, text, text),
        new MigrationReport.Machine(text, text, new MigrationReport.DirtyLog(text, text, 1, 1, 1)),
        text,
        text,
        0,
        null,
        null);
  }
}
