// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.messages;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Ladder;
import org.wridscope.analysis.Messages;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** Which messages of a ladder are shown, and how they are described. */
final class LadderModel {
  private LadderModel() {}

  /**
   * The messages that were sent, under way or received during a stretch of time, earliest first.
   *
   * @param most the largest number from either end; of more, an even selection is taken
   * @param shown which messages are shown
   */
  static List<Ladder.Rung> between(
      Ladder ladder, long from, long to, int most, Predicate<Ladder.Rung> shown) {
    var rungs = new ArrayList<Ladder.Rung>();
    for (Role role : Role.values()) {
      long first = ladder.indexOf(role, from);
      long end = ladder.count(role);
      long last = Math.min(end, ladder.indexOf(role, to) + 1);
      // A message that was sent in the stretch may have arrived after it.
      while (last < end && ladder.rung(role, last).firstNanos() < to) {
        last++;
      }
      long step = Math.max(1, (last - first + most - 1) / Math.max(1, most));
      for (long number = first; number < last; number += step) {
        Ladder.Rung rung = ladder.rung(role, number);
        while (!shown.test(rung) && number + 1 < last) {
          rung = ladder.rung(role, ++number);
        }
        if (shown.test(rung) && rung.firstNanos() < to && rung.lastNanos() >= from) {
          rungs.add(rung);
        }
      }
    }
    rungs.sort(Comparator.comparingLong(Ladder.Rung::firstNanos));
    return rungs;
  }

  /**
   * The message after another one in time, or before it; null if there is none.
   *
   * @param shown which messages count
   */
  static Ladder.@Nullable Rung neighbour(
      Ladder ladder, Ladder.Rung of, boolean later, Predicate<Ladder.Rung> shown) {
    Ladder.Rung best = null;
    for (Role role : Role.values()) {
      long from = ladder.indexOf(role, of.firstNanos());
      // Those that were sent at that time may have arrived later.
      long number = Math.clamp(later ? from - 3 : from + 3, ladder.first(role), last(ladder, role));
      while (number >= ladder.first(role) && number < ladder.count(role)) {
        Ladder.Rung rung = ladder.rung(role, number);
        int order = order(rung, of);
        if ((later ? order > 0 : order < 0) && shown.test(rung)) {
          best =
              best == null || (later ? order(rung, best) < 0 : order(rung, best) > 0) ? rung : best;
          break;
        }
        number += later ? 1 : -1;
      }
    }
    return best;
  }

  private static long last(Ladder ladder, Role role) {
    return Math.max(ladder.first(role), ladder.count(role) - 1);
  }

  private static int order(Ladder.Rung a, Ladder.Rung b) {
    int byTime = Long.compare(a.firstNanos(), b.firstNanos());
    int byRole = byTime != 0 ? byTime : a.from().compareTo(b.from());
    return byRole != 0 ? byRole : Long.compare(a.number(), b.number());
  }

  /** The label of an arrow: type and payload. */
  static String label(Ladder.Rung rung) {
    var text = new StringBuilder(name(rung));
    if (rung.length() > 0) {
      text.append(", ").append(Format.bytes(rung.length()));
    }
    if (rung.repeat() > 1) {
      text.append(", ").append(Format.count(rung.repeat())).append(" entries");
    }
    if (rung.dropped()) {
      text.append(", dropped");
    }
    return text.toString();
  }

  /** A message in one line. */
  static String line(Ladder.Rung rung, long origin) {
    String text =
        "%s, number %s of the %s"
            .formatted(label(rung), Format.count(rung.number()), rung.from().text());
    if (rung.sentNanos() != Ladder.UNKNOWN) {
      text += ", sent %s".formatted(Format.moment(rung.sentNanos() - origin));
    }
    if (rung.receivedNanos() != Ladder.UNKNOWN) {
      text += ", received %s".formatted(Format.moment(rung.receivedNanos() - origin));
    }
    boolean both = rung.sentNanos() != Ladder.UNKNOWN && rung.receivedNanos() != Ladder.UNKNOWN;
    return both && rung.receivedNanos() >= rung.sentNanos()
        ? "%s, under way for %s"
            .formatted(text, Format.duration(rung.receivedNanos() - rung.sentNanos()))
        : text;
  }

  private static String name(Ladder.Rung rung) {
    return rung.type() == Messages.UNKNOWN ? "message" : EventText.control(rung.type());
  }

  /** Whether a message is an ERROR or was dropped. */
  static boolean isBad(Ladder.Rung rung) {
    return rung.dropped() || rung.type() == ControlType.ERROR.value();
  }
}
