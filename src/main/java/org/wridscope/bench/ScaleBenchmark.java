// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;

/**
 * Measures what RAM costs that a guest never touched: guests with more and more RAM in sparse files
 * are migrated over TCP, recorded, captured and restored.
 */
public final class ScaleBenchmark {
  public static final long SMALLEST = 1L << 30;

  private static final int GROWTH = 4;

  /** A guest has touched one in so many chunks, if there is memory for that. */
  private static final int SPARSENESS = 100;

  /** Of what was touched, the most that are in files and in memory at a time. */
  private static final int COPIES = 4;

  /** The share of the memory of this machine that is used: one in so many. */
  private static final int SHARE = 2;

  private static final int CHUNK = 1 << 20;
  private static final double MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Duration DOWNTIME_LIMIT = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofMinutes(20);

  private final SessionManager manager;
  private final SessionManager destinations;
  private final BenchmarkRounds rounds;

  /**
   * @param destinations another manager, so that both ends are connected over TCP
   */
  public ScaleBenchmark(
      SessionManager manager, SessionManager destinations, BenchmarkRounds rounds) {
    this.manager = manager;
    this.destinations = destinations;
    this.rounds = rounds;
  }

  /**
   * The results, by RAM.
   *
   * @param heapLimit of this process, which has both ends, in bytes
   */
  public record Results(List<Size> results, long heapLimit) {}

  /**
   * What one size of RAM costs.
   *
   * @param folder where the files were
   * @param whole of the guest
   * @param touchedAlone of a guest that has only what this one has touched, in the same run
   * @param heapBytes in use afterwards, while the sessions of the guest are still shown
   */
  record Size(
      long ramBytes,
      long touchedBytes,
      String folder,
      Times whole,
      Times touchedAlone,
      long heapBytes) {

    /** The most that anything takes longer than with what was touched alone, in milliseconds. */
    double mostBeyond() {
      double[] all = whole.all();
      double[] alone = touchedAlone.all();
      return IntStream.range(0, all.length).mapToDouble(i -> all[i] - alone[i]).max().orElse(0);
    }
  }

  /**
   * Milliseconds, with the comparison of all RAM.
   *
   * @param migration from one sparse file to another
   * @param recorded a migration with a recording of both ends
   * @param replay opening the recording and moving both ends to its end
   * @param capture to the file of a stream, which has nothing of pages that are zero
   * @param restore from that file to a sparse one
   */
  record Times(double migration, double recorded, double replay, double capture, double restore) {

    private double[] all() {
      return new double[] {migration, recorded, replay, capture, restore};
    }
  }

  /**
   * Measures.
   *
   * @param most RAM of the largest guest, in bytes
   * @throws IOException if a migration did not complete, or was not verified
   */
  public Results run(long most) throws IOException, InterruptedException {
    long[] sizes =
        LongStream.iterate(SMALLEST, size -> size <= most, size -> size * GROWTH).toArray();
    var results = new ArrayList<Size>();
    for (long ramBytes : sizes) {
      long touched = touched(ramBytes);
      try (var folder = BenchmarkFolder.inMemory(COPIES * touched)) {
        results.add(measure(ramBytes, touched, folder.path()));
      }
    }
    return new Results(List.copyOf(results), Runtime.getRuntime().maxMemory());
  }

  private Size measure(long ramBytes, long touched, Path folder)
      throws IOException, InterruptedException {
    // What is measured first runs in the interpreter.
    if (ramBytes == SMALLEST) {
      Times _ = times(touched, touched, folder);
      removeSessions();
    }
    Times alone = times(touched, touched, folder);
    // They have their copies in memory.
    removeSessions();
    Times whole = times(ramBytes, touched, folder);
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long heap = runtime.totalMemory() - runtime.freeMemory();
    removeSessions();
    return new Size(ramBytes, touched, String.valueOf(folder.getParent()), whole, alone, heap);
  }

  /** Bytes that are not zero. */
  private static long touched(long ramBytes) {
    long most = Math.max(1, AvailableMemory.bytesHere() / SHARE / COPIES / CHUNK);
    return CHUNK * Math.min(most, Math.ceilDiv(ramBytes / CHUNK, SPARSENESS));
  }

  private Times times(long ramBytes, long touched, Path folder)
      throws IOException, InterruptedException {
    Path ram = folder.resolve("ram");
    Path recording = folder.resolve("recording.wrs");
    Path captured = folder.resolve("captured");
    try {
      write(ram, ramBytes, touched / CHUNK);
      var image = new GuestSettings.Image(ram, null, ramBytes);
      double migration = toFile(image, ramBytes, folder, null);
      double recorded = toFile(image, ramBytes, folder, recording);
      double replay = replay(recording);
      double capture =
          migrate(
              image,
              new GuestSettings.Capture(Output.of("capture", captured, FileKind.STREAM)),
              null);
      double restore = toFile(new GuestSettings.Restore(captured), ramBytes, folder, null);
      return new Times(migration, recorded, replay, capture, restore);
    } finally {
      for (Path file : List.of(ram, recording, captured)) {
        Files.deleteIfExists(file);
      }
    }
  }

  private void removeSessions() {
    List.copyOf(manager.sessions()).forEach(manager::remove);
    List.copyOf(destinations.sessions()).forEach(destinations::remove);
  }

  /** As {@link #migrate}, to a sparse file, which is removed. */
  private double toFile(GuestSettings from, long ramBytes, Path folder, @Nullable Path recording)
      throws IOException, InterruptedException {
    Path copy = folder.resolve("copy");
    try {
      return migrate(
          from,
          new GuestSettings.Image(null, Output.of("copy", copy, FileKind.RAM), ramBytes),
          recording);
    } finally {
      Files.deleteIfExists(copy);
    }
  }

  /** Writes a sparse file in which so many chunks are not zero. */
  private static void write(Path ram, long ramBytes, long touched) throws IOException {
    long chunks = ramBytes / CHUNK;
    var random = new SplittableRandom(ramBytes);
    try (FileChannel file =
        FileChannel.open(
            ram,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
      file.write(ByteBuffer.allocate(1), ramBytes - 1);
      var bytes = new byte[CHUNK];
      for (long i = 0; i < touched; i++) {
        random.nextBytes(bytes);
        // One chunk in each of as many equal parts.
        long at = i * chunks / touched + random.nextLong(Math.max(1, chunks / touched));
        file.write(ByteBuffer.wrap(bytes), at * CHUNK);
      }
    }
  }

  /** Milliseconds that a migration takes. */
  private double migrate(GuestSettings from, GuestSettings to, @Nullable Path recording)
      throws IOException, InterruptedException {
    rounds.requireNotInterrupted();
    var device = new DeviceChoice.Software();
    Recorder recorder =
        recording == null
            ? null
            : Recorder.begin(Output.of("the recording", recording, FileKind.RECORDING));
    try {
      Session destination =
          destinations.startDestination(
              new DestinationSettings("rdma:127.0.0.1:0", device, to)
                  .with(MigrationSetting.TIMEOUT, TIMEOUT));
      long start = System.nanoTime();
      Session source =
          manager.startSource(
              new SourceSettings(
                  destination.uri(),
                  device,
                  new MigrationSettings(from)
                      .with(MigrationSetting.DOWNTIME_LIMIT, DOWNTIME_LIMIT)
                      .with(MigrationSetting.TIMEOUT, TIMEOUT)));
      if (recorder != null) {
        recorder.add(source);
        recorder.add(destination);
      }
      rounds.awaitEnd(source, destination, TIMEOUT);
      long nanos = System.nanoTime() - start;
      if (destination.status() != MigrationStatus.COMPLETED || !source.report().verified()) {
        throw new IOException(
            "A migration did not complete with equal RAM (%s %s), so there are no results."
                .formatted(source.outcome(), destination.outcome()));
      }
      return nanos / MILLISECOND;
    } finally {
      if (recorder != null) {
        recorder.close();
      }
    }
  }

  /** Milliseconds until a recording shows the end of both sessions. */
  private static double replay(Path file) throws IOException {
    long start = System.nanoTime();
    try (Recording recording = Recording.open("the recording", file)) {
      for (RecordedSession session : recording.sessions()) {
        session.moveTo(session.lastNanos());
      }
    }
    return (System.nanoTime() - start) / MILLISECOND;
  }

  /** The results as a table. */
  public static List<String> table(Results results) {
    var lines = new ArrayList<String>();
    lines.add(
        "%12s %12s %10s %10s %10s %10s %10s %10s %12s"
            .formatted(
                "RAM",
                "touched",
                "move ms",
                "record ms",
                "replay ms",
                "capture ms",
                "restore ms",
                "beyond ms",
                "heap"));
    for (Size size : results.results()) {
      String touched = Format.bytes(size.touchedBytes);
      lines.add(
          line(
              Format.bytes(size.ramBytes),
              touched,
              size.whole,
              "%.0f".formatted(size.mostBeyond()),
              Format.bytes(size.heapBytes)));
      lines.add(line(touched, "all of it", size.touchedAlone, "", ""));
    }
    String folders =
        results.results().stream()
            .map(Size::folder)
            .distinct()
            .collect(Collectors.joining(" and "));
    lines.add(
        "files in %s; both ends in this process, whose heap has at most %s"
            .formatted(folders, Format.bytes(results.heapLimit)));
    return lines;
  }

  private static String line(String ram, String touched, Times times, String beyond, String heap) {
    return String.format(
            Locale.ROOT,
            "%12s %12s %10.0f %10.0f %10.0f %10.0f %10.0f %10s %12s",
            ram,
            touched,
            times.migration,
            times.recorded,
            times.replay,
            times.capture,
            times.restore,
            beyond,
            heap)
        .stripTrailing();
  }
}
