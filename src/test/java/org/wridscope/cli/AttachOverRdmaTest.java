// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.recording.RecordedSession;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.QueueId;
import org.wridscope.verbs.rdma.RdmaDevices;

/** Programs that are not ours, as attaching to them records them. */
@Tag("rdma")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AttachOverRdmaTest {
  private static String device = "";

  /** The program, compiled once with this machine's compiler. */
  private static Path program = Path.of("");

  @TempDir private Path folder;

  @BeforeAll
  static void compile(@TempDir Path compiled) throws Exception {
    device = RdmaDevices.list().getFirst().name();
    program = compiled(compiled);
  }

  private static boolean isInstalled(String program) {
    return List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Every field of a known list of requests, as the program itself writes it. */
  @Test
  void aKnownProgram_isRecordedFieldByField() throws Exception {
    assumeThat(isInstalled("bpftrace")).as("bpftrace is installed").isTrue();
    Path told = folder.resolve("told");
    Path recording = folder.resolve("known.wrs");
    Path metrics = folder.resolve("known.prom");

    CommandRun run =
        CommandRun.withPath(
            "attach",
            "--metrics-file=" + metrics,
            "--record",
            recording.toString(),
            "--",
            program.toString(),
            device,
            told.toString());

    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.err()).contains("ended with status 0");
    assertThat(run.out()).startsWith("attached");
    assertThat(lines(recording)).isEqualTo(Files.readAllLines(told));
    assertThat(run.out())
        .contains("8 completions whose post was not seen")
        .contains("2 refused by the post function")
        .contains("1 unsignaled and covered by a later completion")
        .contains("1 REM_ACCESS_ERR")
        .contains("8 requests of chains, 0 completions of long batches, 0 lost");
    assertThat(metrics)
        .content()
        .contains("status=\"rem_access_err\"} 1.0", "what=\"requests\"} 8.0")
        .doesNotContain("wridscope_migration_");
    assertThat(CommandRun.real("replay", recording.toString()).out())
        .contains("8 completions whose post was not seen", "1 REM_ACCESS_ERR");
  }

  /** The same without bpftrace, as far as plain uprobes see it. */
  @Test
  void withoutBpftrace_postsAreRecordedFieldByField_andCompletionsAreCounted() throws Exception {
    Path told = folder.resolve("told");
    Path recording = folder.resolve("plain.wrs");
    Path metrics = folder.resolve("plain.prom");

    CommandRun run =
        CommandRun.withPath(
            "attach",
            "--by",
            "uprobes",
            "--metrics-file=" + metrics,
            "--record",
            recording.toString(),
            "--",
            program.toString(),
            device,
            told.toString(),
            "plain");

    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.err()).contains("Completions are only counted", "ended with status 0");
    List<String> lines = lines(recording);
    assertThat(lines.getFirst()).isEqualTo("counted CQ 0 0");
    assertThat(lines.subList(1, lines.size())).isEqualTo(Files.readAllLines(told));
    // In each poll of each queue, as many as the program has polled.
    String counted = "completions: only counted, 50 of completion queue 1, 5 of completion queue 2";
    assertThat(run.out())
        .contains(counted, "12 requests of chains")
        .doesNotContain("never completed", "whose post was not seen");
    assertThat(metrics)
        .content()
        .containsPattern("wridscope_program_completions_counted_total\\{[^}]*} 55[.]0")
        .doesNotContain("wridscope_program_completions_total");
    assertThat(CommandRun.real("replay", recording.toString()).out())
        .contains(counted)
        .doesNotContain("never completed");
  }

  private static Path compiled(Path folder) throws Exception {
    assumeThat(isInstalled("gcc")).as("gcc is installed").isTrue();
    assumeThat(Path.of("/usr/include/infiniband/verbs.h"))
        .as("the package libibverbs-dev is installed")
        .exists();
    Path source = folder.resolve("known.c");
    try (InputStream resource =
        AttachOverRdmaTest.class.getResourceAsStream("/org/wridscope/control/attach/known.c")) {
      Files.copy(Objects.requireNonNull(resource), source);
    }
    Path known = folder.resolve("known");
    Process gcc =
        new ProcessBuilder("gcc", "-O1", "-o", known.toString(), source.toString(), "-libverbs")
            .inheritIO()
            .start();
    assertThat(gcc.waitFor()).isZero();
    return known;
  }

  /** The events of the only session, in the words of the program. */
  private static List<String> lines(Path file) throws IOException {
    var lines = new ArrayList<String>();
    for (Event event : events(file)) {
      lines.add(line(event));
    }
    return lines;
  }

  private static List<Event> events(Path file) throws IOException {
    var events = new ArrayList<Event>();
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.sessions()).hasSize(1);
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.migrates()).isFalse();
      session.forEachEvent(events::add);
    }
    return events;
  }

  private static String line(Event event) {
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
      case PROGRAM_UNSEEN ->
          event.detail() == 3
              ? "counted CQ %d %s".formatted(event.argument() >>> 32, length)
              : "unseen %d %s".formatted(event.detail(), length);
      default -> event.toString();
    };
  }
}
