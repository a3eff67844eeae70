// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.FirstDifference;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/**
 * Where two migrations part: the first difference in the order of either end.
 *
 * @param same how many posts, completions and messages of that end were the same before
 */
record Parting(long same, Place one, Place other) {
  /** With less time around them, the events beside those that differ are not seen. */
  private static final long LEAST_AROUND = 5_000;

  private static final long MOST_AROUND = 1_000_000_000;

  /**
   * One of the two.
   *
   * @param sameNanos when it did last what the other one did, too; when it began if it never did
   * @param event what it did then; null if nothing more
   */
  record Place(Session session, long sameNanos, @Nullable Event event) {
    private String text() {
      return event == null
          ? "nothing more"
          : "%s, %s"
              .formatted(
                  EventText.kind(event.kind()), EventText.summary(event, session.telemetry()));
    }
  }

  /**
   * Compares each end of one with the same end of the other.
   *
   * @return the difference that came first; null if there is none
   * @throws IllegalArgumentException with a sentence, if it cannot be known
   */
  static @Nullable Parting of(SessionPair one, SessionPair other) {
    Parting first = null;
    boolean compared = false;
    for (Role role : Role.values()) {
      Session ofOne = end(one, role);
      Session ofOther = end(other, role);
      if (ofOne == null || ofOther == null) {
        continue;
      }
      compared = true;
      FirstDifference difference = FirstDifference.between(ofOne.telemetry(), ofOther.telemetry());
      if (difference != null) {
        var parting =
            new Parting(
                difference.same(),
                place(ofOne, difference.lastSame(), difference.one(), one),
                place(ofOther, difference.lastSameOfOther(), difference.other(), other));
        if (first == null
            || parting.one.sameNanos - one.originNanos()
                < first.one.sameNanos - one.originNanos()) {
          first = parting;
        }
      }
    }
    if (!compared) {
      throw new IllegalArgumentException(
          "One of them has only a source and the other one only a destination, so their orders"
              + " cannot be compared.");
    }
    return first;
  }

  private static @Nullable Session end(SessionPair pair, Role role) {
    return role == Role.SOURCE ? pair.source() : pair.destination();
  }

  private static Place place(
      Session session, @Nullable Event last, @Nullable Event event, SessionPair of) {
    return new Place(session, last == null ? of.originNanos() : last.nanos(), event);
  }

  /** How much time after what was the same the first of what differs came, in nanoseconds. */
  long firstNanos() {
    return Math.min(after(one), after(other));
  }

  /** The same of the last of it. */
  long lastNanos() {
    return Math.min(
        firstNanos() + MOST_AROUND,
        Math.max(
            one.event == null ? after(other) : after(one),
            other.event == null ? after(one) : after(other)));
  }

  /** How much time to show before and after. */
  long aroundNanos() {
    return Math.clamp(lastNanos() - firstNanos(), LEAST_AROUND, MOST_AROUND);
  }

  /** As if never, if nothing more happened. */
  private static long after(Place place) {
    return place.event == null ? Long.MAX_VALUE : place.event.nanos() - place.sameNanos;
  }

  String sentence() {
    String where =
        same == 0
            ? "From the beginning"
            : "After %s in the same order".formatted(Format.counted(same, "event"));
    return "%s, the %s does something else. At the left: %s. At the right: %s."
        .formatted(where, one.session.role().text(), one.text(), other.text());
  }
}
