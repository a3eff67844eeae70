// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code replay}, {@code export} and {@code trace} of trace logs of QEMU. */
final class QemuLogCommandsTest {
  private static final String DESTINATION = "qemu-6.0.50-out-of-order.dest.log";
  private static final String SOURCE = "qemu-6.0.50-out-of-order.source.log";
  private static final String NO_END = "handwritten-7.2-no-end.log";

  @TempDir Path directory;

  private String log(String name) throws IOException {
    Path log = directory.resolve(name);
    try (InputStream in =
        QemuLogCommandsTest.class.getResourceAsStream("/org/wridscope/recording/qemu/" + name)) {
      assertThat(in).as(name).isNotNull();
      Files.write(log, in.readAllBytes());
    }
    return log.toString();
  }

  private static CommandRun run(String... args) {
    return CommandRun.real(args);
  }

  @Test
  void replay_tellsTheHangOfTheCommit() throws Exception {
    CommandRun run = run("replay", log(DESTINATION));
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(
            "URI            rdma:192.168.22.23:8888 on rxe_eth0",
            "recorded       without times,",
            "explanation: The destination dropped the completion of a receive",
            "The wait for its SEND to complete drops the completion of CONTROL RECV 0",
            "since version 6.2");
    assertThat(run("replay", log(SOURCE)).out())
        .contains("explanation: Nothing is known to be wrong;", "which is harmless.")
        .doesNotContain("drops");
  }

  @Test
  void replay_ofBothLogs_tellsOfOneMigration() throws Exception {
    CommandRun run = run("replay", log(SOURCE), log(DESTINATION));
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("QEMU source: ", "QEMU destination: ")
        .containsOnlyOnce("The destination dropped the completion of a receive")
        .doesNotContain("migration 2");
  }

  /** Neither the beginning nor the end of the migration is in the log. */
  @Test
  void replay_ofALogThatIsCut_saysThatTheStatusIsNotKnown() throws Exception {
    String whole = Files.readString(Path.of(log("qemu-7.2-no-times.source.log")));
    List<String> middle =
        whole.lines().filter(line -> line.contains("CONTROL: ")).limit(6).toList();
    assertThat(middle).hasSize(6);
    Path cut = Files.write(directory.resolve("cut.log"), middle);
    CommandRun run = run("replay", cut.toString(), "--end=source");
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(
            "QEMU source: its status is not known, because the log has no event that shows it.");
    assertThat(run.out().lines()).allMatch(line -> line.equals(line.stripTrailing()));
  }

  @Test
  void logWithoutTimes_hasNoDurationAndNoRate() throws Exception {
    CommandRun run = run("replay", log("qemu-7.2-no-times.source.log"));
    assertThat(run.out()).contains("without times", "on the wire");
    assertThat(run.out()).doesNotContain("total time", "throughput", "downtime");
  }

  @Test
  void export_takesBothLogsOfTheCommit() throws Exception {
    Path events = directory.resolve("events.csv");
    CommandRun run = run("export", log(SOURCE), log(DESTINATION), "--out=" + events);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(Files.readAllLines(events))
        .hasSize(5)
        .anyMatch(line -> line.startsWith("source,") && line.contains("COMPLETION_MET"))
        .anyMatch(line -> line.startsWith("destination,") && line.contains("COMPLETION_DROPPED"));
    Path page = directory.resolve("page.html");
    assertThat(run("export", log(SOURCE), log(DESTINATION), "--out=" + page).status()).isZero();
    assertThat(Files.readString(page))
        .contains(
            "The destination dropped the completion of a receive that it has to wait for.",
            "Began at a time that the log does not have,")
        .doesNotContain("1970");
    assertThat(run.err())
        .contains(
            "The order of events at different ends is not known, because a log has no times.");
  }

  @Test
  void logOfNoEnd_needsTheOption() throws Exception {
    String log = log(NO_END);
    assertThat(run("replay", log))
        .satisfies(run -> assertThat(run.status()).isEqualTo(2))
        .satisfies(run ->
            assertThat(run.err())
                .contains("whether it is that of the source or of the destination, on which")
                .endsWith(
                    "Name it with --end source or --end destination; \"wridscope explain "
                        + log
                        + "\" explains its lines without that.\n"));
    assertThat(run("replay", log, "--end=destination").out())
        .contains("QEMU destination", "The destination dropped the completion");
    assertThat(run("replay", log, "--end=source").out()).contains("QEMU source");
    assertThat(run("trace", "--no-times", log, "--end=source").out())
        .contains("qemu_rdma_block_for_wrid_miss A Wanted wrid CONTROL SEND (2000) but got");
    Path events = directory.resolve("events.csv");
    assertThat(run("export", log, "--end=source", "--out=" + events).status()).isZero();
    assertThat(Files.readAllLines(events)).anyMatch(line -> line.startsWith("source,"));
  }

  @Test
  void wrongEnd_isRefused() throws Exception {
    assertThat(run("replay", log(SOURCE), "--end=destination"))
        .satisfies(run -> assertThat(run.status()).isEqualTo(2))
        .satisfies(run ->
            assertThat(run.err()).endsWith("source.log says itself that it is of the source.\n"));
    assertThat(run("replay", log(SOURCE), "--end=left").err())
        .isEqualTo("wridscope: --end: 'left' is not valid; write source or destination.\n");
  }
}
