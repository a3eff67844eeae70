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
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.verbs.rdma.RdmaUnderTest;

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
    device = new RdmaUnderTest().device();
    program = KnownProgram.compiled(compiled);
  }

  /** Every field of a known list of requests, as the program itself writes it. */
  @Test
  void whatACommandPostsAndPolls_isRecordedFieldByField() throws Exception {
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
    assertThat(run.out()).startsWith("attached").contains("8 completions whose post was not seen");
    assertThat(KnownProgram.lines(events(recording), _ -> "?")).isEqualTo(Files.readAllLines(told));
    assertThat(metrics)
        .content()
        .contains("status=\"rem_access_err\"} 1.0", "what=\"requests\"} 8.0")
        .doesNotContain("wridscope_migration_");
    assertThat(CommandRun.real("replay", recording.toString()).out())
        .contains("2 refused by the post function")
        .contains("1 unsignaled and covered by a later completion")
        .contains("1 REM_ACCESS_ERR")
        .contains("8 requests of chains, 0 completions of long batches or read in part, 0 lost");
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
