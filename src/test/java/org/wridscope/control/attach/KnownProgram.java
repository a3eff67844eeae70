// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;

/** {@code known.c}, which posts a known list of requests and writes it to a file. */
public final class KnownProgram {
  private KnownProgram() {}

  private static boolean isInstalled(String program) {
    return List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Compiles it with this machine's compiler. */
  public static Path compiled(Path folder) throws Exception {
    assumeThat(isInstalled("gcc")).as("gcc is installed").isTrue();
    assumeThat(Path.of("/usr/include/infiniband/verbs.h"))
        .as("the package libibverbs-dev is installed")
        .exists();
    Path source = folder.resolve("known.c");
    try (InputStream resource = KnownProgram.class.getResourceAsStream("known.c")) {
      Files.copy(Objects.requireNonNull(resource), source);
    }
    Path known = folder.resolve("known");
    run("gcc", "-O1", "-o", known.toString(), source.toString(), "-libverbs");
    return known;
  }

  /** Runs a command to its end. */
  public static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  /**
   * Events of its session, in its words, and how many polls were empty; without the counters of the
   * device.
   *
   * @param peer the peer of an event
   */
  public static List<String> lines(List<Event> events, Function<Event, String> peer) {
    Map<Long, Long> empty = new TreeMap<>();
    var lines = new ArrayList<String>();
    for (Event event : events) {
      if (event.kind() == EventKind.PROGRAM_POLLED_EMPTY) {
        long polls = Integer.toUnsignedLong(event.length());
        empty.merge(event.argument() >>> 32, polls, Long::sum);
      } else if (event.kind() != EventKind.DEVICE_COUNTED) {
        lines.add(line(event, peer));
      }
    }
    empty.forEach((queue, polls) -> lines.add("empty CQ %d %d".formatted(queue, polls)));
    return lines;
  }

  private static String line(Event event, Function<Event, String> peer) {
    String queue = QueueId.ofArgument(event.argument()).text();
    String wrid = Long.toHexString(event.wrid());
    String length = Integer.toUnsignedString(event.length());
    int low = event.detail() & 0xff;
    int high = event.detail() >>> 8;
    return switch (event.kind()) {
      case PROGRAM_POST -> "post %s %s %d %d %s".formatted(queue, wrid, low, high, length);
      case PROGRAM_TARGET -> "target %s %x %x".formatted(wrid, event.argument(), event.length());
      case PROGRAM_RECEIVE -> "receive %s %s %s".formatted(queue, wrid, length);
      case PROGRAM_REFUSED -> "refused %s %s %d %s".formatted(queue, wrid, event.detail(), length);
      case PROGRAM_COMPLETION ->
          "completion %s CQ %d %s %d %d %s"
              .formatted(queue, event.argument() >>> 32, wrid, low, low == 0 ? high : -1, length);
      case PROGRAM_UNSEEN -> "unseen %d %s".formatted(event.detail(), length);
      case PROGRAM_PEER -> "peer %s %s".formatted(queue, peer.apply(event));
      case PROGRAM_MODIFIED -> {
        QueuePairChange set = QueuePairChange.of(event);
        yield "modified %s %d %x %d %d %d %d %d %d %d %x"
            .formatted(
                set.queue().text(),
                set.errno(),
                set.mask(),
                set.state(),
                set.pathMtu(),
                set.port(),
                set.timeout(),
                set.retries(),
                set.rnrRetries(),
                set.minRnrTimer(),
                set.access());
      }
      case PROGRAM_PATH -> {
        QueuePairPath path = QueuePairPath.of(event);
        yield "path %s %x %d %d %d"
            .formatted(
                path.queue().text(),
                path.mask(),
                path.queuePair(),
                path.sendPsn(),
                path.receivePsn());
      }
      case PROGRAM_REGIONS ->
          "regions %d %s %d".formatted(event.detail(), length, event.argument());
      case PROGRAM_REGISTERED ->
          "registered %s %d %x".formatted(wrid, event.argument(), event.length());
      case PROGRAM_DEREGISTERED ->
          "deregistered %s %d %x".formatted(wrid, event.argument(), event.length());
      case PROGRAM_REGION_REFUSED ->
          "region refused %s %s %d %d".formatted(length, wrid, event.argument(), event.detail());
      default -> event.toString();
    };
  }
}
