// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.wridscope.control.FakeSession;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * Measures recording. Writes events into a session's telemetry at a given rate while it is
 * recorded, and prints how many of them reached the file, the bytes per event, the processor time
 * of the recorder, and the time to open the file. Arguments: events per second, and seconds.
 */
public final class RecorderBenchmark {
  private static final int BURST = 500;
  private static final long MIB = 1L << 20;

  private RecorderBenchmark() {}

  @SuppressWarnings("try") // closed early, to read its results
  public static void main(String[] args) throws Exception {
    long rate = args.length > 0 ? Long.parseLong(args[0]) : 1_000_000;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
    Path file = Files.createTempFile("wridscope-recorder-", ".wrs");
    try (var sampler = new Sampler();
        Recorder recorder =
            Recorder.begin(Output.of("file", file, FileKind.RECORDING).replacing())) {
      var session =
          new FakeSession("benchmark", "rdma:127.0.0.1:1", new SessionTelemetry(Role.SOURCE, true));
      sampler.add(session.telemetry());
      recorder.add(session);
      long begin = System.nanoTime();
      long written = write(session.telemetry(), rate, seconds);
      double took = (System.nanoTime() - begin) / 1e9;
      session.end(MigrationStatus.COMPLETED, "done.");
      sampler.remove(session.telemetry());
      recorder.close();
      System.out.printf(
          Locale.ROOT,
          "%,d events in %.2f s (%,.0f/s); left out by the ring %,d, by the recorder %,d;"
              + " recorded %,d, %.2f bytes each%n",
          written,
          took,
          written / took,
          session.telemetry().eventsLeftOut(),
          recorder.leftOut(),
          recorder.events(),
          (double) recorder.bytes() / recorder.events());
      open(file);
      encode();
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** Writes like an engine: writes, their completions, and an occasional message. */
  private static long write(SessionTelemetry telemetry, long rate, int seconds) {
    long begin = System.nanoTime();
    long written = 0;
    int chunk = 0;
    while (System.nanoTime() - begin < seconds * 1_000_000_000L) {
      for (int i = 0; i < BURST; i++) {
        long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, chunk & 0xffff);
        telemetry.event(
            EventKind.POST_WRITE, 1, 1 << 20, wrid, 0x7f0000000000L + (chunk & 0xffff) * MIB);
        telemetry.event(EventKind.COMPLETION_SEND_QUEUE, 0, 1 << 20, wrid, 0);
        chunk++;
      }
      written += 2 * BURST;
      long ahead = (long) (written * 1e9 / rate) - (System.nanoTime() - begin);
      if (ahead > 0) {
        LockSupport.parkNanos(ahead);
      }
    }
    return written;
  }

  private static void open(Path file) throws IOException {
    long begin = System.nanoTime();
    try (Recording recording = Recording.open("file", file)) {
      RecordedSession session = recording.sessions().getFirst();
      double opened = (System.nanoTime() - begin) / 1e6;
      long length = session.lastNanos() - session.firstNanos();
      int moves = 100;
      begin = System.nanoTime();
      for (int i = 0; i < moves; i++) {
        session.moveTo(session.firstNanos() + length * (moves - i) / moves);
      }
      System.out.printf(
          Locale.ROOT,
          "opened in %.0f ms; moved back a hundredth %d times in %.2f ms each%n",
          opened,
          moves,
          (System.nanoTime() - begin) / 1e6 / moves);
    }
  }

  /** Measures encoding alone, which is the recorder's work per event. */
  private static void encode() {
    var encoder = new EventEncoder();
    var sink = new ByteSink(1 << 18);
    long count = 0;
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < 2_000_000_000L) {
      for (int i = 0; i < 10_000; i++) {
        long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, i & 0xffff);
        encoder.event(count * 900, EventKind.POST_WRITE, 1, 1 << 20, wrid, i * MIB);
        count++;
        if (encoder.isFull()) {
          sink.clear();
          encoder.finish(sink, 0);
        }
      }
    }
    System.out.printf(
        Locale.ROOT, "encoding alone: %,.0f events/s%n", count * 1e9 / (System.nanoTime() - begin));
  }
}
