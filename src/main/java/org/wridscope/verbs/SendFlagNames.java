// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The names of {@code enum ibv_send_flags}, without their prefix. */
public final class SendFlagNames {
  /** From the lowest bit. */
  private static final List<String> NAMES =
      List.of("FENCE", "SIGNALED", "SOLICITED", "INLINE", "IP_CSUM");

  /** {@code IBV_SEND_SIGNALED}. */
  public static final int SIGNALED = 1 << 1;

  /** {@code IBV_SEND_INLINE}. */
  public static final int INLINE = 1 << 3;

  /** No flag of verbs: it is not known which ones are set, because packets do not show them. */
  public static final int NOT_KNOWN = 0x80;

  private static final String PREFIX = "IBV_SEND_";

  private SendFlagNames() {}

  /** The names of the flags that are set, from the lowest bit; one without a name as its number. */
  public static List<String> of(int flags) {
    var names = new ArrayList<String>();
    for (int bit = 0; bit < 8; bit++) {
      if ((flags >>> bit & 1) != 0) {
        names.add(bit < NAMES.size() ? NAMES.get(bit) : "flag 0x" + Integer.toHexString(1 << bit));
      }
    }
    return names;
  }

  /** Whether all flags that are set have names. */
  public static boolean areNamed(int flags) {
    return flags >>> NAMES.size() == 0;
  }

  /**
   * A flag from its name, with or without its prefix.
   *
   * @return empty if there is none of this name
   */
  public static OptionalInt flag(String name) {
    String wanted = name.toUpperCase(Locale.ROOT);
    int bit = NAMES.indexOf(wanted.startsWith(PREFIX) ? wanted.substring(PREFIX.length()) : wanted);
    return bit < 0 ? OptionalInt.empty() : OptionalInt.of(1 << bit);
  }
}
