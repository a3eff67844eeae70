// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.recording.Recording;
import org.wridscope.recording.qemu.QemuTraceLists.Traced;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Every known version of QEMU is understood, and what a later one adds is passed over and named.
 */
final class QemuVersionsTest {
  /** A conversion of {@code printf}, with the macro that may be its length and type. */
  private static final Pattern CONVERSION =
      Pattern.compile(
          "%(#?[0-9.]*)(?:\"\\s*PRI([diux])(?:8|16|32|64)\\b\\s*\"?|(?:ll|[hlzj])?([cdiopsux]))");

  /** Arguments that are not free text. */
  private static final Map<String, String> TEXTS =
      Map.of(
          "qemu_rdma_post_send_control", "QEMU FILE",
          "qemu_rdma_exchange_get_response_start", "READY",
          "qemu_rdma_exchange_get_response_none", "REGISTER REQUEST",
          "migrate_set_state", "active");

  @TempDir private Path directory;

  // ------------------------------------------------------------------------------ the lists

  static List<String> versions() {
    return QemuTraceLists.VERSIONS;
  }

  @ParameterizedTest
  @MethodSource("versions")
  void everyEventOfRdma_hasADecision(String version) {
    assertThat(QemuTraceLists.of(version))
        .filteredOn(Traced::isOfRdma)
        .hasSizeGreaterThan(60)
        .allSatisfy(event ->
            assertThat(QemuEventParser.decisions())
                .containsKey(QemuVersions.inQemu72(event.name())));
  }

  @ParameterizedTest
  @MethodSource("versions")
  void everyOtherEventOfTheMigration_isKnown(String version) {
    assertThat(QemuTraceLists.of(version))
        .filteredOn(event -> !event.isOfRdma())
        .hasSizeGreaterThan(200)
        .allSatisfy(event -> assertThat(QemuVersions.isOfTheRest(event.name())).isTrue());
  }

  /** Each in each form that a line can have. */
  @ParameterizedTest
  @MethodSource("versions")
  void everyEvent_isReadInTheFormThatItsVersionWrites(String version) {
    assertThat(QemuTraceLists.of(version))
        .allSatisfy(event -> {
          String text = written(event);
          assertRead(event, text, QemuLine.of(event.name() + " " + text), QemuLine.NO_TIME);
          assertRead(
              event,
              text,
              QemuLine.of("7@1795648884.613367:" + event.name() + " " + text),
              1_795_648_884_613_367_000L);
          assertRead(
              event,
              text,
              QemuLine.of("2026-11-25T23:21:24.613367Z " + event.name() + " " + text),
              1_795_648_884_613_367_000L);
        });
  }

  private static void assertRead(Traced event, String text, QemuLine line, long nanos) {
    assertThat(line.event()).isEqualTo(QemuVersions.inQemu72(event.name()));
    assertThat(line.nanos()).isEqualTo(nanos);
    assertThat(line.text().strip()).isEqualTo(text.strip());
    QemuDecision decision = QemuEventParser.decisions().get(line.event());
    if (decision != null) {
      assertThat(line.text()).matches(decision.text());
    }
    assertThat(QemuEventParser.parse(line)).isPresent();
  }

  /** The arguments of an event, as {@code printf} writes them. */
  private static String written(Traced event) {
    var text = new StringBuilder();
    Matcher conversion = CONVERSION.matcher(event.format());
    int copied = 0;
    while (conversion.find()) {
      text.append(event.format(), copied, conversion.start());
      String type = conversion.group(2) == null ? conversion.group(3) : conversion.group(2);
      text.append(
          switch (type) {
            case "s" -> TEXTS.getOrDefault(event.name(), "NAME");
            case "p" -> "0x7f1a2c000d70";
            case "x" -> (conversion.group(1).startsWith("#") ? "0x" : "") + "1f";
            case "c" -> "c";
            default -> "1";
          });
      copied = conversion.end();
    }
    text.append(event.format().substring(copied));
    String written = text.toString().replace("\"", "").replace("%%", "");
    assertThat(written).as(event.toString()).doesNotContain("%", "PRI");
    return written;
  }

  // ------------------------------------------------------------------------------ what is asked
  // for

  private static boolean matches(String event, String pattern) {
    return event.matches(pattern.replace("*", ".*"));
  }

  @ParameterizedTest
  @MethodSource("versions")
  void patterns_selectEverythingThatIsRead_andNothingThatIsWrittenAllTheTime(String version) {
    for (Traced event : QemuTraceLists.of(version)) {
      boolean selected =
          QemuVersions.TRACE_PATTERNS.stream().anyMatch(one -> matches(event.name(), one));
      if (QemuEventParser.reads(event.name())) {
        assertThat(selected).as(event.toString()).isTrue();
      }
      if (Set.of("migration_transferred_bytes", "migration_rate_limit_pre")
          .contains(event.name())) {
        assertThat(selected).as(event.toString()).isFalse();
      }
    }
  }

  @Test
  void documentation_namesThePatternsAndTheRenamedEvents() throws Exception {
    String options =
        QemuVersions.TRACE_PATTERNS.stream()
            .map("-trace '%s'"::formatted)
            .collect(Collectors.joining(" "));
    String page = Files.readString(Path.of("docs/qemu-logs.md"), StandardCharsets.UTF_8);
    assertThat(page.replaceAll("\\s*\\\\?\\n\\s*", " ")).contains(options);
    assertThat(QemuVersions.RENAMED.keySet())
        .filteredOn(name -> !name.endsWith("_b"))
        .allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
  }

  // ------------------------------------------------------------------------------ lines

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2026-11-25T23:21:24Z qemu_rdma_close| 1795648884000000000",
        "2026-11-25T23:21:24.5Z qemu_rdma_close| 1795648884500000000",
        "2026-11-25T23:21:24.244768Z qemu_rdma_close| 1795648884244768000",
        "(qemu) 2026-11-25T23:21:24.244768Z qemu_rdma_close| 1795648884244768000",
        "> 2026-11-25T23:21:24.244768Z qemu_rdma_close| 1795648884244768000",
        "2026-11-25T23:21:25.000001234Z 2026-11-25T23:21:24.5Z qemu_rdma_close|"
            + " 1795648884500000000",
        "2026-11-25T23:21:25.5Z 7@1795648884.500000:qemu_rdma_close| 1795648884500000000",
        "2199-12-31T23:59:59.999999Z qemu_rdma_close| 7258118399999999000",
        "2026-02-30T00:00:00Z qemu_rdma_close| -1",
        "2026-11-25T25:21:24Z qemu_rdma_close| -1"
      })
  void timesOfLines(String raw, long nanos) {
    QemuLine line = QemuLine.of(raw);
    assertThat(line.event()).isEqualTo("qemu_rdma_close");
    assertThat(line.nanos()).isEqualTo(nanos);
    assertThat(QemuConsole.isPrefix(line.before()) || line.before().isBlank()).isTrue();
  }

  /** With {@code -msg timestamp=on}, alone and with {@code guest-name=on}, in any version. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-25T23:21:24.244768Z qemu-system-x86_64: RDMA ERROR: connecting to destination!",
        "2026-11-26T17:15:13.529801Z fish food qemu-system-x86_64: -incoming rdma:127.0.0.1:7777:"
            + " RDMA ERROR: could not create rdma event channel"
      })
  void errorMessages_areNoEvents(String raw) {
    QemuLine line = QemuLine.of(raw);
    assertThat(line.isEvent()).isFalse();
    assertThat(QemuConsole.isComplaint(line.text())).isTrue();
  }

  // ------------------------------------------------------------------------------ statuses

  @ParameterizedTest
  @ValueSource(
      strings = {
        "none",
        "setup",
        "cancelling",
        "cancelled",
        "active",
        "postcopy-device",
        "postcopy-active",
        "postcopy-paused",
        "postcopy-recover-setup",
        "postcopy-recover",
        "completed",
        "failed",
        "colo",
        "pre-switchover",
        "device",
        "wait-unplug",
        "failing"
      })
  void everyStatusOfQemu111_isKnown(String status) {
    assertThat(QemuEventParser.parse(QemuLine.of("migrate_set_state new state " + status)))
        .isPresent();
  }

  @Test
  void failing_isAStatusOfItsOwn() {
    assertThat(QemuVersions.status("failing"))
        .isEqualTo(new QemuEvent.StatusEntered(MigrationStatus.FAILING));
    assertThat(QemuVersions.status("frobnicating")).isNull();
  }

  // ------------------------------------------------------------------------------ a later version

  @Test
  void unknownEventsOfRdma_arePassedOver_countedAndNamed() throws Exception {
    var lines = new ArrayList<String>();
    lines.add("2026-11-25T23:21:24.000000Z qemu_rdma_connect_pin_all_outcome 0");
    for (int i = 0; i < 3; i++) {
      lines.add("2026-11-25T23:21:24.00000%dZ qemu_rdma_frobnicate 1 2 3".formatted(i));
    }
    lines.add("2026-11-25T23:21:24.000004Z rdma_chunk_grown 2097152");
    lines.add("2026-11-25T23:21:24.000005Z migrate_set_state new state completed");
    Path log = Files.write(directory.resolve("new.log"), lines);
    try (Recording recording = Recording.open("file", log)) {
      assertThat(recording.sessions().getFirst().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(recording.notes())
          .containsExactly(
              "Events of QEMU's RDMA migration that are not known here were passed over:"
                  + " qemu_rdma_frobnicate (3), rdma_chunk_grown (1). A newer QEMU wrote the log;"
                  + " what these events tell is not shown.");
    }
  }

  @Test
  void anyNumberOfUnknownEvents_isOneShortNote() throws Exception {
    Path log =
        Files.write(
            directory.resolve("new.log"),
            Stream.concat(
                    Stream.of("qemu_rdma_connect_pin_all_outcome 0"),
                    IntStream.range(0, 500).mapToObj(i -> "qemu_rdma_new_%d".formatted(i)))
                .toList());
    try (Recording recording = Recording.open("file", log)) {
      assertThat(recording.notes())
          .anySatisfy(note -> assertThat(note).contains("others (480)").hasSizeLessThan(1_000));
    }
  }
}
