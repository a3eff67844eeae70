// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.wridscope.units.Parse;

/** How the pages that a running guest writes are to be found. */
public enum DirtyLogChoice {
  /** The first of the others that works on this machine. */
  AUTO("auto"),
  /**
   * userfaultfd with asynchronous write protection, read by PAGEMAP_SCAN; Linux 6.7, on aarch64
   * 6.10.
   */
  USERFAULTFD("userfaultfd"),
  /** The kernel's soft-dirty bits; the guest stands still while they are read. */
  SOFT_DIRTY("soft-dirty"),
  /** A copy of the RAM, with which it is compared. */
  COMPARE("compare");

  private final String text;

  DirtyLogChoice(String text) {
    this.text = text;
  }

  /** As it is typed. */
  public String text() {
    return text;
  }

  /**
   * Parses {@link #text}.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static DirtyLogChoice parse(String field, String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(choice -> choice.text.equals(wanted))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "%s: %s is not a dirty log; write %s."
                    .formatted(
                        field,
                        Parse.quoted(text),
                        Arrays.stream(values())
                            .map(DirtyLogChoice::text)
                            .collect(Collectors.joining(", ")))));
  }
}
