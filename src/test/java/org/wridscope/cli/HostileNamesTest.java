// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.protocol.HostileText;
import org.wridscope.recording.file.HostileRecording;

/** Control characters in the text of a peer or a file never reach a terminal or a file. */
final class HostileNamesTest {
  @TempDir Path directory;

  private Path recording;

  @BeforeEach
  void write() throws IOException {
    // Without the characters that the file system does not accept.
    recording = directory.resolve("bad\u001b[31m\n\u202ename.wrs");
    HostileRecording.write(recording, HostileText.ALL);
  }

  private CommandRun run(String... args) {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, args);
    assertThat(HostileText.unsafe(run.out(), true)).as(run.out()).isEmpty();
    assertThat(HostileText.unsafe(run.err(), true)).as(run.err()).isEmpty();
    // If the newline had an effect, a line would begin with the text after it.
    assertThat(run.out().lines()).noneMatch(line -> line.startsWith("\u000b"));
    return run;
  }

  @Test
  void replay_andTrace() {
    CommandRun replay = run("replay", recording.toString());
    assertThat(replay.out()).contains("hostile\\x00\\x01").contains("\\t\\n\\x0b");
    assertThat(run("replay", "--json", recording.toString()).out()).contains("hostile\\\\x00");
    run("trace", recording.toString(), "--end=source", "--all");
    run("trace", recording.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "report.html",
        "report.json",
        "events.csv",
        "samples.csv",
        "requests.csv",
        "messages.csv"
      })
  void exports(String name) throws IOException {
    Path out = directory.resolve(name);
    String table = name.endsWith(".csv") ? name.substring(0, name.length() - 4) : null;
    CommandRun run =
        table == null
            ? run("export", recording.toString(), "--out=" + out)
            : run("export", recording.toString(), "--out=" + out, "--table=" + table);
    assertThat(run.status()).as(run.err()).isZero();
    String text = Files.readString(out);
    assertThat(HostileText.unsafe(text, true)).as(text).isEmpty();
    if (table == null) {
      assertThat(text).contains("hostile");
    }
  }

  @Test
  void qemusLog() throws IOException {
    String said = HostileText.ALL.replace("\n", "");
    Path log = directory.resolve("qemu.log");
    Files.writeString(
        log,
        """
        1@1.000001:qemu_rdma_resolve_host_trying Trying %s => 127.0.0.1
        1@1.000002:qemu_rdma_connect_pin_all_requested
        qemu-system-x86_64: %s
        1@1.000003:qemu_rdma_block_%s
        """
            .formatted(said, said, said));
    CommandRun replay = run("replay", log.toString());
    assertThat(replay.out() + replay.err()).contains("hostile");
    run("trace", log.toString(), "--all");
  }

  @Test
  void scenarios() throws IOException {
    String json = new Gson().toJson(Map.of("title", HostileText.ALL, "about", 1));
    Path file = Files.writeString(directory.resolve("evil\u001b[2J.json"), json);
    assertThat(run("lab", file.toString()).err()).isNotEmpty();
    Files.writeString(file, new Gson().toJson(Map.of(HostileText.ALL, HostileText.ALL)));
    assertThat(run("lab", file.toString()).status()).isEqualTo(ExitCode.USAGE.number());
    Files.write(file, HostileText.ALL.getBytes(StandardCharsets.ISO_8859_1));
    assertThat(run("lab", file.toString()).status()).isEqualTo(ExitCode.USAGE.number());
    run("lab", HostileText.ALL.replace("\0", ""));
  }
}
