// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import javafx.stage.Window;
import org.wridscope.control.Session;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.units.Parse;

/** The limits of sources that run, of one or of several at once. */
public final class Limits {
  /** The text for no limit. */
  public static final String NONE = "none";

  private Limits() {}

  /**
   * Reads a bandwidth limit, in bytes per second; 0 for none.
   *
   * @throws IllegalArgumentException with a sentence for the user
   */
  public static long bandwidth(String text) {
    String typed = text.strip();
    return typed.isEmpty() || typed.equalsIgnoreCase(NONE)
        ? 0
        : Parse.rate("Bandwidth limit", typed);
  }

  /** Asks for the most RAM that each of these sources sends per second. */
  public static void askBandwidth(Window owner, List<Session> sources) {
    ask(
        owner,
        "Bandwidth limit",
        "Each, such as 200MiB/s or none",
        sources,
        text -> {
          long limit = bandwidth(text);
          return source -> source.setBandwidthLimit(limit);
        });
  }

  /** Asks for how long each of their guests may be paused at the switch-over. */
  public static void askDowntime(Window owner, List<Session> sources) {
    ask(
        owner,
        "Downtime limit",
        "Each, such as 300ms",
        sources,
        text -> {
          var limit = MigrationSetting.DOWNTIME_LIMIT.parse("Downtime limit", text);
          return source -> source.setDowntimeLimit(limit);
        });
  }

  /**
   * @param read reads what was typed; throws IllegalArgumentException if it cannot
   */
  private static void ask(
      Window owner,
      String what,
      String label,
      List<Session> sources,
      Function<String, Consumer<Session>> read) {
    String title =
        "%s of %d %s"
            .formatted(what, sources.size(), sources.size() == 1 ? "migration" : "migrations");
    Question.text(
        owner,
        title,
        label,
        typed -> new Question.Yes("Set", true, !typed.isBlank() && isRead(typed, read)),
        // Some may have ended meanwhile; a limit does nothing to them.
        typed -> sources.forEach(read.apply(typed)));
  }

  private static boolean isRead(String typed, Function<String, Consumer<Session>> read) {
    try {
      return read.apply(typed) != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
