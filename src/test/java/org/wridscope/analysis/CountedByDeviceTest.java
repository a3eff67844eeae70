// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.DeviceCounter;

/**
 * What a device counted becomes a finding if it shows trouble, with the time and the gap beside.
 */
final class CountedByDeviceTest {
  private static final long SECOND = 1_000_000_000;
  private static final DeviceCounter SENT = new DeviceCounter("rxe0", 1, "sent_pkts");
  private static final DeviceCounter RETRIED = new DeviceCounter("rxe0", 1, "completer_retry_err");
  private static final DeviceCounter SEQUENCE = new DeviceCounter("rxe0", 1, "rcvd_seq_err");
  private static final DeviceCounter NOT_READY =
      new DeviceCounter("mlx5_0", 2, "rnr_nak_retry_err");

  private final Script script = new Script(Role.SOURCE);

  private List<Finding> findings() {
    return Findings.of(script.requests(), Map.of());
  }

  private void completed(long nanos) {
    long wrid = Script.write(0, 1);
    script.at(nanos - 1_000).postWrite(wrid, true).completion(wrid, 0);
  }

  @Test
  void traffic_isNoFinding() {
    script.at(SECOND).counted(SENT, 1_000_000, false);
    assertThat(findings()).isEmpty();
    assertThat(script.requests().counted().totals())
        .singleElement()
        .satisfies(total -> assertThat(total.count()).isEqualTo("1,000,000"));
  }

  @Test
  void retransmissions_areOneFinding_besideTheGapOfTheirTime() {
    completed(SECOND / 2);
    completed(2 * SECOND);
    completed(2 * SECOND + SECOND / 4);
    script.at(2 * SECOND + SECOND / 2).counted(RETRIED, 2, false).counted(SENT, 9, false);
    script.at(3 * SECOND + SECOND / 2).counted(RETRIED, 7, false).counted(SEQUENCE, 1, true);
    // A longer one, at another time.
    completed(9 * SECOND);
    completed(19 * SECOND);
    assertThat(findings())
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.severity()).isEqualTo(Severity.WARNING);
          assertThat(finding.seen())
              .isEqualTo(
                  "The device counted 7 completer_retry_err (rxe0 port 1), at least 1 rcvd_seq_err"
                      + " (rxe0 port 1), by samples from +2.500000 s to +3.500001 s. In that time no"
                      + " completion came for 6.8 s, from +2.250000 s on.");
          assertThat(finding.why()).endsWith(CountedByDevice.WHOSE);
          assertThat(finding.advice()).endsWith(".");
          long start = script.telemetry().startNanos();
          assertThat(finding.evidence().in(script.requests(), start, start + SECOND))
              .isEqualTo(new Evidence.Part(0, 1));
          assertThat(
                  finding.evidence().in(script.requests(), start + 2 * SECOND, start + 3 * SECOND))
              .isEqualTo(new Evidence.Part(1, 1));
        });
  }

  @Test
  void troubles_sayWhenACounterGrew_andByHowMuch() {
    script.at(SECOND).counted(RETRIED, 2, false).counted(SENT, 9, false);
    script.counted(SEQUENCE, 1, false);
    script.at(2 * SECOND).counted(SENT, 12, false);
    script.at(3 * SECOND).counted(RETRIED, 7, false);
    DeviceTroubles troubles = script.requests().counted().troubles();
    long start = script.telemetry().startNanos();
    assertThat(troubles.indexOf(start)).isZero();
    assertThat(troubles.endOfSample(0)).isEqualTo(2);
    assertThat(LongStream.range(0, troubles.end()).mapToObj(troubles::text))
        .containsExactly(
            "rxe0 port 1: 2 completer_retry_err",
            "rxe0 port 1: 1 rcvd_seq_err",
            "rxe0 port 1: 5 completer_retry_err");
    assertThat(troubles.sinceNanos(2) - start).isBetween(2 * SECOND, 2 * SECOND + SECOND / 10);
    assertThat(troubles.ofEvent(troubles.event(1))).isEqualTo(1);
    assertThat(troubles.ofEvent(troubles.event(1) - 1)).as("the traffic").isEqualTo(-1);
  }

  @Test
  void eachKindOfTrouble_isAFindingOfItsOwn_alsoWithoutAGap() {
    for (String name : List.of("out_of_buffer", "rp_cnp_handled", "link_downed")) {
      script.at(SECOND).counted(new DeviceCounter("mlx5_0", 2, name), 3, false);
    }
    script.at(SECOND).counted(NOT_READY, 1, false);
    assertThat(findings())
        .extracting(Finding::title)
        .containsExactlyInAnyOrder(
            "receiver not ready",
            "packets dropped for lack of a receive",
            "congestion counted",
            "link errors counted");
    assertThat(findings())
        .extracting(Finding::seen)
        .contains(
            "The device counted 1 rnr_nak_retry_err (mlx5_0 port 2), by the sample at +1.000000 s.");
  }

  @Test
  void counterThatNobodyKnows_isShownByItsName_withoutAMeaning() {
    script.at(SECOND).counted(new DeviceCounter("mlx9_0", 0, "of_tomorrow"), -1, false);
    assertThat(findings()).isEmpty();
    assertThat(script.requests().counted().totals())
        .singleElement()
        .satisfies(total -> {
          assertThat(total.counter().place()).isEqualTo("mlx9_0");
          assertThat(total.means()).isEmpty();
          assertThat(total.count()).isEqualTo("18446744073709551615");
        });
  }

  @Test
  void event_saysWhichCounter_andHowMuch() {
    script.at(SECOND).counted(RETRIED, 1234, true);
    Event event = script.telemetry().log().read(0, 1).getFirst();
    assertThat(EventText.summary(event, script.telemetry()))
        .isEqualTo("completer_retry_err of rxe0 port 1: at least 1,234 since the session began");
    assertThat(EventText.Group.COUNTERS.has(event)).isTrue();
    assertThat(EventText.failed(event)).isFalse();
  }

  /** The name of a counter may be another text, or none: a file may claim anything. */
  @Test
  void eventThatNamesNoCounter_isNotCounted() {
    script.wait("a text", 0).waitEnds("a text");
    script.event(EventKind.DEVICE_COUNTED, 0, 0, 0, 5);
    script.event(EventKind.DEVICE_COUNTED, 999, 0, 0, 5);
    assertThat(script.requests().counted().totals()).isEmpty();
    assertThat(
            EventText.summary(script.telemetry().log().read(2, 1).getFirst(), script.telemetry()))
        .isEqualTo("a text: 5 since the session began");
  }
}
