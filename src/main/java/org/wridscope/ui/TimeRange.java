// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.List;
import java.util.concurrent.TimeUnit;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.LongProperty;
import javafx.beans.property.ObjectProperty;
import javafx.beans.property.ReadOnlyObjectProperty;
import javafx.beans.property.SimpleBooleanProperty;
import javafx.beans.property.SimpleLongProperty;
import javafx.beans.property.SimpleObjectProperty;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/**
 * The time span that all time views show, the cursor in it, and the range that the user has chosen.
 * All times are those of {@link System#nanoTime()}.
 *
 * <p>While it <em>follows</em>, now is the right edge; while it <em>holds</em>, the edges do not
 * move although the session goes on. A span of {@link #WHOLE} shows the session from its beginning.
 * For the JavaFX thread only.
 */
public final class TimeRange {
  /** A span that grows with the session: from its beginning to now. */
  public static final long WHOLE = 0;

  /** There is no cursor. */
  public static final long NO_CURSOR = -1;

  /** The shortest span that can be shown. */
  public static final long SHORTEST = TimeUnit.MICROSECONDS.toNanos(1);

  /** The longest span to which one can zoom. */
  public static final long LONGEST = TimeUnit.DAYS.toNanos(1);

  /**
   * The shortest span of {@link #WHOLE} while time goes on; with a shorter one, the first samples
   * would move too fast.
   */
  private static final long SHORTEST_WHOLE = TimeUnit.SECONDS.toNanos(1);

  private final BooleanProperty follow = new SimpleBooleanProperty(this, "follow", true);
  private final LongProperty span = new SimpleLongProperty(this, "span", WHOLE);
  private final ObjectProperty<@Nullable Span> chosen =
      new SimpleObjectProperty<>(this, "chosen", null);
  private final ObjectProperty<Markers> markers =
      new SimpleObjectProperty<>(this, "markers", Markers.NONE);
  private final LongProperty cursor = new SimpleLongProperty(this, "cursor", NO_CURSOR);

  /**
   * A stretch of time that the user has chosen.
   *
   * @param fromNanos its beginning
   * @param toNanos its end, later than its beginning
   */
  public record Span(long fromNanos, long toNanos) {
    public Span {
      if (fromNanos >= toNanos) {
        throw new IllegalArgumentException("a range needs a length");
      }
    }

    /** Whether something that happened at a moment is in it. */
    public boolean has(long nanos) {
      return nanos >= fromNanos && nanos < toNanos;
    }
  }

  /** Moments that are marked in all time views. */
  @FunctionalInterface
  public interface Marks {
    /** The first one at or after a moment; {@link Long#MAX_VALUE} if there is none. */
    long next(long nanos);
  }

  private @Nullable Marks marks;
  private int marksVersion;
  private long origin;
  private long begin;
  private long left;
  private long right = SHORTEST_WHOLE;
  private boolean moving = true;

  /** Whether now stays at the right edge. */
  public BooleanProperty followProperty() {
    return follow;
  }

  public boolean isFollowing() {
    return follow.get();
  }

  /** The span shown while following: {@link #WHOLE}, or at least {@link #SHORTEST}. */
  public LongProperty spanNanosProperty() {
    return span;
  }

  /** The time at the pointer in any time view; {@link #NO_CURSOR} if there is none. */
  public LongProperty cursorNanosProperty() {
    return cursor;
  }

  public boolean hasCursor() {
    return cursor.get() != NO_CURSOR;
  }

  /**
   * The range that is marked in all views and limits what they list and count; null for none. It is
   * independent of what the time views show.
   */
  public ReadOnlyObjectProperty<@Nullable Span> chosenProperty() {
    return chosen;
  }

  /** The range that is marked in all views; null for none. */
  public @Nullable Span chosen() {
    return chosen.get();
  }

  /** Chooses the range between two moments, in any order; none if they are the same. */
  public void choose(long oneNanos, long otherNanos) {
    chosen.set(
        oneNanos == otherNanos
            ? null
            : new Span(Math.min(oneNanos, otherNanos), Math.max(oneNanos, otherNanos)));
  }

  /** Chooses no range. */
  public void chooseNone() {
    chosen.set(null);
  }

  /** The moments that the user compares. */
  public ReadOnlyObjectProperty<Markers> markersProperty() {
    return markers;
  }

  /** The moments that the user compares. */
  public Markers markers() {
    return markers.get();
  }

  /** Sets a marker, which takes the place of the older one if there are two. */
  public void setMarker(long nanos) {
    markers.set(markers.get().and(nanos));
  }

  /** Removes the markers. */
  public void removeMarkers() {
    markers.set(Markers.NONE);
  }

  /** The time between the markers, or where the only one is; empty if there is none. */
  public String markersText() {
    List<String> places =
        markers.get().moments().stream().map(nanos -> Format.moment(nanos - origin)).toList();
    Span between = markers.get().between();
    return places.isEmpty()
        ? ""
        : between == null
            ? "Marker at %s".formatted(places.getLast())
            : "%s between the markers at %s and %s"
                .formatted(
                    Format.fineDuration(between.toNanos - between.fromNanos),
                    places.getFirst(),
                    places.getLast());
  }

  /** Sets which moments are marked in all time views; null for none. */
  public void mark(@Nullable Marks newMarks) {
    marks = newMarks;
    renewMarks();
  }

  /** Tells that other moments are marked than before. */
  public void renewMarks() {
    marksVersion++;
  }

  /** Changes whenever other moments are marked. */
  public int marksVersion() {
    return marksVersion;
  }

  /** The moments that are marked in all time views; null for none. */
  public @Nullable Marks marks() {
    return marks;
  }

  /** The length of the chosen range and its edges; empty if there is none. */
  public String chosenText() {
    Span span = chosen.get();
    return span == null
        ? ""
        : "%s from %s to %s"
            .formatted(
                Format.duration(span.toNanos - span.fromNanos),
                Format.moment(span.fromNanos - origin),
                Format.moment(span.toNanos - origin));
  }

  /** The time from which views count: when the shown session began. */
  public long originNanos() {
    return origin;
  }

  /** Shows the whole of another session, with times counted from its beginning. */
  public void reset(long originNanos) {
    origin = originNanos;
    begin = originNanos;
    left = originNanos;
    right = originNanos + SHORTEST_WHOLE;
    moving = true;
    cursor.set(NO_CURSOR);
    chosen.set(null);
    markers.set(Markers.NONE);
    span.set(WHOLE);
    follow.set(true);
  }

  /**
   * Counts times from another moment. What is shown keeps its distance from that moment.
   *
   * @param beginNanos the left edge of {@link #WHOLE}
   */
  public void countFrom(long originNanos, long beginNanos) {
    long by = originNanos - origin;
    Span was = chosen.get();
    left += by;
    right += by;
    origin = originNanos;
    begin = beginNanos;
    if (by != 0) {
      markers.set(markers.get().later(by));
    }
    if (by != 0 && was != null) {
      chosen.set(new Span(was.fromNanos + by, was.toNanos + by));
    }
  }

  /** The left edge. */
  public long leftNanos() {
    return left;
  }

  /** The right edge, later than the left one. */
  public long rightNanos() {
    return right;
  }

  /** The span shown now, at least {@link #SHORTEST}. */
  public long shownNanos() {
    return right - left;
  }

  /** Moves both edges, to later times if positive, and holds. */
  public void pan(long nanos) {
    follow.set(false);
    left += nanos;
    right += nanos;
  }

  /**
   * Shows a time span, and holds.
   *
   * @param rightNanos later than {@code leftNanos}; the span is limited to {@link #SHORTEST} and
   *     {@link #LONGEST}, around the same middle
   */
  public void hold(long leftNanos, long rightNanos) {
    long shown = Math.clamp(rightNanos - leftNanos, SHORTEST, LONGEST);
    follow.set(false);
    span.set(shown);
    left = leftNanos + (rightNanos - leftNanos - shown) / 2;
    right = left + shown;
  }

  /** Shows a moment in the middle, and holds, unless it is shown already. */
  public void reveal(long nanos) {
    if (nanos < left || nanos >= right) {
      long half = shownNanos() / 2;
      hold(nanos - half, nanos + half);
    }
  }

  /**
   * Shows more or less time. While it follows a running session, now stays at the right edge;
   * otherwise it holds.
   *
   * @param factor above 1 to show more time; the span is limited to {@link #SHORTEST} and {@link
   *     #LONGEST}
   * @param aroundNanos the time that stays at its place while it holds
   */
  public void zoom(double factor, long aroundNanos) {
    long before = shownNanos();
    long after = Math.clamp((long) (before * factor), SHORTEST, LONGEST);
    follow.set(follow.get() && moving);
    span.set(after);
    if (follow.get()) {
      left = right - after;
    } else {
      long around = Math.clamp(aroundNanos, left, right);
      left = around - (long) ((double) (around - left) / before * after);
      right = left + after;
    }
  }

  /** Shows the same span as another range, each counted from its own origin. */
  public void showAs(TimeRange other) {
    span.set(other.span.get());
    follow.set(other.follow.get());
    left = origin + other.left - other.origin;
    right = origin + other.right - other.origin;
  }

  /**
   * Has the cursor, the chosen range and the markers of another range, each counted from its own
   * origin.
   */
  public void markAs(TimeRange other) {
    long by = origin - other.origin;
    Span span = other.chosen.get();
    cursor.set(other.hasCursor() ? other.cursor.get() + by : NO_CURSOR);
    chosen.set(span == null ? null : new Span(span.fromNanos + by, span.toNanos + by));
    Markers same = other.markers.get().later(by);
    // Two ranges may follow each other.
    if (!same.equals(markers.get())) {
      markers.set(same);
    }
  }

  /**
   * Moves the edges while following.
   *
   * @param nowNanos the time now, in a running session
   */
  public void update(long nowNanos) {
    moving = true;
    move(nowNanos, SHORTEST_WHOLE);
  }

  /**
   * Moves the edges while following a session that does not run.
   *
   * @param atNanos the end of the session, or the shown moment of its recording
   */
  public void standStill(long atNanos) {
    moving = false;
    move(atNanos, SHORTEST);
  }

  private void move(long nowNanos, long leastWhole) {
    if (!follow.get()) {
      return;
    }
    if (span.get() == WHOLE) {
      left = begin;
      right = Math.max(nowNanos, begin + leastWhole);
    } else {
      right = nowNanos;
      left = nowNanos - span.get();
    }
  }
}
