// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** There is a decision about each trace event, and the documentation tells it. */
final class QemuDecisionsTest {
  private static final Path PAGE = Path.of("docs/qemu-logs.md");

  private static List<String> eventsOfQemu72() {
    return QemuTraceLists.of("7.2").stream()
        .filter(QemuTraceLists.Traced::isOfRdma)
        .map(QemuTraceLists.Traced::name)
        .toList();
  }

  @Test
  void everyEventOfQemu72_hasADecision_andNoOtherDoes() {
    assertThat(eventsOfQemu72()).hasSize(84);
    assertThat(
            Stream.concat(QemuDecisions.ofRdma().stream(), QemuDecisions.ofOthers().stream())
                .map(QemuDecision::event))
        .containsExactlyInAnyOrderElementsOf(eventsOfQemu72());
  }

  @Test
  void whatIsIgnored_hasAReason() {
    assertThat(QemuEventParser.decisions().values())
        .allSatisfy(decision -> assertThat(decision.what()).isNotBlank());
  }

  @Test
  void documentation_tellsEachDecision() throws Exception {
    List<String> page = Files.readAllLines(PAGE, StandardCharsets.UTF_8);
    assertThat(page.stream().filter(line -> line.startsWith("| `")))
        .containsExactlyElementsOf(
            QemuEventParser.decisions().values().stream().map(QemuDecisionsTest::row).toList());
  }

  /** The decision as a row of the page. */
  static String row(QemuDecision decision) {
    return "| `%s` | %s | %s%s |%s"
        .formatted(
            decision.event(),
            decision.end() == null ? "both" : decision.end().name().toLowerCase(Locale.ROOT),
            decision.isRead() ? "" : "ignored: ",
            decision.what(),
            Stream.of(QemuTraceEvent.values())
                .filter(event -> event.qemuName().equals(decision.event()))
                .findFirst()
                .map(event -> " " + written(event) + " |")
                .orElse(""));
  }

  private static String written(QemuTraceEvent event) {
    String how =
        switch (event.writing()) {
          case RECORDED -> "yes";
          case DERIVED -> "derived";
          case NEVER -> "no";
        };
    return event.remark().isEmpty() ? how : how + ": " + event.remark();
  }
}
