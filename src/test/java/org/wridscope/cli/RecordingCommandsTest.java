// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.doctor.ThisMachine;

/** {@code lab --record}, {@code replay} and {@code trace}, with a real migration. */
final class RecordingCommandsTest {
  @TempDir Path directory;

  private Path recording;

  private record Run(int status, String out, String err) {}

  private static Run run(String... args) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var terminal =
        new Terminal(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            true);
    int status =
        WridscopeCommand.run(
            args,
            LocalSessions::new,
            CommandRun.NO_WINDOW,
            Map.of(),
            terminal,
            FreeMemory.HERE,
            new ThisMachine());
    return new Run(
        status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @BeforeEach
  void record() {
    recording = directory.resolve("lab.wrs");
    Run run = run("lab", "--ram=16MiB", "--record=" + recording);
    assertThat(run.status).as("%s%s", run.out, run.err).isZero();
    assertThat(run.err).containsPattern("recorded [1-9][0-9,]* events in .*lab\\.wrs");
  }

  @Test
  void replay_saysWhatTheCommandSaid() {
    Run run = run("replay", recording.toString());
    assertThat(run.status).as(run.err).isZero();
    assertThat(run.out)
        .contains("lab.wrs: lab 1 source: completed. The guest runs at the destination.")
        .contains("lab.wrs: lab 1 destination: completed.")
        .contains("at both ends");
    assertThat(run.err).isEmpty();
    Run json = run("replay", "--json", recording.toString());
    JsonArray reports = JsonParser.parseString(json.out).getAsJsonArray();
    assertThat(reports).hasSize(2);
    assertThat(reports.get(0).getAsJsonObject().get("verified").getAsBoolean()).isTrue();
  }

  @Test
  void trace_hasQemusLines() throws IOException {
    Path text = directory.resolve("source.txt");
    Run run = run("trace", recording.toString(), "--end=source", "--comparable", "--out=" + text);
    assertThat(run.status).as(run.err).isZero();
    assertThat(Files.readAllLines(text))
        .contains(
            "migrate_set_state new state active",
            "qemu_rdma_post_send_control CONTROL: sending REGISTER REQUEST..",
            "qemu_rdma_exchange_get_response_start CONTROL: REGISTER RESULT receiving...",
            "migrate_set_state new state completed")
        .anyMatch(line ->
            line.matches(
                "qemu_rdma_write_one_post Posting chunk: \\d+, addr: 0x\\p{XDigit}+ remote:"
                    + " 0x\\p{XDigit}+, bytes \\d+"))
        .noneMatch(line -> line.startsWith("wridscope_"));
    assertThat(run("trace", recording.toString(), "--end=destination", "--all").out)
        .containsPattern(
            "(?m)^2@\\d{10}\\.\\d{6}:qemu_rdma_post_send_control CONTROL: sending READY")
        .contains("wridscope_post_receive ");
  }

  @Test
  void badInput_isOneSentence() throws IOException {
    Path none = directory.resolve("none.wrs");
    assertThat(run("replay", none.toString()))
        .isEqualTo(new Run(2, "", "wridscope: FILE: %s does not exist.\n".formatted(none)));
    assertThat(run("trace", recording.toString()).err)
        .contains("has 2 sessions; say which with --end source or --end destination.");
    assertThat(run("trace", recording.toString(), "--end=middle").status).isEqualTo(2);
    Path other = directory.resolve("other");
    Files.writeString(other, "hello\n");
    Run run = run("replay", other.toString());
    assertThat(run.status).isEqualTo(1);
    assertThat(run.err.lines()).hasSize(1);
    Path report = directory.resolve("r.json");
    assertThat(run("lab", "--ram=16MiB", "--record=" + report, "--report=" + report).status)
        .isEqualTo(2);
    assertThat(report).doesNotExist();
    assertThat(run("lab", "--ram=16MiB", "--record=" + directory).err)
        .contains("--record: %s is a directory".formatted(directory));
  }
}
