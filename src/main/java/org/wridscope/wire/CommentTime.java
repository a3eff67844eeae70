// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A time in a comment of a capture that this program writes. */
final class CommentTime {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,10})\\.([0-9]{9}) s since 1970");

  /** Nothing is told later; a time before that is not believed. */
  private static final long LONGEST_NANOS = TimeUnit.DAYS.toNanos(1);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private CommentTime() {}

  /** A time in nanoseconds since 1970. */
  static String text(long nanos) {
    return "%d.%09d s since 1970".formatted(nanos / SECOND, nanos % SECOND);
  }

  /**
   * Reads a time.
   *
   * @param toldNanos the time of the packet whose comment tells it, before which it must be
   * @return nanoseconds since 1970, 0 if it is none, or cannot be right
   */
  static long read(String text, long toldNanos) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return 0;
    }
    long nanos = Long.parseLong(form.group(1)) * SECOND + Long.parseLong(form.group(2));
    return nanos > 0 && nanos <= toldNanos && nanos > toldNanos - LONGEST_NANOS ? nanos : 0;
  }
}
