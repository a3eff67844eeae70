// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.List;
import java.util.Locale;
import org.wridscope.control.doctor.CheckResult;
import org.wridscope.control.doctor.Level;
import org.wridscope.text.Wrap;

/** Results of checks in a terminal. */
final class CheckText {
  private static final int INDENT = 9;
  private static final int WIDTH = 80;

  private CheckText() {}

  /**
   * Prints a result.
   *
   * @param place the host that was checked; empty for this machine
   */
  static void show(Terminal terminal, String place, CheckResult result) {
    String level = result.level().name().toLowerCase(Locale.ROOT);
    String heading = place.isEmpty() ? result.check() : place + ", " + result.check();
    List<String> lines = Wrap.lines(heading + ": " + result.sentence(), WIDTH - INDENT);
    terminal.result(colour(result.level()), "%-8s".formatted(level) + " " + lines.getFirst());
    lines.stream().skip(1).forEach(line -> terminal.result(" ".repeat(INDENT) + line));
    if (!result.remedy().isEmpty()) {
      Wrap.lines("=> " + result.remedy(), WIDTH - INDENT)
          .forEach(line -> terminal.result(" ".repeat(INDENT) + line));
    }
    if (!result.command().isEmpty()) {
      // Not wrapped, so that it can be copied as a whole.
      terminal.result(" ".repeat(INDENT) + "   " + result.command());
    }
  }

  private static Terminal.Colour colour(Level level) {
    return switch (level) {
      case OK -> Terminal.Colour.GOOD;
      case NOTE -> Terminal.Colour.BAR;
      case WARNING -> Terminal.Colour.DOUBTFUL;
      case FAILURE -> Terminal.Colour.BAD;
    };
  }
}
