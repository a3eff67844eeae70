// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a user knows of the other end of a migration whose outcome is not known. */
public enum OtherEnd {
  /** Its host is off, so that nothing runs there. */
  POWERED_OFF,
  /** Its guest does not run, and never will. */
  GUEST_ENDED,
  /** Its guest runs. */
  GUEST_RUNS;

  /** As users write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The one with this word; empty if there is none. */
  public static Optional<OtherEnd> of(String word) {
    return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
  }

  /** All words. */
  public static String words(String between) {
    return Arrays.stream(values()).map(OtherEnd::word).collect(Collectors.joining(between));
  }
}
