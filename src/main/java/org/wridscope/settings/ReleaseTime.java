// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import java.util.Locale;
import org.wridscope.units.Parse;

/** When both ends of a lab migration release the buffers and registrations of their requests. */
public enum ReleaseTime {
  /** When the request has completed. */
  ON_COMPLETION,
  /**
   * When the peer has answered, which is a mistake: a device that got no acknowledgement sends the
   * request again, and reads its memory again.
   */
  ON_REPLY;

  /** As it is typed. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Parses {@code on-completion} or {@code on-reply}.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static ReleaseTime parse(String field, String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "on-completion" -> ON_COMPLETION;
      case "on-reply" -> ON_REPLY;
      default ->
          throw new IllegalArgumentException(
              "%s: %s is not valid; write on-completion or on-reply."
                  .formatted(field, Parse.quoted(text)));
    };
  }
}
