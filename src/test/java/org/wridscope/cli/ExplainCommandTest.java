// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Selected;
import org.wridscope.ui.inspector.Describer;
import org.wridscope.ui.inspector.Description;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.WorkCompletionStatus;

final class ExplainCommandTest {
  private final FakeSession session = new FakeSession("one", "rdma:h:1", Role.SOURCE, true);

  private static CommandRun explain(String... args) {
    var all = new String[args.length + 1];
    all[0] = "explain";
    System.arraycopy(args, 0, all, 1, args.length);
    return CommandRun.of(CommandRun.SUCCESS, all);
  }

  @Test
  void status_isExplainedWithCausesAndSource() {
    CommandRun run = explain("status", "12");
    assertThat(run.status()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .startsWith("completion status 12, IBV_WC_RETRY_EXC_ERR\n")
        .contains("\n  Means  ", "\n  Usual causes ", "\n  Look at  ", "\n  Source  ", "11.6.2");
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @ParameterizedTest
  @CsvSource({
    "0a0d0d0a1c000000, false, no log but captured packets. \"wridscope replay",
    "d4c3b2a102000400, true, no log but captured packets. \"wridscope replay",
    "895752530d0a1a0a, false, no log but a recording. \"wridscope replay",
    "895752530d0a1a0a, true, no log but a recording. \"wridscope replay",
    "5145564d00000003, false, no log but a captured guest. \"wridscope source",
    "7b227469746c65223a22, false, no log but a scenario. \"wridscope lab"
  })
  void aFileThatIsNoLog_isNamed_withTheCommandThatOpensIt(
      String hex, boolean packed, String what, @TempDir Path folder) throws IOException {
    byte[] bytes = HexFormat.of().parseHex(hex);
    Path file = folder.resolve("file");
    try (OutputStream out =
        packed ? new GZIPOutputStream(Files.newOutputStream(file)) : Files.newOutputStream(file)) {
      out.write(bytes);
    }
    CommandRun run = explain(file.toString());
    assertThat(run.status()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains(what).contains(file.toString());
  }

  @Test
  void aFileOfAnotherKind_isNoText_unlessALineIsExplained(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[] {0x7f, 'E', 'L', 'F', 0, 0, '\n'});
    assertThat(explain(file.toString()).err()).contains("is no text, and of no kind");
    Files.writeString(file, "\0\0\0\nibv_poll_cq: RETRY_EXC_ERR\n");
    assertThat(explain(file.toString()).out()).contains("completion status 12");
  }

  @Test
  void severalMatches_areAllListed() {
    assertThat(explain("12").out())
        .contains("completion status 12, ", "errno 12, ENOMEM", "reject reason 12, ");
  }

  @Test
  void vendorError_andAQuery_mayComeTogether() {
    CommandRun run = explain("RETRY_EXC_ERR", "--vendor", "0x81");
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("completion status 12, ", "vendor error 0x81, mlx4 and mlx5");
  }

  @Test
  void negativeErrno_isNoOption() {
    assertThat(explain("-110").out()).startsWith("errno 110, ETIMEDOUT\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bogus", "0xffffffffffffffffff", "--json", "\u001b]0;title\u0007\u202e"})
  void unknown_saysWhatCanBeExplained(String query) {
    CommandRun run = explain(query);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("wridscope: nothing is known about ")
        .contains("completion status", "asynchronous event", "errno", "--vendor", "wrid")
        .doesNotContain("\u001b", "\u0007", "\u202e");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0x999", "0xffffffffffffffffff", "bogus"})
  void unknownVendorError_saysWhichVendorsAreKnown(String number) {
    CommandRun run = explain("--vendor", number);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            ("wridscope: --vendor: no vendor error \"%s\" is known; write one of Wridscope's"
                    + " software device, mlx4 and mlx5 (NVIDIA, formerly Mellanox).\n")
                .formatted(number));
  }

  @Test
  void nothing_saysWhatCanBeExplained() {
    assertThat(explain().status()).isEqualTo(2);
    assertThat(explain().err()).contains("completion status");
  }

  @Test
  void numberThatMayBeSeveralThings_isSaidToBeThat() {
    assertThat(explain("12").out()).startsWith("It may be any of these");
    assertThat(explain("status 12").out()).doesNotContain("It may be");
  }

  @Test
  void numberOfAProgram_isNoStatus() {
    CommandRun run = explain("reject 192.0.2.7 with status 4");
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("its own").doesNotContain("completion status 4");
  }

  @Test
  void dumpedCompletion_isDecoded() {
    String said =
        explain("00000030: 00 00 00 00 a9 00 56 04 00 00 01 e9 00 54 e8 e2")
            .out()
            .replaceAll("\\s+", " ");
    assertThat(said)
        .contains(
            "error CQE of mlx5",
            "the responder's",
            "status 4, IBV_WC_LOC_PROT_ERR",
            "queue pair 0x0001e9",
            "WQE counter 0x0054");
  }

  // ---------------------------------------------------------------------------------- whole logs

  private static final String CONSOLE =
      """
      QEMU 9.2.50 monitor - type 'help' for more information
      qemu-system-x86_64: warning: Early error. Sending error.
      qemu-system-x86_64: cannot get rkey
      qemu-system-x86_64: error while loading state section id 2(ram)
      qemu-system-x86_64: load of migration failed: Operation not permitted
      qemu-system-x86_64: load of migration failed: Operation not permitted
      """;

  @Test
  void file_isReadAsALog_andTheFirstCauseIsExplained(@TempDir Path folder) throws IOException {
    Path log = Files.writeString(folder.resolve("vm1.log"), CONSOLE);
    CommandRun run = explain(log.toString());
    assertThat(run.status()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .startsWith(log + ": 6 lines, 5 of them explained.\n")
        .containsSubsequence(
            "First cause, line 3:\n  qemu-system-x86_64: cannot get rkey\n",
            "message of QEMU, \"cannot get rkey\"",
            "  Usual causes The destination: ",
            "Before it",
            "  line 2: ",
            "After it",
            "  line 4: ",
            "  line 5, and 1 more like it: ");
  }

  @Test
  void standardInput_andATextOfSeveralLines_areReadLikewise() {
    var in = new ByteArrayInputStream(CONSOLE.getBytes(UTF_8));
    assertThat(CommandRun.reading(in, "explain", "-").out())
        .contains("standard input: 6 lines", "First cause, line 3:");
    assertThat(explain(CONSOLE).out()).contains("the text: ", "cannot get rkey");
  }

  /** What only a destination prints may be in a source's trace log; no other console is in it. */
  @Test
  void traceLog_isOfOneEnd(@TempDir Path folder) throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("log"),
            """
            100@1700000000.100000:rdma_start_outgoing_migration_after_rdma_connect
            qemu-system-x86_64: cannot get rkey
            101@1700000000.200000:qemu_rdma_post_send_control CONTROL: sending ERROR..
            qemu-system-x86_64: failed to save SaveStateEntry with id(name): 1(ram): -22
            """);
    assertThat(explain(log.toString()).out())
        .contains("First cause, line 2:\n")
        .doesNotContain("both ends", ", of the ");
  }

  /** By headings and commands, where both ends print such lines. */
  @Test
  void mailWithBothConsoles_saysWhoseEachLineIs(@TempDir Path folder) throws IOException {
    Path mail =
        Files.writeString(
            folder.resolve("mail"),
            """
            > destination:
            > qemu-system-x86_64 -m 2048 -monitor stdio -incoming rdma:192.0.2.23:8888
            > qemu_rdma_block_for_wrid_miss A Wanted wrid CONTROL SEND (2000) but got CONTROL RECV (4000)
            >
            > source:
            > qemu_rdma_block_for_wrid_miss A Wanted wrid WRITE RDMA (1) but got CONTROL RECV (4000)
            > (qemu) migrate -d rdma:192.0.2.23:8888
            > qemu-system-x86_64: rdma migration: recv polling control error!
            > qemu-system-x86_64 -m 2048
            > qemu-system-x86_64: RDMA is in an error state waiting migration to abort!
            """);
    assertThat(explain(mail.toString()).out())
        .contains("The text has the consoles of both ends.")
        .contains("First cause, line 3, of the destination:")
        .contains("line 6, of the source: ", "line 8, of the source: ", "line 10: ");
  }

  /** Of {@code virsh domjobinfo}, and of QEMU's {@code info migrate}. */
  @ParameterizedTest
  @CsvSource({
    "'Data remaining:   26.287 GiB|Memory bandwidth: 101.960 MiB/s|Dirty rate:       31340        pages/s"
        + "|Page size:        4096         bytes', '31,340 pages of 4.00 KiB in a second, which is 122"
        + " MiB/s, and 102 MiB/s are sent. At these rates the migration does not converge'",
    "'throughput: 9112.55 mbps|remaining ram: 1234567 kbytes|page size: 4 kbytes|dirty pages rate: 31340"
        + " pages', 'and 1.06 GiB/s are sent. At these rates what remains, 1.18 GiB, is sent in 1.3 s.'",
    "'throughput: 9112.55 mbps|dirty pages rate: 31340 pages', 'At these rates the migration"
        + " converges.'"
  })
  void jobData_saysWhetherTheMigrationConverges(String lines, String says) {
    assertThat(explain(lines.replace('|', '\n')).out().replace("\n", " ")).contains(says);
  }

  @Test
  void logWithoutACause_pointsToTheOtherEnd(@TempDir Path folder) throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("source.log"),
            "RDMA is in an error state waiting migration to abort!\nChannel error: x\n");
    assertThat(explain(log.toString()).out().replaceAll("\\s+", " "))
        .contains("First error, line 1", "No line says what the cause is", "log of the other end")
        .doesNotContain("First cause");
  }

  @Test
  void logOfHarmlessLines_saysThatNothingFailed(@TempDir Path folder) throws IOException {
    Path log = Files.writeString(folder.resolve("a.log"), "cma event RDMA_CM_EVENT_ESTABLISHED\n");
    assertThat(explain(log.toString()).out())
        .contains("No line that is known says that something failed.", "Harmless", "line 1");
  }

  @Test
  void logWithoutAnyKnownLine_isRefused(@TempDir Path folder) throws IOException {
    Path log = Files.writeString(folder.resolve("a.log"), "hello\nworld");
    CommandRun run = explain(log.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains(log + ": nothing is known about any of its 2 lines");
  }

  @Test
  void fileThatDoesNotExist_isSaidNotToExist(@TempDir Path folder) {
    assertThat(explain(folder.resolve("vm.log").toString()).err())
        .contains("there is no file of that name");
    assertThat(explain(folder + "/").err()).contains("is a directory");
  }

  @Test
  void logOfAnyBytes_isRead(@TempDir Path folder) throws IOException {
    var bytes = new byte[1 << 20];
    new Random(1).nextBytes(bytes);
    byte[] line = "\n\u001b[31mstatus: transport retry counter exceeded\u202e\n".getBytes(UTF_8);
    System.arraycopy(line, 0, bytes, 1 << 19, line.length);
    Path log = Files.write(folder.resolve("a.bin"), bytes);
    CommandRun run = explain(log.toString());
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("IBV_WC_RETRY_EXC_ERR").doesNotContain("\u001b", "\u202e");
  }

  // ------------------------------------------------------------------ the window says the same

  private List<Description.Section> inWindow(EventKind kind, int detail, long argument) {
    var event = new Event(0, 0, kind, detail, 0, 0x440000001L, argument);
    return Describer.describe(new Selected.LoggedEvent(session, event), null, List.of(), 0)
        .sections()
        .stream()
        .filter(section -> !section.texts().isEmpty())
        .toList();
  }

  private static void assertThatCommandSays(Description.Section section, String query) {
    String said = explain(query).out().replaceAll("\\s+", " ");
    assertThat(said).contains(section.heading());
    for (Meaning.Paragraph paragraph : section.texts()) {
      assertThat(said).contains(paragraph.heading() + " " + paragraph.text());
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
  void status_inTheInspector_hasTheSameText(WorkCompletionStatus status) {
    assertThat(inWindow(EventKind.COMPLETION_SEND_QUEUE, status.value(), 0))
        .singleElement()
        .satisfies(section -> assertThatCommandSays(section, status.name()));
  }

  @Test
  void wrid_inTheInspector_hasTheSameText() {
    var event = new Event(0, 0, EventKind.POST_WRITE, 1, 4096, 0x5700000001L, 0);
    String hint =
        Describer.describe(new Selected.LoggedEvent(session, event), null, List.of(), 0)
            .sections()
            .stream()
            .flatMap(section -> section.fields().stream())
            .filter(field -> field.name().equals("wrid"))
            .map(Description.Field::hint)
            .findFirst()
            .orElseThrow();
    String means = hint.lines().skip(1).findFirst().orElseThrow();
    assertThat(means).contains("chunk 348");
    assertThat(explain("0x5700000001").out().replaceAll("\\s+", " ")).contains(means);
  }

  @ParameterizedTest
  @EnumSource
  void asyncEvent_inTheInspector_hasTheSameText(AsyncEventType type) {
    assertThat(inWindow(EventKind.ASYNC, type.ordinal(), 0))
        .singleElement()
        .satisfies(section -> assertThatCommandSays(section, "IBV_EVENT_" + type));
  }

  @ParameterizedTest
  @EnumSource
  void connectionEvent_inTheInspector_hasTheSameText_andItsStatus(ConnectionEvent.Type type) {
    List<Description.Section> sections = inWindow(EventKind.CONNECTION, type.ordinal(), -110);
    assertThat(sections).hasSize(2);
    assertThatCommandSays(sections.getFirst(), "RDMA_CM_EVENT_" + type);
    assertThatCommandSays(sections.getLast(), "errno 110");
  }
}
