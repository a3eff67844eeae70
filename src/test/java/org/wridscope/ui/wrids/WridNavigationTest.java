// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Query;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Script;
import org.wridscope.analysis.SeedDeadlock;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.wrids.WridNavigation.Ends;

/** The way from one request to the next, without a window. */
final class WridNavigationTest {
  private final FakeSession source =
      new FakeSession("n source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("n destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final long origin = source.telemetry().startNanos();
  private final TimeRange range = new TimeRange();
  private final Selection selection = new Selection();
  private final Analyses analyses = new Analyses();
  private final WridNavigation navigation = new WridNavigation(range, selection, analyses);

  private void show(Ends ends) {
    navigation.show(new SessionPair(source, destination), ends);
    readAll();
  }

  private static Query query(String text) {
    return Objects.requireNonNull(Query.parse(text, List.of()));
  }

  private void readAll() {
    do {
      navigation.advance(origin);
    } while (!navigation.isComplete());
  }

  private void showWrites(int count) {
    var requests = new ScriptedRequests(source.telemetry(), destination.telemetry(), 1);
    requests.writes(count, 9_000);
    range.hold(origin, origin + requests.lastNanos());
    show(Ends.BOTH);
  }

  private Selected.WorkRequest selected() {
    assertThat(selection.get()).isInstanceOf(Selected.WorkRequest.class);
    return (Selected.WorkRequest) Objects.requireNonNull(selection.get());
  }

  private long shown(int end, QueueType queue) {
    var posted = navigation.models().get(end).shown(queue).posted();
    return posted.end() - posted.first();
  }

  @Test
  void show_ofOneEnd_leavesOutTheOther() {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    show(Ends.BOTH);
    assertThat(navigation.counts())
        .isEqualTo("source: 3 requests  |  dest.: 2 requests, 1 out of order, 1 dropped");
    show(Ends.DESTINATION);
    assertThat(navigation.counts()).isEqualTo("2 requests, 1 out of order, 1 dropped");
    show(Ends.SOURCE);
    assertThat(navigation.counts()).isEqualTo("3 requests");
    navigation.show(null, Ends.BOTH);
    assertThat(navigation.counts()).isEmpty();
    assertThat(navigation.whyEmpty()).isEqualTo("Select a migration to see its work requests.");
  }

  @Test
  void completionThatAnotherWaitMet_isCountedAsHarmless() {
    new Script(source.telemetry(), origin)
        .at(1_000)
        .postReceive(0)
        .wait("RDMA writes to complete", 0)
        .receiveCompletion(0)
        .met("RDMA writes to complete", WorkRequestId.CONTROL_RECEIVE);
    show(Ends.SOURCE);
    assertThat(navigation.counts()).isEqualTo("1 request, 1 handled by another wait, harmless");
    assertThat(
            WridText.line(navigation.models().getFirst().requests(), QueueType.RECEIVE, 0, origin))
        .endsWith(", its completion was handled by another wait, harmless");
  }

  @Test
  void filter_byKindAndQuery_combinesBoth() {
    showWrites(200);
    navigation.filter(null, null);
    readAll();
    long all = shown(0, QueueType.SEND);
    navigation.filter(null, RequestKind.WRITE);
    readAll();
    assertThat(shown(0, QueueType.SEND)).isEqualTo(200).isLessThan(all);
    assertThat(shown(0, QueueType.RECEIVE)).isZero();
    navigation.filter(query("chunk=17"), RequestKind.WRITE);
    readAll();
    assertThat(shown(0, QueueType.SEND)).isOne();
    navigation.filter(query("chunk=17"), RequestKind.RECEIVE);
    readAll();
    assertThat(shown(0, QueueType.SEND) + shown(0, QueueType.RECEIVE)).isZero();
    navigation.filter(query("opcode=write status=success"), null);
    readAll();
    assertThat(shown(0, QueueType.SEND)).isPositive().isLessThanOrEqualTo(200).isLessThan(all);
    navigation.filter(null, null);
    readAll();
    assertThat(shown(0, QueueType.SEND)).isEqualTo(all);
  }

  @Test
  void step_withoutARequest_selectsTheFirstInSight_orThatOfTheSelectedEvent() {
    showWrites(200);
    range.hold(origin + range.shownNanos() / 2, origin + range.shownNanos());
    long left = range.leftNanos();
    navigation.step(true);
    var first = selected();
    assertThat(first.facts().postedNanos()).isGreaterThanOrEqualTo(left);
    navigation.step(true);
    assertThat(selected().facts().id()).isEqualTo(first.facts().id() + 1);
    long event = analyses.of(source).sends().postEvent(7);
    selection.selectEvent(source, event);
    navigation.step(false);
    assertThat(selected().facts().id()).isEqualTo(7);
    range.hold(origin - 2_000_000_000, origin - 1_000_000_000);
    selection.select(null);
    navigation.step(true);
    assertThat(selection.get()).as("nothing is in sight").isNull();
  }

  @Test
  void goToMarked_goesFromOneToTheNextAndBack_andShowsEach() {
    showWrites(9_000);
    navigation.mark(query("opcode=write block=0 chunk=17"));
    readAll();
    assertThat(navigation.hasMarks()).isTrue();
    assertThat(navigation.counts()).endsWith("2 marked");
    long whole = range.shownNanos();
    navigation.goToMarked(true);
    var first = selected();
    assertThat(first.facts().text()).isEqualTo("WRITE RDMA block 0 chunk 17");
    assertThat(range.shownNanos()).isLessThan(whole / 10);
    assertThat(first.facts().postedNanos()).isBetween(range.leftNanos(), range.rightNanos());
    navigation.goToMarked(true);
    var second = selected();
    assertThat(second.facts().id()).isGreaterThan(first.facts().id());
    assertThat(second.facts().postedNanos()).isBetween(range.leftNanos(), range.rightNanos());
    // There is none after the last one.
    navigation.goToMarked(true);
    assertThat(selected().isSame(second)).isTrue();
    navigation.goToMarked(false);
    assertThat(selected().isSame(first)).isTrue();
    navigation.mark(null);
    assertThat(navigation.hasMarks()).isFalse();
  }

  @Test
  void chunkThatIsSelected_isMarked_unlessSomethingIsSearchedFor() {
    showWrites(200);
    selection.select(new Selected.Chunk(source, 0, 17));
    navigation.mark(null);
    readAll();
    assertThat(navigation.counts()).endsWith("1 marked");
    navigation.mark(query("opcode=recv"));
    readAll();
    assertThat(navigation.counts()).doesNotEndWith("  1 marked");
  }

  @Test
  void step_goesToTheNextRequestOfTheSameQueue_andStopsAtTheEnds() {
    showWrites(200);
    navigation.mark(query("chunk=17"));
    readAll();
    navigation.goToMarked(true);
    var first = selected();
    navigation.step(true);
    assertThat(selected().facts().id()).isGreaterThan(first.facts().id());
    assertThat(selected().facts().queue()).isEqualTo(QueueType.SEND);
    navigation.step(false);
    assertThat(selected().isSame(first)).isTrue();
    for (int i = 0; i < 300; i++) {
      navigation.step(false);
    }
    var earliest = selected();
    navigation.step(false);
    assertThat(selected().isSame(earliest)).isTrue();
  }

  @Test
  void select_ofAWait_selectsTheEventWithWhichItBegan() {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    show(Ends.BOTH);
    WridModel model = navigation.models().getFirst();
    navigation.select(new WridPicker.Wait(model, model.requests().waits().first()));
    assertThat(selection.get()).isInstanceOf(Selected.LoggedEvent.class);
    var logged = (Selected.LoggedEvent) Objects.requireNonNull(selection.get());
    assertThat(logged.session()).isEqualTo(source);
    assertThat(logged.event().kind()).isEqualTo(EventKind.WAIT_BEGIN);
    assertThat(navigation.chosen()).isEmpty();
  }

  /** One of each kind, in the order of time: the number says when. */
  private void logAnomalies() {
    var log = source.telemetry().log();
    long first = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 1);
    long second = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 2);
    long third = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 3);
    long fourth = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 4);
    long second1 = 1_000_000_000;
    log.add(origin, EventKind.POST_WRITE, 1, 1, first, 0);
    log.add(origin, EventKind.POST_WRITE, 1, 1, second, 0);
    log.add(origin + 1 * second1, EventKind.COMPLETION_SEND_QUEUE, 0, 0, second, 0);
    log.add(origin + 1 * second1, EventKind.COMPLETION_SEND_QUEUE, 0, 0, first, 0);
    log.add(origin + 2 * second1, EventKind.POST_WRITE, 1, 1, third, 0);
    log.add(origin + 3 * second1, EventKind.COMPLETION_SEND_QUEUE, 10, 0, third, 0);
    log.add(origin + 4 * second1, EventKind.WAIT_BEGIN, 0, 0, 0, 0);
    log.add(origin + 6 * second1, EventKind.WAIT_END, 0, 0, 0, 2 * second1);
    log.add(origin + 7 * second1, EventKind.COMPLETION_SEND_QUEUE, 0, 0, first, 0);
    log.add(origin + 8 * second1, EventKind.POST_WRITE, 1, 1, fourth, 0);
    source.end(MigrationStatus.FAILED, "x");
    destination.end(MigrationStatus.FAILED, "x");
    range.reset(origin);
    show(Ends.BOTH);
    range.hold(origin, origin + 9 * second1);
  }

  @Test
  void anomalies_areVisitedInTheOrderOfTime_thenFromTheBeginningAgain() {
    logAnomalies();
    String[] way = {
      "a completion out of order",
      "a failed completion: remote access error",
      "a long wait: waited for ",
      "a completion of a request whose post is not recorded",
      "a request that never completed",
      "back at the beginning: a completion out of order"
    };
    for (String each : way) {
      assertThat(navigation.goToAnomaly(true)).startsWith(each);
      assertThat(range.leftNanos()).isGreaterThanOrEqualTo(origin - range.shownNanos() / 20);
      assertThat(navigation.landing().isPresent()).isEqualTo(!each.contains("not recorded"));
    }
    assertThat(navigation.goToAnomaly(false))
        .isEqualTo("back at the end: a request that never completed");
    assertThat(navigation.goToAnomaly(false)).startsWith("a completion of a request whose post");
  }

  /** The receive was posted long before, and the session ended long after. */
  @Test
  void anomaly_isZoomed_untilBothRequestsCanBeToldApart() {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    new Script(destination.telemetry(), origin).at(15_000_000_000L).postReceive(1);
    show(Ends.BOTH);
    range.hold(origin, origin + 15_000_000_000L);
    List<String> found = List.of("a completion out of order", "a completion that was dropped");
    for (String each : found) {
      assertThat(navigation.goToAnomaly(true)).isEqualTo(each);
      // The receive completes at 1.15 ms, and the SEND at 1.18 ms.
      assertThat(range.leftNanos()).isBetween(origin - 30_000, origin + 1_150_000 - 30_000);
      assertThat(range.rightNanos()).isGreaterThan(origin + 1_180_000);
      assertThat(range.shownNanos()).isLessThan(20 * 30_000);
    }
  }

  @Test
  void anomalies_begin_atWhatIsSelected() {
    logAnomalies();
    selection.selectEvent(source, 4);
    assertThat(navigation.goToAnomaly(true)).startsWith("a failed completion");
    selection.selectEvent(source, 4);
    assertThat(navigation.goToAnomaly(false)).isEqualTo("a completion out of order");
  }

  @Test
  void anomalies_ofWhatIsFilteredOut_areSkipped() {
    logAnomalies();
    navigation.filter(query("chunk=3"), null);
    readAll();
    assertThat(navigation.goToAnomaly(true)).startsWith("a failed completion");
    assertThat(navigation.goToAnomaly(true)).startsWith("back at the beginning: a failed");
    navigation.filter(query("chunk=99"), null);
    readAll();
    assertThat(navigation.goToAnomaly(true)).isEqualTo("no anomaly among these requests");
  }

  @Test
  void now_isTheClockWhileItGoesOn_andTheLastEventAfterTheEnd() {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    show(Ends.BOTH);
    assertThat(navigation.nowNanos()).isEqualTo(origin);
    source.end(MigrationStatus.FAILED, "x");
    destination.end(MigrationStatus.FAILED, "x");
    readAll();
    assertThat(navigation.nowNanos()).isGreaterThanOrEqualTo(origin + 1_190_000);
  }
}
