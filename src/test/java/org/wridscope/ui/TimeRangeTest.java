// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class TimeRangeTest {
  private static final long SECOND = 1_000_000_000;
  private static final long START = 500 * SECOND;

  private final TimeRange range = new TimeRange();

  @Test
  void update_whole_showsFromTheBeginningToNow() {
    range.reset(START);
    range.update(START + 20 * SECOND);
    assertThat(range.leftNanos()).isEqualTo(START);
    assertThat(range.rightNanos()).isEqualTo(START + 20 * SECOND);
  }

  @Test
  void update_wholeOfAYoungSession_showsASecond() {
    range.reset(START);
    range.update(START + 1);
    assertThat(range.shownNanos()).isEqualTo(SECOND);
  }

  @Test
  void update_span_keepsNowAtTheRightEdge() {
    range.reset(START);
    range.spanNanosProperty().set(5 * SECOND);
    range.update(START + 20 * SECOND);
    assertThat(range.leftNanos()).isEqualTo(START + 15 * SECOND);
    assertThat(range.rightNanos()).isEqualTo(START + 20 * SECOND);
  }

  @Test
  void update_holding_staysWhereItIs() {
    range.reset(START);
    range.update(START + 20 * SECOND);
    range.followProperty().set(false);
    range.update(START + 90 * SECOND);
    assertThat(range.rightNanos()).isEqualTo(START + 20 * SECOND);
  }

  @Test
  void pan_following_holdsAndMoves() {
    range.reset(START);
    range.update(START + 20 * SECOND);
    range.pan(-3 * SECOND);
    assertThat(range.isFollowing()).isFalse();
    assertThat(range.leftNanos()).isEqualTo(START - 3 * SECOND);
    assertThat(range.shownNanos()).isEqualTo(20 * SECOND);
  }

  @Test
  void choose_takesMomentsInAnyOrder_andIsClearedWithTheSession() {
    range.reset(START);
    range.choose(START + 3 * SECOND, START + SECOND);
    assertThat(range.chosen()).isEqualTo(new TimeRange.Span(START + SECOND, START + 3 * SECOND));
    assertThat(range.chosenText()).isEqualTo("2.0 s from +1.000000 s to +3.000000 s");
    range.choose(START, START);
    assertThat(range.chosen()).isNull();
    assertThat(range.chosenText()).isEmpty();
    range.choose(START, START + 1);
    range.reset(START);
    assertThat(range.chosen()).isNull();
  }

  @Test
  void countFrom_keepsWhatIsShownAtItsPlace() {
    range.reset(START);
    range.hold(START + SECOND, START + 3 * SECOND);
    range.choose(START + SECOND, START + 2 * SECOND);
    String text = range.chosenText();
    range.countFrom(START + 100, START - SECOND);
    assertThat(range.leftNanos() - range.originNanos()).isEqualTo(SECOND);
    assertThat(range.shownNanos()).isEqualTo(2 * SECOND);
    assertThat(range.chosenText()).isEqualTo(text);
    range.spanNanosProperty().set(TimeRange.WHOLE);
    range.followProperty().set(true);
    range.update(START + 5 * SECOND);
    assertThat(range.leftNanos()).isEqualTo(START - SECOND);
    assertThat(range.rightNanos()).isEqualTo(START + 5 * SECOND);
  }

  @Test
  void markAs_hasTheMarksOfAnotherRange_countedFromItsOwnOrigin() {
    var other = new TimeRange();
    range.reset(START);
    other.reset(7 * SECOND);
    range.choose(START + 1, START + SECOND);
    range.cursorNanosProperty().set(START + 5);
    other.markAs(range);
    assertThat(other.chosenText()).isEqualTo(range.chosenText());
    assertThat(other.cursorNanosProperty().get()).isEqualTo(7 * SECOND + 5);
    range.chooseNone();
    range.cursorNanosProperty().set(TimeRange.NO_CURSOR);
    other.markAs(range);
    assertThat(other.chosen()).isNull();
    assertThat(other.hasCursor()).isFalse();
  }

  @Test
  void zoom_holding_keepsTheMomentInPlace() {
    var random = new SplittableRandom(11);
    for (int i = 0; i < 1_000; i++) {
      range.reset(START);
      range.update(START + random.nextLong(2 * SECOND, 1000 * SECOND));
      range.followProperty().set(false);
      long around = random.nextLong(range.leftNanos(), range.rightNanos());
      double before = (double) (around - range.leftNanos()) / range.shownNanos();
      range.zoom(random.nextDouble(0.1, 5), around);
      double after = (double) (around - range.leftNanos()) / range.shownNanos();
      assertThat(Math.abs(after - before)).as("seed 11, step %d", i).isLessThan(1e-6);
    }
  }

  @Test
  void zoom_following_keepsNowAtTheRightEdge() {
    range.reset(START);
    range.update(START + 20 * SECOND);
    range.zoom(0.5, START);
    assertThat(range.rightNanos()).isEqualTo(START + 20 * SECOND);
    assertThat(range.shownNanos()).isEqualTo(10 * SECOND);
    assertThat(range.isFollowing()).isTrue();
  }

  @Test
  void standStill_wholeOfAShortSession_fillsTheWidth() {
    range.reset(START);
    range.standStill(START + 148_000_000);
    assertThat(range.leftNanos()).isEqualTo(START);
    assertThat(range.rightNanos()).isEqualTo(START + 148_000_000);
    range.standStill(START);
    assertThat(range.shownNanos()).isEqualTo(TimeRange.SHORTEST);
  }

  @Test
  void zoom_followingWhatStandsStill_holdsTheMomentInPlace() {
    range.reset(START);
    range.standStill(START + 20 * SECOND);
    range.zoom(0.5, START + 5 * SECOND);
    assertThat(range.isFollowing()).isFalse();
    assertThat(range.leftNanos()).isEqualTo(START + 5 * SECOND / 2);
    assertThat(range.rightNanos()).isEqualTo(START + 25 * SECOND / 2);
    range.standStill(START + 20 * SECOND);
    assertThat(range.rightNanos()).isEqualTo(START + 25 * SECOND / 2);
  }

  @Test
  void zoom_veryFar_staysWithinItsLimits() {
    range.reset(START);
    for (int i = 0; i < 100; i++) {
      range.zoom(0.1, START);
    }
    assertThat(range.shownNanos()).isEqualTo(TimeRange.SHORTEST);
    for (int i = 0; i < 100; i++) {
      range.zoom(10, START);
    }
    assertThat(range.shownNanos()).isEqualTo(TimeRange.LONGEST);
  }

  @Test
  void hold_aStretch_showsItAndNoLessThanTheShortest() {
    range.reset(START);
    range.hold(START + SECOND, START + 3 * SECOND);
    assertThat(range.leftNanos()).isEqualTo(START + SECOND);
    assertThat(range.rightNanos()).isEqualTo(START + 3 * SECOND);
    assertThat(range.isFollowing()).isFalse();
    range.hold(START + SECOND, START + SECOND + 10);
    assertThat(range.shownNanos()).isEqualTo(TimeRange.SHORTEST);
    assertThat(range.leftNanos()).isEqualTo(START + SECOND + 5 - TimeRange.SHORTEST / 2);
  }

  @Test
  void reset_anotherSession_forgetsCursorHoldAndZoom() {
    range.cursorNanosProperty().set(START);
    range.standStill(START + 20 * SECOND);
    range.zoom(0.01, START);
    range.reset(START + SECOND);
    range.update(START + 5 * SECOND);
    assertThat(range.spanNanosProperty().get()).isEqualTo(TimeRange.WHOLE);
    assertThat(range.shownNanos()).isEqualTo(4 * SECOND);
    assertThat(range.hasCursor()).isFalse();
    assertThat(range.isFollowing()).isTrue();
    assertThat(range.originNanos()).isEqualTo(START + SECOND);
  }

  @Test
  void markers_areTheLastTwo_andKeepTheirDistanceFromTheOrigin() {
    var range = new TimeRange();
    range.reset(1_000);
    assertThat(range.markersText()).isEmpty();
    range.setMarker(2_000);
    assertThat(range.markersText()).startsWith("Marker at ");
    range.setMarker(5_000);
    assertThat(range.markers().between()).isEqualTo(new TimeRange.Span(2_000, 5_000));
    range.setMarker(3_000);
    assertThat(range.markers().between()).isEqualTo(new TimeRange.Span(3_000, 5_000));
    assertThat(range.markersText()).startsWith("2.000 µs between the markers at ");
    range.countFrom(11_000, 11_000);
    assertThat(range.markers().moments()).containsExactly(15_000L, 13_000L);
    var other = new TimeRange();
    other.reset(0);
    other.markAs(range);
    assertThat(other.markers().moments()).containsExactly(4_000L, 2_000L);
    range.setMarker(13_000);
    assertThat(range.markers().between()).isNull();
    range.removeMarkers();
    assertThat(range.markers().moments()).isEmpty();
  }
}
