// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.attach.KnownProgram;
import org.wridscope.recording.RecordedSession;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Event;
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
    program = KnownProgram.compiled(compiled);
  }

  /**
   * Every field of a known list of requests, as the program itself writes it, as far as plain
   * uprobes see it; {@code AttachedQemuOverRdmaTest} is the same with bpftrace.
   */
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
    assertThat(run.out()).startsWith("attached");
    List<String> lines = KnownProgram.lines(events(recording));
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
}
