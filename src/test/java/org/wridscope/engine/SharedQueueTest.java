// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Marks;
import org.wridscope.analysis.Requests;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Time;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/**
 * With one completion queue for sends and receives and the waits of old QEMUs, a migration hangs
 * when a receive completes before the SEND that it answers; with two queues it does not.
 */
@ExtendWith(UnderSchedule.class)
class SharedQueueTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {2 * MIB + PAGE, PAGE};

  /** Longer than {@link #SILENCE}, and than the other side takes to answer. */
  private static final long LATE = 3_000_000_000L;

  /** Longer than the other side usually takes to answer; for migrations that succeed anyway. */
  private static final long QUITE_LATE = 300_000_000;

  /** Longer than a device takes from the delivery of a message to the completion of its SEND. */
  private static final long APART = 10_000_000;

  /** Limit of a wait that is certain to hang; longer than a busy machine stands still. */
  private static final Duration SILENCE = Duration.ofSeconds(1);

  private static Limits impatient() {
    Limits limits = Rig.NO_INQUIRY;
    return new Limits(
        limits.connect(),
        limits.answer(),
        limits.work(),
        limits.goodbye(),
        limits.inquiry(),
        // A heartbeat would break the silence.
        SILENCE.multipliedBy(40),
        SILENCE);
  }

  private static MigrationParameters shared(boolean extensions) {
    return new MigrationParameters(
            Settings.USUAL
                .with(MigrationSetting.COMPLETION_QUEUES, CompletionQueues.SHARED)
                .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45))
                .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofNanos(1)))
        .extending(extensions);
  }

  private static BlockGuest guest() {
    var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
    return guest.onSync(sync -> {
      if (sync <= 2) {
        guest.write(0, sync * PAGE, (byte) sync);
      }
    });
  }

  /** Delays the completion of a device's SEND of this number, from 0. */
  private static FaultPlan late(long send) {
    return late(send, LATE);
  }

  private static FaultPlan late(long send, long nanos) {
    var sends = new AtomicInteger();
    return (queuePairNumber, ordinal, opcode, workRequestId) ->
        opcode == SendRequest.Opcode.SEND && sends.getAndIncrement() == send
            ? new Fault.HoldCompletion(nanos, false)
            : Fault.PROCEED;
  }

  /**
   * The steps 3 to 11 of QEMU commit b390afd8c50b: the destination's READY is X, the source's next
   * message is Y.
   */
  @Test
  void destinationHangs_asTheCommitSays_andSaysWhy() throws Exception {
    try (var rig = new Rig(impatient()).monitored();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS);
        var sampler = new Sampler()) {
      var source = rig.source(guest, shared(true));
      var destination = rig.destination(copy, shared(true));
      sampler.add(destination.telemetry());
      // The first READY is for the stream, the second for the first registration message.
      rig.destinationDevice.setFaultPlan(late(1));

      rig.run(source, destination);

      sampler.remove(destination.telemetry());
      Explanation explanation =
          Explainer.explain(
              null, new Requests(destination.telemetry()).readAll(), Time.nanos(), null);
      assertThat(explanation.steps())
          .extracting(Explanation.Step::text)
          .anySatisfy(step -> assertThat(step).contains("drops the completion"))
          .last()
          .asString()
          .contains("a request completes only once, and the completion of", "is gone");
      String why =
          "Nothing came from the peer for 1.0 s while waiting for the source's next registration"
              + " message. The wait for the SEND of READY to complete had dropped the"
              + " completion of CONTROL RECV 1, which came first in the shared completion queue, so"
              + " this wait cannot end; use separate completion queues.";
      assertThat(destination.outcome()).isEqualTo(why + " The guest was not started here.");
      assertThat(source.outcome())
          .isEqualTo("The destination gave up: " + why + " The guest keeps running at the source.");
      assertThat(guest.isRunning()).isTrue();
      assertThat(source.telemetry().metrics().get(Metric.RAM_REMAINING))
          .as("nothing was sent")
          .isEqualTo(source.telemetry().metrics().get(Metric.RAM_TOTAL));
      SessionTelemetry telemetry = destination.telemetry();
      assertThat(telemetry.metrics().get(Metric.COMPLETIONS_DROPPED)).isEqualTo(1);
      assertThat(telemetry.metrics().get(Metric.COMPLETION_QUEUE_SHARED)).isEqualTo(1);
      assertThat(source.telemetry().metrics().get(Metric.COMPLETION_QUEUE_SHARED)).isEqualTo(1);
      assertThat(story(telemetry))
          .containsSubsequence(
              "CONTROL_SENT READY",
              "WAIT_BEGIN the SEND of READY to complete",
              "COMPLETION_RECEIVE_QUEUE CONTROL RECV 1",
              "COMPLETION_DROPPED the SEND of READY to complete",
              "COMPLETION_SEND_QUEUE CONTROL SEND",
              "WAIT_END the SEND of READY to complete",
              "WAIT_BEGIN the source's next registration message",
              "WAIT_END the source's next registration message");
      assertThat(story(telemetry))
          .filteredOn(step -> step.startsWith("CONTROL_RECEIVED"))
          .as("what was dropped did not arrive")
          .containsExactly("CONTROL_RECEIVED QEMU FILE");
    }
  }

  /** The completion of the first WRITE comes only after that of the READY that follows it. */
  @Test
  void writeAndReceiveOutOfOrder_areMetWithoutHarm() throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY).monitored();
        // Without zeros, which another message would announce.
        var guest = BlockGuest.of(LENGTHS).boot(1, 0);
        var copy = BlockGuest.of(LENGTHS);
        var sampler = new Sampler()) {
      var source = rig.source(guest, shared(true));
      var destination = rig.destination(copy, shared(true));
      sampler.add(source.telemetry());
      var writes = new AtomicInteger();
      rig.sourceDevice.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) -> {
        if (opcode == SendRequest.Opcode.SEND) {
          // Completes before its answer comes.
          return new Fault.Delay(APART);
        }
        return writes.getAndIncrement() == 0
            ? new Fault.HoldCompletion(10 * LATE, true)
            : Fault.PROCEED;
      });
      var sends = new AtomicInteger();
      rig.destinationDevice.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) ->
          // The eighth is the READY after the first REGISTER RESULT.
          new Fault.Delay(sends.getAndIncrement() == 7 ? LATE / 6 : APART));

      rig.run(source, destination);

      sampler.remove(source.telemetry());
      SessionTelemetry telemetry = source.telemetry();
      assertThat(source.verified()).as(source.outcome()).isTrue();
      assertThat(copy.hasEqualRam(guest)).isTrue();
      assertThat(telemetry.metrics().get(Metric.COMPLETIONS_DROPPED)).isZero();
      assertThat(telemetry.metrics().get(Metric.COMPLETIONS_MET)).isPositive();
      assertThat(story(telemetry))
          .containsSubsequence(
              "WAIT_BEGIN RDMA writes to complete",
              "COMPLETION_RECEIVE_QUEUE CONTROL RECV 3",
              "CONTROL_RECEIVED READY",
              "COMPLETION_MET RDMA writes to complete",
              "WAIT_END RDMA writes to complete");
      var requests = new Requests(telemetry).readAll();
      assertThat(requests.marks().count(Marks.Kind.MET))
          .isEqualTo(telemetry.metrics().get(Metric.COMPLETIONS_MET));
      assertThat(requests.marks().count(Marks.Kind.DROPPED)).isZero();
      assertThat(Explainer.explain(requests, null, Time.nanos(), null).steps())
          .extracting(Explanation.Step::text)
          .anyMatch(text ->
              text.startsWith(
                  "At the source the wait for RDMA writes to complete polls the completion of"
                      + " CONTROL RECV 3 and handles it, which is harmless"));
      assertThat(Findings.of(requests, Map.of()))
          .filteredOn(finding -> finding.title().equals("completions handled by another wait"))
          .singleElement()
          .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO));
    }
  }

  private static List<String> story(SessionTelemetry telemetry) {
    var story = new ArrayList<String>();
    for (Event event : telemetry.log().read(0, Integer.MAX_VALUE)) {
      String what =
          switch (event.kind()) {
            case CONTROL_SENT, CONTROL_RECEIVED -> String.valueOf(text(event));
            case WAIT_BEGIN, WAIT_END, COMPLETION_DROPPED, COMPLETION_MET ->
                telemetry.waits().get(event.detail()).text();
            case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE ->
                WorkRequestId.describe(event.wrid());
            default -> "";
          };
      story.add(event.kind() + " " + what);
    }
    return story;
  }

  private static String text(Event event) {
    ControlType type = ControlType.of(event.detail());
    return type == null ? "?" : type.text();
  }

  /**
   * The source waits for an answer that it has dropped, or the destination for a message; the order
   * of events decides which of them gives up first.
   */
  @Test
  void anEndHangs_onWhatItHasDropped_andSaysWhy() throws Exception {
    try (var rig = new Rig(impatient());
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, shared(false));
      var destination = rig.destination(copy, shared(false));
      // The first SEND is of the stream, the second is RAM BLOCKS REQUEST.
      rig.sourceDevice.setFaultPlan(late(1));
      rig.run(source, destination);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      boolean here = source.telemetry().metrics().get(Metric.COMPLETIONS_DROPPED) > 0;
      assertThat(
              (here ? source : destination).telemetry().metrics().get(Metric.COMPLETIONS_DROPPED))
          .isPositive();
      assertThat(source.outcome() + destination.outcome())
          .contains(
              "to complete had dropped the completion of CONTROL RECV", "The peer disconnected");
      assertThat(guest.isRunning()).isTrue();
    }
  }

  /** The time-out of the whole migration may come first. */
  @Test
  void timeoutOfTheMigration_saysWhy_too() throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source =
          rig.source(
              guest,
              new MigrationParameters(
                  Settings.USUAL
                      .with(MigrationSetting.COMPLETION_QUEUES, CompletionQueues.SHARED)
                      .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(3))
                      .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofNanos(1))));
      var destination = rig.destination(copy, shared(true));
      rig.sourceDevice.setFaultPlan(late(1));
      rig.run(source, destination);
      assertThat(source.outcome())
          .contains(
              "The migration did not complete within 3.0 s.",
              "The wait for the SEND of RAM BLOCKS REQUEST to complete had dropped");
      assertThat(guest.isRunning()).isTrue();
    }
  }

  /** With separate queues, late completions do no harm. */
  @ParameterizedTest
  @EnumSource(Role.class)
  void migrationSucceeds_withAQueueForEach_whicheverSendIsLate(Role role) throws Exception {
    long sends = sends().getOrDefault(role, 0L);
    var cases = new ArrayList<Long>();
    for (long send = 0; send < sends; send++) {
      cases.add(send);
    }
    Concurrently.forEach(
        cases,
        send -> {
          try (var rig = new Rig();
              var guest = guest();
              var copy = BlockGuest.of(LENGTHS)) {
            var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
            var destination = rig.destination(copy, Rig.parameters(false, true));
            (role == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice)
                .setFaultPlan(late(send, QUITE_LATE));
            rig.run(source, destination);
            assertThat(source.verified()).as(source.outcome()).isTrue();
            assertThat(copy.hasEqualRam(guest)).isTrue();
          }
        });
  }

  private static Map<Role, Long> sends() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      rig.run(source, destination);
      var sends = new EnumMap<Role, Long>(Role.class);
      sends.put(Role.SOURCE, source.telemetry().metrics().get(Metric.SENDS_POSTED));
      sends.put(Role.DESTINATION, destination.telemetry().metrics().get(Metric.SENDS_POSTED));
      return sends;
    }
  }

  /** Whether it hangs or not, one guest runs, and the outcome explains a hang. */
  @ParameterizedTest
  @EnumSource(Role.class)
  void oneGuestRuns_withASharedQueue_whicheverSendIsLate(Role role) throws Exception {
    long sends = sends().getOrDefault(role, 0L);
    var hangs = new AtomicInteger();
    var cases = new ArrayList<Long>();
    for (long send = 0; send < sends; send++) {
      cases.add(send);
    }
    Concurrently.forEach(cases, send -> hangs.addAndGet(sharedWithLate(role, send) ? 1 : 0));
    assertThat(hangs.get()).isGreaterThan(cases.size() / 2);
  }

  private static boolean sharedWithLate(Role role, long send) throws Exception {
    try (var rig = new Rig(impatient());
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, shared(true));
      var destination = rig.destination(copy, shared(true));
      (role == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice).setFaultPlan(late(send));
      rig.run(source, destination);
      String what = "%s%n%s%n%s".formatted(send, source.outcome(), destination.outcome());
      boolean undecided = source.telemetry().status() == MigrationStatus.UNDECIDED;
      if (!undecided) {
        assertThat(guest.isRunning()).as(what).isNotEqualTo(copy.isRunning());
      } else {
        assertThat(guest.isRunning()).as(what).isFalse();
      }
      if (copy.isRunning()) {
        assertThat(copy.hasEqualRam(guest)).as(what).isTrue();
      } else {
        assertThat(what).contains("had dropped the completion of CONTROL RECV");
      }
      long dropped =
          source.telemetry().metrics().get(Metric.COMPLETIONS_DROPPED)
              + destination.telemetry().metrics().get(Metric.COMPLETIONS_DROPPED);
      assertThat(dropped > 0 || copy.isRunning()).as(what).isTrue();
      return !copy.isRunning();
    }
  }
}
