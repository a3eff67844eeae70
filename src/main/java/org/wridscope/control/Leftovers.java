// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.Leftover;

/** Sentences about the files of captures whose process ended too early. */
public final class Leftovers {
  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

  private Leftovers() {}

  /** Sentences about earlier captures to the same file; empty if the guest is not captured. */
  public static List<String> beside(GuestSettings settings) {
    if (!(settings instanceof GuestSettings.Capture capture)) {
      return List.of();
    }
    try {
      return Leftover.beside(capture.out().path()).stream().map(Leftovers::sentence).toList();
    } catch (IOException e) {
      LOG.debug("{} cannot be examined: {}", capture.out().path(), e.getMessage());
      return List.of();
    }
  }

  /** One sentence or two. */
  public static String sentence(Leftover leftover) {
    Path path = leftover.path();
    if (leftover.complete()) {
      return "%s holds the whole guest of an earlier capture; '%s' renames it to its final name."
          .formatted(path, command(leftover));
    }
    return leftover.seemsWhole()
        ? "%s seems to hold the whole guest of an earlier capture; '%s' checks it and renames it to its final name."
            .formatted(path, command(leftover))
        : "%s was left behind by an earlier capture; it is not a whole guest and may be deleted."
            .formatted(path);
  }

  /** The shell command that finishes the capture. */
  public static String command(Leftover leftover) {
    return "./wridscope recover " + CapturedFile.quoted(leftover.path().toString());
  }
}
