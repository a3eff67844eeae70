// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The comment on the first packet of each request in a capture that this program writes: when the
 * request was posted, which no packet tells. The device sends it later, behind those before it.
 */
final class PostComment {
  private static final String BEFORE = "posted at ";

  private PostComment() {}

  /**
   * The comment on a packet of a request that was posted at this time, in nanoseconds since 1970.
   */
  static byte[] of(long nanos) {
    return (BEFORE + CommentTime.text(nanos)).getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads a comment.
   *
   * @param sentNanos when the packet passed
   * @return when its request was posted, 0 if the comment does not say so
   */
  static long read(ByteBuffer comment, long sentNanos) {
    String text = StandardCharsets.ISO_8859_1.decode(comment.duplicate()).toString();
    return text.startsWith(BEFORE)
        ? CommentTime.read(text.substring(BEFORE.length()), sentNanos)
        : 0;
  }
}
