// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.WorkCompletionStatus;

final class FindingsTest {
  private static final long SECOND = 1_000_000_000;

  private final Script script = new Script(Role.SOURCE);

  private FindingsTest set(Metric metric, long value) {
    script.telemetry().metrics().set(metric, value);
    return this;
  }

  private List<Finding> findings() {
    return Findings.of(script.requests(), Map.of());
  }

  private List<String> titles() {
    return findings().stream().map(Finding::title).toList();
  }

  @Test
  void failedRequests_areExplainedByTheFirstThatWasNotFlushed() {
    long wrid = Script.write(0, 1);
    script
        .postWrite(wrid, true)
        .postWrite(Script.write(0, 2), true)
        .completion(wrid, WorkCompletionStatus.WR_FLUSH_ERR.value())
        .completion(Script.write(0, 2), WorkCompletionStatus.RETRY_EXC_ERR.value());
    set(Metric.FAILED_COMPLETIONS, 2);
    Meaning meaning = Meanings.of(WorkCompletionStatus.RETRY_EXC_ERR);
    assertThat(findings())
        .filteredOn(finding -> finding.title().equals("requests failed"))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.seen()).contains(meaning.title());
          assertThat(finding.why()).contains(meaning.means());
          assertThat(finding.advice()).isEqualTo(meaning.advice());
        });
  }

  @Test
  void flushes_areNotTheCause_butTheFatalEventThatCameBefore() {
    long wrid = Script.write(0, 1);
    script.postWrite(wrid, true);
    script.completion(wrid, WorkCompletionStatus.WR_FLUSH_ERR.value());
    set(Metric.FAILED_COMPLETIONS, 1);
    assertThat(findings())
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.seen()).isEqualTo("1 completion with a status other than success.");
          assertThat(finding.advice()).contains("not among the requests");
        });
    script.event(EventKind.ASYNC, AsyncEventType.QP_FATAL.ordinal(), 0, 0, 2);
    Meaning meaning = Meanings.of(AsyncEventType.QP_FATAL);
    assertThat(findings())
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.seen()).endsWith("; the first cause: %s.".formatted(meaning.title()));
          assertThat(finding.advice()).isEqualTo(meaning.advice());
        });
  }

  @Test
  void sharesBelowTheirThresholds_areNoFindings() {
    set(Metric.TOTAL_TIME, 10 * SECOND).set(Metric.REGISTRATION_TIME, 2 * SECOND);
    set(Metric.SCAN_TIME, 4 * SECOND).set(Metric.WAIT_READY_TIME, SECOND);
    assertThat(findings()).isEmpty();
  }

  @Test
  void sharesAboveTheirThresholds_areFindings() {
    set(Metric.TOTAL_TIME, 10 * SECOND).set(Metric.WAIT_REGISTER_TIME, 3 * SECOND);
    set(Metric.SCAN_TIME, 5 * SECOND).set(Metric.WAIT_READY_TIME, 3 * SECOND);
    assertThat(titles())
        .containsExactlyInAnyOrder(
            "registration dominates", "zero scan dominates", "waiting for READY");
    assertThat(findings())
        .allSatisfy(finding -> {
          assertThat(finding.severity()).isEqualTo(Severity.WARNING);
          assertThat(finding.seen()).endsWith(".");
          assertThat(finding.why()).endsWith(".");
          assertThat(finding.advice()).endsWith(".");
        });
  }

  @Test
  void sharesOfAShortMigration_areNoFindings() {
    set(Metric.TOTAL_TIME, SECOND / 20).set(Metric.WAIT_REGISTER_TIME, SECOND / 25);
    assertThat(findings()).isEmpty();
  }

  @Test
  void sendQueue_thatWasOftenEmpty_isFound() {
    set(Metric.TOTAL_TIME, 2 * SECOND).set(Metric.NORMAL_PAGES, 1 << 20);
    set(Metric.SCAN_TIME, SECOND / 2);
    for (int i = 0; i < 100; i++) {
      script.at(i * SECOND / 100).postWrite(Script.write(0, i), true);
      script.at(i * SECOND / 100 + SECOND / 200).completion(Script.write(0, i), 0);
    }
    List<Finding> findings = findings();
    assertThat(titles()).containsExactly("send queue ran empty");
    assertThat(findings.getFirst().seen()).contains("empty for 50 %").contains("99 times");
    assertThat(findings.getFirst().advice()).contains("searching for zero pages");
    set(Metric.HELD_TIME, SECOND / 2);
    assertThat(titles()).as("it waited for permission to switch over").isEmpty();
    set(Metric.HELD_TIME, 0);
    set(Metric.WAIT_BANDWIDTH_TIME, SECOND);
    assertThat(titles()).containsExactly("bandwidth limit in force");
  }

  @Test
  void downtimeOverItsLimit_isAWarningWithItsParts() {
    set(Metric.DOWNTIME, SECOND / 2).set(Metric.DOWNTIME_LIMIT, SECOND / 4);
    Map<DowntimePart, Double> phases = new EnumMap<>(DowntimePart.class);
    phases.put(DowntimePart.PAUSE, 1.0);
    phases.put(DowntimePart.LAST_PAGES, 99.0);
    phases.put(DowntimePart.LOAD, 400.0);
    Finding over = Findings.of(script.requests(), phases).getFirst();
    assertThat(over.severity()).isEqualTo(Severity.WARNING);
    assertThat(over.seen()).contains("500 ms").contains("pause 1.0 ms, last pages 99 ms, load 400");
    assertThat(over.advice()).contains("Longest part: load");
    set(Metric.DOWNTIME_LIMIT, SECOND);
    assertThat(findings().getFirst().severity()).isEqualTo(Severity.INFO);
  }

  @Test
  void dropsAndOvertaking_areFindingsOfTheirEnd() {
    var deadlock = new SeedDeadlock();
    List<Finding> there = Findings.of(deadlock.destination().requests(), Map.of());
    assertThat(there)
        .extracting(Finding::title)
        .containsExactly("completions dropped", "messages overtook completions");
    assertThat(there.getFirst().severity()).isEqualTo(Severity.ERROR);
    assertThat(Findings.of(deadlock.source().requests(), Map.of())).isEmpty();
  }

  @Test
  void guestThatDirtiesFasterThanItIsSent_didNotConverge() {
    set(Metric.DIRTY_SYNC_COUNT, 9).set(Metric.DIRTY_BYTES_RATE, 2L << 30);
    set(Metric.BANDWIDTH, 1L << 30);
    assertThat(titles()).isEmpty();
    script.telemetry().setStatus(MigrationStatus.CANCELLED);
    assertThat(titles()).containsExactly("did not converge");
    script.telemetry().setStatus(MigrationStatus.COMPLETED);
    assertThat(titles()).isEmpty();
  }
}
