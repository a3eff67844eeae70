// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.analysis.Ladder;
import org.wridscope.analysis.Marks;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;

/** The analysis of the events of a migration agrees with the engine's counters. */
class AnalysisTruthTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;

  @ParameterizedTest(name = "pin-all {0}, extensions {1}")
  @CsvSource({"false, true", "true, true", "false, false"})
  void requestsMessagesAndWaits_agreeWithTheCounters(boolean pinAll, boolean extensions)
      throws Exception {
    try (var rig = new Rig().monitored();
        var guest = BlockGuest.of(5 * MIB + PAGE, PAGE, 2 * MIB).boot(1, 0.4);
        var copy = BlockGuest.of(5 * MIB + PAGE, PAGE, 2 * MIB);
        var sampler = new Sampler()) {
      var source = rig.source(guest, Rig.parameters(pinAll, extensions, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, extensions));
      sampler.add(source.telemetry());
      sampler.add(destination.telemetry());
      rig.run(source, destination);
      sampler.remove(source.telemetry());
      sampler.remove(destination.telemetry());
      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();

      Requests here = new Requests(source.telemetry()).readAll();
      Requests there = new Requests(destination.telemetry()).readAll();
      assertEnds(here);
      assertEnds(there);
      var ladder = new Ladder(here, there);
      assertThat(ladder.isPaired()).isTrue();
      assertPairs(ladder, Role.SOURCE, here, there);
      assertPairs(ladder, Role.DESTINATION, there, here);
    }
  }

  private static void assertEnds(Requests requests) {
    Metrics metrics = requests.telemetry().metrics();
    WorkRequests sends = requests.sends();
    long writes = 0;
    for (long id = sends.first(); id < sends.end(); id++) {
      assertThat(sends.isOpen(id)).as("send queue request %d is open", id).isFalse();
      assertThat(sends.endedNanos(id)).isGreaterThanOrEqualTo(sends.postedNanos(id));
      writes += sends.kind(id) == RequestKind.WRITE ? 1 : 0;
    }
    assertThat(writes).isEqualTo(metrics.get(Metric.WRITES_POSTED));
    assertThat(sends.end() - writes).isEqualTo(metrics.get(Metric.SENDS_POSTED));
    assertThat(requests.receives().end()).isEqualTo(metrics.get(Metric.RECEIVES_POSTED));
    assertThat(requests.receives().completions()).isEqualTo(metrics.get(Metric.RECEIVES_COMPLETED));
    for (QueueType queue : QueueType.values()) {
      assertThat(requests.of(queue).unmatched()).isZero();
    }
    assertThat(requests.marks().count(Marks.Kind.OUT_OF_ORDER)).isZero();
    assertThat(requests.marks().count(Marks.Kind.DROPPED)).isZero();
    assertThat(requests.waits().open()).isNegative();
    assertThat(requests.isUpToDate()).isTrue();
  }

  private static void assertPairs(Ladder ladder, Role from, Requests sender, Requests receiver) {
    long arrived = receiver.received().end();
    assertThat(arrived).isPositive().isLessThanOrEqualTo(sender.sent().end());
    for (long number = 0; number < arrived; number++) {
      Ladder.Rung rung = ladder.rung(from, number);
      // Messages that arrived while the connection was being closed may not have been decoded.
      assertThat(receiver.received().type(number)).isIn(rung.type(), -1);
      assertThat(rung.sentNanos()).isNotEqualTo(Ladder.UNKNOWN);
      assertThat(rung.receivedNanos()).isNotEqualTo(Ladder.UNKNOWN);
      assertThat(rung.length()).as("message %d", number).isNotNegative();
    }
  }
}
