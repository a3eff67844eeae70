// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.files.FileKind;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;

/** {@code lab --record}, {@code replay}, {@code trace} and {@code export} of a real migration. */
final class RecordingCommandsTest {
  @TempDir Path directory;

  private Path recording;

  private static CommandRun run(String... args) {
    return CommandRun.real(args);
  }

  @BeforeEach
  void record() {
    recording = directory.resolve("lab.wrs");
    CommandRun run = run("lab", "--ram=16MiB", "--record=" + recording);
    assertThat(run.status()).as("%s%s", run.out(), run.err()).isZero();
    assertThat(run.err()).containsPattern("recorded [1-9][0-9,]* events in .*lab\\.wrs");
  }

  @Test
  void replay_saysWhatTheCommandSaid() {
    CommandRun run = run("replay", recording.toString());
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .startsWith("completed: The guest runs at the destination.")
        .contains("\nlab.wrs: lab 1 source: completed\n")
        .contains("\nlab.wrs: lab 1 destination: completed.")
        .contains("at both ends");
    assertThat(run.err()).isEmpty();
    CommandRun json = run("replay", "--json", recording.toString());
    JsonArray reports = JsonParser.parseString(json.out()).getAsJsonArray();
    assertThat(reports).hasSize(2);
    assertThat(reports.get(0).getAsJsonObject().get("verified").getAsBoolean()).isTrue();
  }

  @Test
  void trace_hasQemusLines() throws IOException {
    Path text = directory.resolve("source.txt");
    CommandRun run =
        run("trace", recording.toString(), "--end=source", "--comparable", "--out=" + text);
    assertThat(run.status()).as(run.err()).isZero();
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
    assertThat(run("trace", recording.toString(), "--end=destination", "--all").out())
        .containsPattern(
            "(?m)^2@\\d{10}\\.\\d{6}:qemu_rdma_post_send_control CONTROL: sending READY")
        .contains("wridscope_post_receive ");
  }

  @Test
  void export_writesWhatTheNameSays() throws IOException {
    Path events = directory.resolve("events.csv");
    CommandRun run = run("export", recording.toString(), "--out=" + events);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.err()).contains("exported the table of events to " + events.toRealPath());
    long recorded = 0;
    try (Recording open = Recording.open("FILE", recording)) {
      recorded = open.sessions().stream().mapToLong(RecordedSession::events).sum();
    }
    assertThat(Files.readAllLines(events)).hasSize((int) recorded + 1);

    Path document = directory.resolve("document");
    assertThat(
            run(
                    "export",
                    recording.toString(),
                    "--out=" + document,
                    "--format=json",
                    "--table=requests,events")
                .status())
        .isZero();
    JsonObject json = JsonParser.parseString(Files.readString(document)).getAsJsonObject();
    assertThat(json.getAsJsonArray("events")).hasSize((int) recorded);
    assertThat(json.getAsJsonArray("requests")).isNotEmpty();
    assertThat(json.has("samples")).isFalse();
    assertThat(json.getAsJsonArray("sessions")).hasSize(2);

    Path page = directory.resolve("page.html");
    assertThat(run("export", recording.toString(), "--out=" + page).status()).isZero();
    assertThat(Files.readString(page))
        .contains("lab 1 source and lab 1 destination", "The guest runs at the destination.");
  }

  @Test
  void export_takesQemusLogsOfBothEnds() throws IOException {
    var logs = new ArrayList<String>();
    for (String end : List.of("source", "dest")) {
      Path log = directory.resolve(end + ".log");
      try (InputStream in =
          RecordingCommandsTest.class.getResourceAsStream(
              "/org/wridscope/recording/qemu/qemu-7.2-dyn-idle." + end + ".log")) {
        assertThat(in).isNotNull();
        Files.write(log, in.readAllBytes());
      }
      logs.add(log.toString());
    }
    Path messages = directory.resolve("messages.csv");
    CommandRun run =
        run("export", logs.get(0), logs.get(1), "--out=" + messages, "--table", "messages");
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(Files.readAllLines(messages))
        .hasSizeGreaterThan(10)
        .anyMatch(line -> line.matches("source,0,.*[0-9.]+,[0-9.]+,[0-9.]+,false"))
        .anyMatch(line -> line.startsWith("destination,0,READY,2,"));
  }

  @Test
  void exportOfBadInput_isOneSentence_andNoFile() throws IOException {
    Path none = directory.resolve("none.csv");
    assertThat(run("export", recording.toString(), "--out=" + directory.resolve("x.wrs")))
        .satisfies(run -> assertThat(run.status()).isEqualTo(2))
        .satisfies(run ->
            assertThat(run.err()).contains("end it with .html, .json, .csv or .perfetto.json"));
    assertThat(run("export", recording.toString(), "--out=" + none, "--table=all").err())
        .isEqualTo(
            "wridscope: --table: \"all\" is no table; there are events, requests, samples,"
                + " messages, virtio, log.\n");
    assertThat(run("export", recording.toString(), "--out=" + none, "--table=events,samples").err())
        .isEqualTo("wridscope: --table: A CSV file holds one table, not 2; name one.\n");
    assertThat(run("export", recording.toString(), "--out=" + recording, "--format=csv").err())
        .contains("--out: %s is the recording itself".formatted(recording));
    assertThat(run("export", recording.toString(), recording.toString(), "--out=" + none).err())
        .isEqualTo(
            "wridscope: --migration: the two files have 2 migrations; choose one, 1 to 2.\n");
    assertThat(
            run(
                    "export",
                    recording.toString(),
                    recording.toString(),
                    "--out=" + directory.resolve("two.csv"),
                    "--migration=2")
                .status())
        .isZero();
    assertThat(run("export", recording.toString(), "--out=" + none, "--migration=2").err())
        .contains("lab.wrs has 1 migration; choose one, 1 to 1.");
    Path torn = directory.resolve("torn.csv");
    Files.writeString(directory.resolve("text"), "hello\n");
    assertThat(run("export", directory.resolve("text").toString(), "--out=" + torn))
        .satisfies(run -> assertThat(run.status()).isEqualTo(1))
        .satisfies(run -> assertThat(run.err().lines()).hasSize(1));
    assertThat(none).doesNotExist();
    assertThat(torn).doesNotExist();
    try (var files = Files.list(directory)) {
      assertThat(files).noneMatch(file -> file.toString().contains("unfinished"));
    }
  }

  @Test
  void aRun_endsWithItsExports() throws IOException {
    Path page = directory.resolve("run.html");
    Path events = directory.resolve("run.csv");
    CommandRun run = run("lab", "--ram=16MiB", "--export=" + page, "--export=" + events);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(Files.readString(page)).contains("What happened");
    assertThat(Files.readAllLines(events)).anyMatch(line -> line.startsWith("destination,"));
    CommandRun twice = run("lab", "--ram=16MiB", "--export=" + page, "--export=" + page);
    assertThat(twice.status()).isEqualTo(2);
    assertThat(twice.err()).contains("--export: %s is another export itself".formatted(page));
    assertThat(run("lab", "--ram=16MiB", "--export=" + page, "--record=" + page).status())
        .isEqualTo(2);
    assertThat(run("lab", "--ram=16MiB", "--export=run.txt").err())
        .contains("--export: the name of run.txt does not say what to write");
  }

  @Test
  void files_areReplacedByTheirKindOnly_andRecordingsNotUnasked() throws IOException {
    Path page = directory.resolve("run.html");
    Path report = directory.resolve("report.json");
    Path text = directory.resolve("trace.txt");
    String[] lab = {
      "lab", "--ram=16MiB", "--record=" + recording, "--report=" + report, "--export=" + page
    };
    byte[] first = Files.readAllBytes(recording);
    CommandRun refused = run(lab);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .endsWith(
            "wridscope: --record: %s exists already; choose another name, or replace it with"
                    .formatted(recording.toRealPath())
                + " --force.\n");
    assertThat(recording).hasBinaryContent(first);
    for (int i = 0; i < 2; i++) {
      CommandRun forced =
          run(Stream.concat(Stream.of(lab), Stream.of("--force")).toArray(String[]::new));
      assertThat(forced.status()).as(forced.err()).isZero();
      assertThat(Files.readAllBytes(recording)).isNotEqualTo(first);
      assertThat(FileKind.REPORT.is(report)).isTrue();
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(recording)))
        .isEqualTo("rw-------");

    String[] trace = {"trace", recording.toString(), "--end=source", "--out=" + text};
    assertThat(run(trace).status()).isZero();
    assertThat(FileKind.TRACE.is(text)).isTrue();
    assertThat(run(trace).err()).contains("trace.txt exists already;").contains(" --force.");
    assertThat(run("trace", recording.toString(), "--end=source", "--force", "--out=" + text))
        .satisfies(run -> assertThat(run.status()).as(run.err()).isZero());

    Files.writeString(text, "Dear Ada,\n");
    assertThat(run("lab", "--ram=16MiB", "--force", "--record=" + text).err())
        .contains("is not a recording and is never replaced; choose another name, or delete it");
    assertThat(run("lab", "--ram=16MiB", "--force", "--report=" + text).err())
        .contains("is not a report and is never replaced");
    assertThat(run("export", recording.toString(), "--format=csv", "--out=" + text).err())
        .contains("is not an exported table and is never replaced");
    assertThat(run("trace", recording.toString(), "--end=source", "--force", "--out=" + text).err())
        .contains("is not a trace log and is never replaced");
    assertThat(text).hasContent("Dear Ada,\n");
    try (var files = Files.list(directory)) {
      assertThat(files).noneMatch(file -> file.toString().contains("unfinished"));
    }
  }

  @Test
  void badInput_isOneSentence() throws IOException {
    Path none = directory.resolve("none.wrs");
    CommandRun missing = run("replay", none.toString());
    assertThat(missing.status()).isEqualTo(2);
    assertThat(missing.out()).isEmpty();
    assertThat(missing.err()).isEqualTo("wridscope: FILE: %s does not exist.\n".formatted(none));
    assertThat(run("trace", recording.toString()).err())
        .contains(
            "has both ends of the migration; choose one with --end source or --end"
                + " destination.");
    assertThat(run("trace", recording.toString(), "--end=middle").status()).isEqualTo(2);
    Path other = directory.resolve("other");
    Files.writeString(other, "hello\n");
    CommandRun run = run("replay", other.toString());
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err().lines()).hasSize(1);
    Path report = directory.resolve("r.json");
    assertThat(run("lab", "--ram=16MiB", "--record=" + report, "--report=" + report).status())
        .isEqualTo(2);
    assertThat(report).doesNotExist();
    assertThat(run("lab", "--ram=16MiB", "--record=" + directory).err())
        .contains("--record: %s is a directory".formatted(directory));
  }
}
