// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.Role;

/** The way from one hit to the next, over both ends. */
final class SearchTest {
  private final FakeSession source =
      new FakeSession("s source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("s destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final SessionPair pair = new SessionPair(source, destination);
  private final long origin = source.telemetry().startNanos();
  private final TimeRange range = new TimeRange();
  private final Selection selection = new Selection();
  private final Search search = new Search(range, selection, new Analyses());

  private void show() {
    EventLog of = source.telemetry().log();
    EventLog to = destination.telemetry().log();
    of.add(origin + 10, EventKind.ROUND_BEGIN, 1, 0, 0, 0);
    to.add(origin + 15, EventKind.ROUND_BEGIN, 1, 0, 0, 0);
    of.add(origin + 20, EventKind.GUEST_PAUSED, 0, 0, 0, 0);
    of.add(origin + 30_000, EventKind.ROUND_BEGIN, 2, 0, 0, 0);
    to.add(origin + 30_000, EventKind.ROUND_BEGIN, 2, 0, 0, 0);
    range.hold(origin, origin + 1_000);
    search.show(pair);
  }

  private void find(String text) {
    search.find(text);
    do {
      search.advance();
    } while (!search.isComplete());
  }

  private String selected() {
    var logged = (Selected.LoggedEvent) Objects.requireNonNull(selection.get());
    return (logged.session().equals(source) ? "source " : "destination ") + logged.event().number();
  }

  @Test
  void go_goesThroughBothEndsInTheOrderOfTime_andBack() {
    show();
    find("round");
    assertThat(search.count()).isEqualTo(4);
    assertThat(search.position()).isZero();
    String[] way = {"source 0", "destination 0", "source 2", "destination 1"};
    for (int i = 0; i < way.length; i++) {
      search.go(true);
      assertThat(selected()).isEqualTo(way[i]);
      assertThat(search.position()).isEqualTo(i + 1);
    }
    assertThat(origin + 30_000).isBetween(range.leftNanos(), range.rightNanos());
    search.go(true);
    assertThat(selected()).isEqualTo("destination 1");
    for (int i = way.length - 2; i >= 0; i--) {
      search.go(false);
      assertThat(selected()).isEqualTo(way[i]);
    }
    search.go(false);
    assertThat(selected()).isEqualTo("source 0");
  }

  @Test
  void hits_areMarkedInTime_asLongAsTheyAreSearchedFor() {
    show();
    find("paused");
    TimeRange.Marks marks = range.marks();
    assertThat(marks).isNotNull();
    assertThat(marks.next(origin)).isEqualTo(origin + 20);
    assertThat(marks.next(origin + 21)).isEqualTo(Long.MAX_VALUE);
    assertThat(search.has(source, 1)).isTrue();
    assertThat(search.has(source, 0)).isFalse();
    assertThat(search.has(destination, 0)).isFalse();
    find("");
    assertThat(range.marks()).isNull();
    assertThat(search.query()).isNull();
  }

  @Test
  void mistake_isTold_andFindsNothing() {
    show();
    find("round");
    find("chunk=all");
    assertThat(search.problem()).startsWith("\"all\" is no number");
    assertThat(search.count()).isZero();
    find("round");
    assertThat(search.problem()).isEmpty();
  }

  @Test
  void newEvents_areFound_andThoseOfAnotherMigrationOnlyThere() {
    show();
    find("paused");
    source.telemetry().log().add(origin + 40_000, EventKind.GUEST_PAUSED, 0, 0, 0, 0);
    search.advance();
    assertThat(search.count()).isEqualTo(2);
    search.show(new SessionPair(null, destination));
    search.advance();
    assertThat(search.count()).isZero();
    search.show(null);
    assertThat(search.count()).isZero();
    assertThat(search.isComplete()).isTrue();
  }
}
