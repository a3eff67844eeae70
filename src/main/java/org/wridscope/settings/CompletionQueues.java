// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import java.util.Locale;
import org.wridscope.units.Parse;

/** Whether the send queue and the receive queue of each end share a completion queue. */
public enum CompletionQueues {
  /** A completion queue for each, as in QEMU since its commit b390afd8c50b. */
  SPLIT,
  /**
   * One completion queue for both, as in QEMU before that commit: a wait for one completion drops
   * all others that it polls, so a migration hangs if completions arrive in an unexpected order.
   */
  SHARED;

  /** As it is typed. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Parses {@code shared} or {@code split}.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static CompletionQueues parse(String field, String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "shared" -> SHARED;
      case "split" -> SPLIT;
      default ->
          throw new IllegalArgumentException(
              "%s: %s is not valid; write shared or split.".formatted(field, Parse.quoted(text)));
    };
  }
}
