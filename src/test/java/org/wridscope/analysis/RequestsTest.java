// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.WorkCompletionStatus;

final class RequestsTest {
  private static final long FLUSHED = WorkCompletionStatus.WR_FLUSH_ERR.value();

  private final Script script = new Script(Role.SOURCE);

  private static long w(long chunk) {
    return Script.write(0, chunk);
  }

  @Test
  void completion_ofARepeatedWrid_belongsToTheOldestRequest() {
    script.postWrite(w(7), true).postWrite(w(7), true).postWrite(w(7), true);
    long first = script.completion(w(7), 0).now();
    long second = script.completion(w(7), 0).now();
    WorkRequests sends = script.requests().sends();
    assertThat(sends.endedNanos(0)).isEqualTo(first);
    assertThat(sends.endedNanos(1)).isEqualTo(second);
    assertThat(sends.isOpen(2)).isTrue();
    assertThat(sends.openCount()).isEqualTo(1);
    assertThat(sends.openOrLast(w(7))).isEqualTo(2);
  }

  @Test
  void completion_thatSucceeded_coversEarlierUnsignaledRequests() {
    script.postWrite(w(1), false).postWrite(w(2), false).postWrite(w(3), true);
    script.postWrite(w(4), false);
    long end = script.completion(w(3), 0).now();
    WorkRequests sends = script.requests().sends();
    for (int id = 0; id < 2; id++) {
      assertThat(sends.endedNanos(id)).isEqualTo(end);
      assertThat(sends.coveredBy(id)).isEqualTo(2);
    }
    assertThat(sends.coveredBy(2)).isEqualTo(WorkRequests.NONE);
    assertThat(sends.isOpen(3)).isTrue();
    assertThat(sends.ofEvent(4)).isEqualTo(2);
    assertThat(sends.ofEvent(1)).isEqualTo(1);
    assertThat(sends.ofEvent(99)).isEqualTo(WorkRequests.NONE);
  }

  @Test
  void completion_thatFailed_coversNoOtherRequest() {
    script.postWrite(w(1), false).postWrite(w(2), true);
    script.completion(w(2), WorkCompletionStatus.REM_ACCESS_ERR.value());
    script.completion(w(1), (int) FLUSHED);
    Requests requests = script.requests();
    WorkRequests sends = requests.sends();
    assertThat(sends.coveredBy(0)).isEqualTo(WorkRequests.NONE);
    assertThat(sends.status(0)).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
    assertThat(sends.status(1)).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
    assertThat(requests.marks().count(Marks.Kind.FAILED)).isEqualTo(2);
    assertThat(requests.marks().count(Marks.Kind.OUT_OF_ORDER)).isZero();
    assertThat(requests.latencies().count(RequestKind.WRITE)).isZero();
  }

  @Test
  void latencies_ofARange_areOfRequestsPostedInIt() {
    long begin = script.postWrite(w(1), true).now();
    script.postWrite(w(2), false).postWrite(w(3), true);
    long failed = script.completion(w(1), 0).completion(w(3), 0).postWrite(w(4), true).now();
    script.completion(w(4), (int) FLUSHED);
    long open = script.postWrite(w(5), true).now();
    Requests requests = script.requests();
    assertThat(Latencies.postedIn(requests, begin, open + 1).count(RequestKind.WRITE)).isEqualTo(2);
    assertThat(Latencies.postedIn(requests, begin + 1, failed).count(RequestKind.WRITE)).isOne();
    assertThat(Latencies.postedIn(requests, failed, open + 1).count(RequestKind.WRITE)).isZero();
    WorkRequests sends = requests.sends();
    assertThat(Latencies.postedIn(requests, begin, begin + 1).percentile(RequestKind.WRITE, 50))
        .isCloseTo(sends.endedNanos(0) - sends.postedNanos(0), withinPercentage(1));
  }

  @Test
  void completion_withoutAPost_isCountedAndHarmless() {
    script.completion(w(1), 0).postWrite(w(1), true).completion(w(1), 0).completion(w(1), 0);
    WorkRequests sends = script.requests().sends();
    assertThat(sends.unmatched()).isEqualTo(2);
    assertThat(sends.completions()).isEqualTo(1);
  }

  @Test
  void completion_beforeThatOfAnEarlierRequest_isOutOfOrder() {
    script.postWrite(w(1), true).postWrite(w(2), true).postWrite(w(3), true);
    script.completion(w(2), 0).completion(w(1), 0).completion(w(3), 0);
    Requests requests = script.requests();
    Marks marks = requests.marks();
    assertThat(marks.count(Marks.Kind.OUT_OF_ORDER)).isEqualTo(1);
    assertThat(marks.request(0)).isEqualTo(1);
    assertThat(marks.other(0)).isZero();
    assertThat(requests.sends().overtook(1)).isTrue();
    assertThat(requests.sends().overtaken(0)).isTrue();
    assertThat(requests.sends().overtook(2)).isFalse();
  }

  @Test
  void postSend_beforeItsControlMessage_isOneRequest() {
    script
        .event(EventKind.POST_SEND, ControlType.READY.value(), 16, WorkRequestId.CONTROL_SEND, 0)
        .send(ControlType.READY, 0)
        .sent()
        .send(ControlType.READY, 0);
    Requests requests = script.requests();
    assertThat(requests.sends().end()).isEqualTo(2);
    assertThat(requests.sends().controlType(0)).isEqualTo(ControlType.READY.value());
    assertThat(requests.sent().request(0)).isZero();
    assertThat(requests.sent().request(1)).isEqualTo(1);
  }

  @Test
  void waits_haveSpansRequestsAndSums() {
    script.send(ControlType.READY, 0);
    long began = script.wait("the SEND", WorkRequestId.CONTROL_SEND).now();
    long ended = script.at(900_000).sent().waitEnds("the SEND").now();
    long again = script.at(2_000_000).wait("a message", 0).now();
    Requests requests = script.requests();
    Waits waits = requests.waits();
    assertThat(waits.beganNanos(0)).isEqualTo(began);
    assertThat(waits.endedNanos(0)).isEqualTo(ended);
    assertThat(waits.request(0)).isZero();
    assertThat(waits.came(0)).isTrue();
    assertThat(waits.isOpen(1)).isTrue();
    assertThat(waits.open()).isEqualTo(1);
    assertThat(waits.waitedUntil(began)).isZero();
    assertThat(waits.waitedUntil(began + 100)).isEqualTo(100);
    assertThat(waits.waitedUntil(again)).isEqualTo(ended - began);
    assertThat(waits.waitedUntil(again + 5)).isEqualTo(ended - began + 5);
    assertThat(waits.indexOf(began)).isZero();
    assertThat(waits.indexOf(ended + 1)).isEqualTo(1);
    assertThat(waits.ofEvent(waits.endEvent(0))).isZero();
  }

  @Test
  void deadlock_isMarkedWhereItHappens() {
    var deadlock = new SeedDeadlock();
    Requests destination = deadlock.destination().requests();
    assertThat(destination.receives().dropped(0)).isTrue();
    assertThat(destination.receives().overtook(0)).isTrue();
    assertThat(destination.sends().overtaken(0)).isTrue();
    Marks marks = destination.marks();
    assertThat(marks.count(Marks.Kind.DROPPED)).isEqualTo(1);
    assertThat(marks.count(Marks.Kind.RECEIVE_OVERTOOK_SEND)).isEqualTo(1);
    long waiting = destination.waits().open();
    assertThat(destination.waits().request(waiting)).isZero();
    assertThat(destination.waits().came(waiting)).isFalse();
    Requests source = deadlock.source().requests();
    assertThat(source.marks().end()).isZero();
    assertThat(source.waits().request(source.waits().open())).isEqualTo(1);
  }

  @Test
  void drop_withoutACompletionEvent_endsTheRequest() {
    var lone = new Script(Role.DESTINATION);
    lone.postReceive(0).dropped("something else", WorkRequestId.CONTROL_RECEIVE);
    Requests requests = lone.requests();
    assertThat(requests.receives().isOpen(0)).isFalse();
    assertThat(requests.receives().dropped(0)).isTrue();
    assertThat(requests.receives().unmatched()).isZero();
    assertThat(requests.received().end()).isEqualTo(1);
    assertThat(requests.received().type(0)).isEqualTo(Messages.UNKNOWN);
  }

  @Test
  void completionThatAnotherWaitMet_isMarked_andNotDropped() {
    script.postReceive(0).postWrite(Script.write(0, 1), true);
    script.wait("RDMA writes to complete", 0).receive(0, ControlType.READY, 0);
    script.met("RDMA writes to complete", WorkRequestId.CONTROL_RECEIVE);
    script.completion(Script.write(0, 1), 0).waitEnds("RDMA writes to complete");
    Requests requests = script.requests();
    assertThat(requests.receives().met(0)).isTrue();
    assertThat(requests.receives().dropped(0)).isFalse();
    assertThat(requests.receives().isPostKnown(0)).isTrue();
    Marks marks = requests.marks();
    assertThat(marks.end()).isEqualTo(1);
    assertThat(marks.kind(0)).isEqualTo(Marks.Kind.MET);
    assertThat(marks.other(0)).isZero();
    assertThat(RequestFacts.takingWait(requests, 0)).isEqualTo("RDMA writes to complete");
    assertThat(RequestFacts.of(requests, QueueType.RECEIVE, 0).history())
        .extracting(RequestFacts.Station::what)
        .contains("posted", "completed", "met");
  }

  /** As in a trace log of QEMU, which does not tell when receives were posted. */
  @Test
  void requestWithoutAPost_isKnownFromTheCompletionThatAWaitTook() {
    script.met("writes", WorkRequestId.CONTROL_RECEIVE);
    script.dropped("its SEND", WorkRequestId.CONTROL_RECEIVE + 1);
    script.wait("an answer", WorkRequestId.CONTROL_RECEIVE + 1);
    Requests requests = script.requests();
    WorkRequests receives = requests.receives();
    assertThat(receives.end()).isEqualTo(2);
    assertThat(receives.postedCount()).isZero();
    assertThat(receives.openCount()).isZero();
    assertThat(receives.isPostKnown(0)).isFalse();
    assertThat(receives.dropped(1)).isTrue();
    assertThat(requests.waits().request(0)).as("the lost one").isEqualTo(1);
    assertThat(RequestFacts.of(requests, QueueType.RECEIVE, 0).history())
        .extracting(RequestFacts.Station::what)
        .containsExactlyInAnyOrder("completed", "met");
  }

  @Test
  void answer_polledBeforeTheCompletionOfItsSend_isOvertaking() {
    script.postReceive(0).postReceive(1);
    script.receive(0, ControlType.READY, 0).postReceive(0);
    script.send(ControlType.REGISTER_REQUEST, 32);
    script.receive(1, ControlType.REGISTER_RESULT, 16);
    script.sent();
    Requests requests = script.requests();
    assertThat(requests.marks().count(Marks.Kind.RECEIVE_OVERTOOK_SEND)).isEqualTo(1);
    assertThat(requests.marks().request(0)).isEqualTo(1);
    assertThat(requests.marks().other(0)).isZero();
  }

  @Test
  void heartbeat_polledWhileASendIsOutstanding_isNoOvertaking() {
    script.postReceive(0).postReceive(1).postReceive(2);
    script.receive(0, ControlType.READY, 0);
    script.send(ControlType.REGISTER_REQUEST, 32);
    script.receive(1, ControlType.HEARTBEAT, 0);
    script.sent();
    script.receive(2, ControlType.REGISTER_RESULT, 16);
    assertThat(script.requests().marks().end()).isZero();
  }

  @Test
  void requests_moreThanAreKept_areDiscardedInOrder() {
    var small = new Requests(script.telemetry(), 1);
    int count = 5 * LongTable.SEGMENT;
    for (int i = 0; i < count; i++) {
      script.postWrite(w(i % 3), i % 2 == 0);
      if (i > 10 && i % 2 == 0) {
        script.completion(w((i - 10) % 3), 0);
      }
    }
    small.readAll();
    WorkRequests sends = small.sends();
    assertThat(sends.end()).isEqualTo(count);
    assertThat(sends.first()).isPositive();
    assertThat(sends.has(sends.first())).isTrue();
    assertThat(sends.has(sends.first() - 1)).isFalse();
    assertThat(sends.openOrLast(w(0))).isGreaterThanOrEqualTo(sends.first());
    var seen = new ArrayList<Long>();
    sends.across(script.now(), seen::add);
    assertThat(seen).allSatisfy(id -> assertThat(sends.has(id)).isTrue());
  }

  /** A request in a plain model of the specification. */
  private static final class Plain {
    final long wrid;
    final boolean signaled;
    final long posted;
    long ended = WorkRequests.OPEN;
    int covering = -1;

    Plain(long wrid, boolean signaled, long posted) {
      this.wrid = wrid;
      this.signaled = signaled;
      this.posted = posted;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anySequence_isMatchedLikeInAPlainModel(long seed) {
    var random = new SplittableRandom(seed);
    var model = new ArrayList<Plain>();
    int every = 1 + random.nextInt(9);
    for (int i = 0; i < 6_000; i++) {
      List<Integer> waiting = new ArrayList<>();
      for (int id = Math.max(0, model.size() - 80); id < model.size(); id++) {
        if (model.get(id).ended == WorkRequests.OPEN && model.get(id).signaled) {
          waiting.add(id);
        }
      }
      if (waiting.isEmpty() || random.nextInt(3) > 0) {
        boolean signaled = waiting.size() < 20 && model.size() % every == 0;
        long wrid = w(random.nextInt(20));
        script.postWrite(wrid, signaled);
        model.add(new Plain(wrid, signaled, script.now()));
      } else {
        complete(model, waiting.get(random.nextInt(10) == 0 ? waiting.size() - 1 : 0));
      }
    }
    Requests requests = script.requests();
    WorkRequests sends = requests.sends();
    assertThat(sends.end()).isEqualTo(model.size());
    long open = 0;
    for (int id = 0; id < model.size(); id++) {
      Plain plain = model.get(id);
      assertThat(sends.wrid(id)).isEqualTo(plain.wrid);
      assertThat(sends.endedNanos(id)).as("end of %d", id).isEqualTo(plain.ended);
      assertThat(sends.coveredBy(id)).as("cover of %d", id).isEqualTo(plain.covering);
      open += plain.ended == WorkRequests.OPEN ? 1 : 0;
    }
    assertThat(sends.openCount()).isEqualTo(open);
    assertAcross(sends, model, random);
    assertTimeline(sends.posted());
    assertTimeline(sends.ended());
    assertFiltered(requests, model);
  }

  private void complete(List<Plain> model, int chosen) {
    // The completion has a wrid and belongs to the oldest signaled request with it.
    long wrid = model.get(chosen).wrid;
    int id = 0;
    while (!(model.get(id).wrid == wrid
        && model.get(id).signaled
        && model.get(id).ended == WorkRequests.OPEN)) {
      id++;
    }
    script.completion(wrid, 0);
    for (int earlier = 0; earlier < id; earlier++) {
      Plain plain = model.get(earlier);
      if (!plain.signaled && plain.ended == WorkRequests.OPEN) {
        plain.ended = script.now();
        plain.covering = id;
      }
    }
    model.get(id).ended = script.now();
  }

  private static void assertAcross(WorkRequests sends, List<Plain> model, SplittableRandom random) {
    long first = model.getFirst().posted;
    long last = model.getLast().posted;
    for (int i = 0; i < 50; i++) {
      long moment = random.nextLong(first, last);
      var expected = new ArrayList<Long>();
      for (int id = 0; id < model.size(); id++) {
        if (model.get(id).posted < moment && model.get(id).ended > moment) {
          expected.add((long) id);
        }
      }
      var seen = new ArrayList<Long>();
      sends.across(moment, seen::add);
      assertThat(seen).isEqualTo(expected);
    }
  }

  private static void assertTimeline(Timeline timeline) {
    long before = Long.MIN_VALUE;
    for (long i = timeline.first(); i < timeline.end(); i++) {
      assertThat(timeline.nanos(i)).isGreaterThanOrEqualTo(before);
      before = timeline.nanos(i);
      long found = timeline.indexOf(before);
      assertThat(timeline.nanos(found)).isEqualTo(before);
      assertThat(found).isLessThanOrEqualTo(i);
      for (long guess : new long[] {timeline.first(), found, i, i / 2, timeline.end()}) {
        assertThat(timeline.indexNear(before, timeline.first(), timeline.end(), guess))
            .as("index of %d near %d", i, guess)
            .isEqualTo(found);
      }
    }
    assertThat(timeline.indexOf(before + 1)).isEqualTo(timeline.end());
    assertThat(timeline.indexNear(before + 1, timeline.first(), timeline.end(), 0))
        .isEqualTo(timeline.end());
  }

  private static void assertFiltered(Requests requests, List<Plain> model) {
    var filter = new RequestFilter(RequestKind.WRITE, Query.ofChunk(0, 7), null);
    var filtered = new FilteredRequests(requests, QueueType.SEND, filter);
    while (!filtered.advance()) {
      // step by step
    }
    var expected = new ArrayList<Long>();
    for (int id = 0; id < model.size(); id++) {
      if (model.get(id).wrid == w(7)) {
        expected.add((long) id);
      }
    }
    var posts = new ArrayList<Long>();
    for (long i = filtered.posted().first(); i < filtered.posted().end(); i++) {
      posts.add(filtered.posted().id(i));
    }
    assertThat(posts).isEqualTo(expected);
    for (long i = filtered.ended().first(); i < filtered.ended().end(); i++) {
      assertThat(requests.sends().wrid(filtered.ended().id(i))).isEqualTo(w(7));
    }
    assertTimeline(filtered.ended());
  }
}
