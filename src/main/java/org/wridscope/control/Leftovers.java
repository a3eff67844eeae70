// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.Leftover;

/** What captures left behind whose process ended too early, in sentences. */
public final class Leftovers {
  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

  private Leftovers() {}

  /** About those that were to get a name; empty for a guest that is not captured. */
  public static List<String> beside(GuestSettings settings) {
    if (!(settings instanceof GuestSettings.Capture capture)) {
      return List.of();
    }
    try {
      return Leftover.beside(capture.out().path()).stream().map(Leftovers::sentence).toList();
    } catch (IOException e) {
      LOG.debug("{} cannot be looked at: {}", capture.out().path(), e.getMessage());
      return List.of();
    }
  }

  /** One sentence or two. */
  public static String sentence(Leftover leftover) {
    Path path = leftover.path();
    if (leftover.complete()) {
      return "%s holds the whole guest of an earlier capture; '%s' gives it its name."
          .formatted(path, command(leftover));
    }
    return leftover.seemsWhole()
        ? "%s seems to hold the whole guest of an earlier capture; '%s' checks that and gives it its name."
            .formatted(path, command(leftover))
        : "%s is what an earlier capture left behind; it is not a whole guest, and may be deleted."
            .formatted(path);
  }

  /** What to type to finish the capture. */
  public static String command(Leftover leftover) {
    return "./wridscope recover " + quoted(leftover.path().toString());
  }

  /** As a shell takes it. */
  private static String quoted(String text) {
    return text.matches("[\\w./@%+=:,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
