// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Phase;
import org.wridscope.text.Format;
import org.wridscope.units.Parse;

/**
 * Which moments of two migrations are shown at the same place: both count time from a phase that
 * both have, and the second one may be shown earlier or later by an offset.
 */
final class Alignment {
  /** Where each migration begins, of which every migration has one. */
  static final String BEGINNING = "beginning";

  /** The phase in which the first RAM is sent. Set-up may take long at one of the two. */
  private static final String PREFERRED = new Phase(Phase.Kind.ROUND, 1, 0).name();

  private Alignment() {}

  /** What two migrations can be aligned at: their beginnings, and each phase that both have. */
  static List<String> choices(@Nullable SessionPair one, @Nullable SessionPair other) {
    var choices = new ArrayList<String>(List.of(BEGINNING));
    if (one != null && other != null) {
      var of = names(other).collect(Collectors.toCollection(HashSet::new));
      // A phase that comes again counts where it begins first.
      names(one).filter(of::remove).forEach(choices::add);
    }
    return List.copyOf(choices);
  }

  private static Stream<String> names(SessionPair pair) {
    return pair.leading().phases().stream()
        .filter(phase -> phase.nanos() > pair.originNanos() && !phase.isEnd())
        .map(Phase::name);
  }

  /** What two migrations are aligned at unless the user chooses something else. */
  static String preferred(List<String> choices) {
    return choices.contains(PREFERRED) ? PREFERRED : BEGINNING;
  }

  /** The moment of a migration that is aligned with the same one of another. */
  static long zero(SessionPair pair, String choice) {
    return pair.leading().phases().stream()
        .filter(phase -> phase.nanos() > pair.originNanos() && phase.name().equals(choice))
        .mapToLong(Phase::nanos)
        .findFirst()
        .orElse(pair.originNanos());
  }

  /** What is shown at the same place, in one sentence. */
  static String sentence(String choice, long offset) {
    String zero =
        choice.equals(BEGINNING)
            ? "Both times count from the beginning"
            : "Both times count from where %s begins".formatted(choice);
    return offset == 0
        ? zero + "."
        : "%s; the right one is shown %s %s."
            .formatted(
                zero, Format.exactDuration(Math.abs(offset)), offset > 0 ? "later" : "earlier");
  }

  /** An offset in a form that {@link #offset} reads, without rounding. */
  static String text(long offset) {
    return offset == 0 ? "0" : (offset < 0 ? "-" : "+") + Format.exactDuration(Math.abs(offset));
  }

  /**
   * Reads an offset: a length of time with a unit, and a sign unless it is later.
   *
   * @throws IllegalArgumentException with a sentence for the user
   */
  static long offset(String text) {
    String typed = text.strip().replace('\u2212', '-');
    boolean signed = typed.startsWith("+") || typed.startsWith("-");
    long size = Parse.duration("Offset", signed ? typed.substring(1) : typed).toNanos();
    return typed.startsWith("-") ? -size : size;
  }
}
