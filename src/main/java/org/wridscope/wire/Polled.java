// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The comment in a capture that this program writes on when a program polled the completion of a
 * request, which no packet tells. It is on a packet that passed later, or at the end of the file.
 *
 * @param source the host of that program
 * @param destination the host of its peer
 * @param queuePair of the peer
 * @param psn of the first packet of the request
 * @param nanos since 1970
 */
record Polled(Host source, Host destination, int queuePair, int psn, long nanos) {
  private static final Pattern FORM =
      Pattern.compile(
          "([0-9.]{7,15}) polled the completion of PSN ([0-9]{1,8}) to QP ([0-9]{1,8}) of"
              + " ([0-9.]{7,15}) at (.+)");

  /** The comment that says it. */
  byte[] comment() {
    return "%s polled the completion of PSN %d to QP %d of %s at %s"
        .formatted(source, psn, queuePair, destination, CommentTime.text(nanos))
        .getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads a comment.
   *
   * @param toldNanos when the packet passed that has it
   * @return null if the comment does not say so
   */
  static @Nullable Polled read(ByteBuffer comment, long toldNanos) {
    Matcher form = FORM.matcher(StandardCharsets.ISO_8859_1.decode(comment.duplicate()));
    long nanos = form.matches() ? CommentTime.read(form.group(5), toldNanos) : 0;
    return nanos == 0
        ? null
        : new Polled(
            new Host(form.group(1)),
            new Host(form.group(4)),
            Integer.parseInt(form.group(3)) & Psn.MASK,
            Integer.parseInt(form.group(2)) & Psn.MASK,
            nanos);
  }
}
