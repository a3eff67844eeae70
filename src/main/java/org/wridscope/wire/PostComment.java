// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The comment on the first packet of each request in a capture that this program writes: when the
 * request was posted, which no packet tells. The device sends it later, behind those before it.
 */
final class PostComment {
  private static final Pattern FORM =
      Pattern.compile("posted at ([0-9]{1,10})\\.([0-9]{9}) s since 1970");

  /** No request waits longer in a send queue; a time before that is not believed. */
  private static final long LONGEST_NANOS = TimeUnit.DAYS.toNanos(1);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private PostComment() {}

  /**
   * The comment on a packet of a request that was posted at this time, in nanoseconds since 1970.
   */
  static byte[] of(long nanos) {
    return "posted at %d.%09d s since 1970"
        .formatted(nanos / SECOND, nanos % SECOND)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads a comment.
   *
   * @param sentNanos when the packet passed
   * @return when its request was posted, 0 if the comment does not say so
   */
  static long read(ByteBuffer comment, long sentNanos) {
    Matcher form = FORM.matcher(StandardCharsets.ISO_8859_1.decode(comment.duplicate()));
    if (!form.matches()) {
      return 0;
    }
    long nanos = Long.parseLong(form.group(1)) * SECOND + Long.parseLong(form.group(2));
    return nanos > 0 && nanos <= sentNanos && nanos > sentNanos - LONGEST_NANOS ? nanos : 0;
  }
}
