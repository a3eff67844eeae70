// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import javafx.collections.ListChangeListener;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Hits;
import org.wridscope.analysis.Query;
import org.wridscope.analysis.Requests;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.TimeRange;

/** The rows of the log, of one end and of both. */
final class LogRowsTest {
  private static final long WRITE_17 = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 17);

  private final FakeSession source =
      new FakeSession("s", "rdma:h:1", new SessionTelemetry(Role.SOURCE, true, 1 << 15));
  private final FakeSession destination =
      new FakeSession("d", "rdma:h:1", new SessionTelemetry(Role.DESTINATION, true, 1 << 15));
  private final EventLog sent = source.telemetry().log();
  private final EventLog received = destination.telemetry().log();
  private final LogRows rows = new LogRows();

  private static void add(EventLog log, long nanos) {
    log.add(nanos, EventKind.POST_WRITE, 0, 1, WRITE_17, 0);
  }

  private void showBoth() {
    rows.show(List.of(new LogPart(source, null), new LogPart(destination, null)), null);
  }

  private List<String> shown() {
    return rows.stream()
        .map(row -> (row.session().equals(source) ? "s" : "d") + row.number())
        .toList();
  }

  @Test
  void bothEnds_areInTheOrderOfTime_theSourceFirst() {
    for (long nanos : new long[] {10, 20, 20, 50}) {
      add(sent, nanos);
    }
    for (long nanos : new long[] {5, 20, 60}) {
      add(received, nanos);
    }
    showBoth();
    assertThat(shown()).containsExactly("d0", "s0", "s1", "s2", "d1", "s3", "d2");
    for (int i = 0; i < rows.size(); i++) {
      assertThat(rows.indexOf(rows.get(i))).isEqualTo(i);
    }
    assertThat(rows.indexOf(source, 99)).isEqualTo(-1);
  }

  /** Compared with sorting. */
  @Test
  void manyEventsOfBothEnds_areEachAtTheirPlace() {
    var random = new SplittableRandom(7);
    for (EventLog log : List.of(sent, received)) {
      long nanos = 0;
      for (int i = 0; i < 700; i++) {
        nanos += random.nextInt(3);
        add(log, nanos);
      }
    }
    showBoth();
    var sorted = new ArrayList<LogRow>();
    for (Session session : List.of(source, destination)) {
      session.telemetry().log().read(0, 700).stream()
          .map(event -> new LogRow(session, event.number(), event))
          .forEach(sorted::add);
    }
    sorted.sort(Comparator.comparingLong(row -> Objects.requireNonNull(row.event()).nanos()));
    assertThat(rows).containsExactlyElementsOf(sorted);
    for (int i = 0; i < sorted.size(); i++) {
      assertThat(rows.indexOf(sorted.get(i))).isEqualTo(i);
    }
  }

  @Test
  void update_newEvents_areAdded_andLateOnesGetTheirPlace() {
    add(sent, 10);
    showBoth();
    assertThat(rows.update()).isEqualTo(LogRows.Change.NONE);
    add(sent, 20);
    assertThat(rows.update()).isEqualTo(LogRows.Change.ADDED);
    add(received, 15);
    assertThat(rows.update()).isEqualTo(LogRows.Change.MOVED);
    assertThat(shown()).containsExactly("s0", "d0", "s1");
  }

  @Test
  void update_logGaveEventsUp_removesTheirRows() {
    showBoth();
    var sizes = new ArrayList<Integer>();
    rows.addListener(
        (ListChangeListener<LogRow>)
            change -> {
              while (change.next()) {
                sizes.add(change.getAddedSize() - change.getRemovedSize());
              }
            });
    for (int i = 0; i < 70_000; i++) {
      add(sent, i);
      if (i % 10_000 == 0) {
        rows.update();
      }
    }
    assertThat(rows.update()).isEqualTo(LogRows.Change.MOVED);
    assertThat(sent.oldest()).isPositive();
    assertThat(rows).hasSize((int) (sent.size() - sent.oldest()));
    assertThat(rows.getFirst().number()).isEqualTo(sent.oldest());
    assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(rows.size());
  }

  @Test
  void row_ofAnEventThatIsGone_hasNone() {
    add(sent, 0);
    showBoth();
    for (int i = 0; i < 70_000; i++) {
      add(sent, i);
    }
    assertThat(rows.getFirst()).isEqualTo(new LogRow(source, 0, null));
  }

  @Test
  void range_showsItsEventsOnly() {
    for (int i = 0; i < 20; i++) {
      add(sent, i);
      add(received, i);
    }
    rows.show(
        List.of(new LogPart(source, null), new LogPart(destination, null)),
        new TimeRange.Span(5, 7));
    assertThat(shown()).containsExactly("s5", "d5", "s6", "d6");
    add(sent, 20);
    assertThat(rows.update()).isEqualTo(LogRows.Change.NONE);
    assertThat(rows.indexOf(source, 4)).isEqualTo(-1);
  }

  @Test
  void hits_areShownAsTheyAreFound() {
    source.telemetry().setBlocks(List.of());
    for (int i = 0; i < 6; i++) {
      sent.add(i, i % 2 == 0 ? EventKind.POST_WRITE : EventKind.GUEST_PAUSED, 0, 1, WRITE_17, 0);
    }
    Requests requests = new Requests(source.telemetry()).readAll();
    var hits = new Hits(requests, Objects.requireNonNull(Query.parse("chunk=17", List.of())));
    rows.show(List.of(new LogPart(source, hits)), null);
    assertThat(rows).isEmpty();
    hits.advance(3);
    rows.update();
    assertThat(shown()).containsExactly("s0", "s2");
    hits.advance(100);
    assertThat(rows.update()).isEqualTo(LogRows.Change.ADDED);
    assertThat(shown()).containsExactly("s0", "s2", "s4");
    assertThat(rows.indexOf(source, 4)).isEqualTo(2);
    assertThat(rows.indexOf(source, 3)).isEqualTo(-1);
  }

  @Test
  void recordingThatGoesBack_showsWhatHappenedUntilThen() {
    for (int i = 0; i < 20; i++) {
      add(sent, i);
    }
    rows.show(List.of(new LogPart(source, null)), null);
    sent.truncate(5);
    assertThat(rows.update()).isEqualTo(LogRows.Change.MOVED);
    assertThat(shown()).containsExactly("s0", "s1", "s2", "s3", "s4");
  }

  // ------------------------------------------------------------------------------------ failures

  private void fail(EventLog log, long nanos) {
    log.add(nanos, EventKind.COMPLETION_DROPPED, 0, 0, WRITE_17, 0);
  }

  @Test
  void failures_areVisitedInTheOrderOfTime_andFromTheBeginningAgain() {
    add(sent, 1);
    fail(received, 2);
    fail(sent, 3);
    fail(sent, 3);
    add(sent, 4);
    showBoth();
    var failures = new LogFailures(rows);
    failures.show(List.of(source, destination));
    failures.advance();
    var way = new ArrayList<String>();
    int row = -1;
    for (int i = 0; i < 4; i++) {
      LogFailures.Way next = Objects.requireNonNull(failures.next(row, true));
      way.add((next.wrapped() ? "again " : "") + next.row());
      row = next.row();
    }
    assertThat(way).containsExactly("1", "2", "3", "again 1");
    LogFailures.Way back = Objects.requireNonNull(failures.next(1, false));
    assertThat(back).isEqualTo(new LogFailures.Way(3, true));
    assertThat(failures.next(rows.size(), false)).isEqualTo(new LogFailures.Way(3, false));
  }

  @Test
  void failures_thatAreFilteredOut_areSkipped() {
    add(sent, 1);
    fail(sent, 2);
    var writes = new Hits(sent, EventText.Group.WRITES);
    writes.advance(100);
    rows.show(List.of(new LogPart(source, writes)), null);
    var failures = new LogFailures(rows);
    failures.show(List.of(source));
    failures.advance();
    assertThat(failures.next(-1, true)).isNull();
  }
}
