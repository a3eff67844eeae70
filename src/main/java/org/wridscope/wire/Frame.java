// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;

/**
 * A packet of a capture file.
 *
 * @param nanos since 1970
 * @param linkType how it begins, a {@code LINKTYPE_} of pcap
 * @param bytes what was captured, big-endian
 * @param length its length on the wire, of which less may have been captured
 * @param postedNanos when the request was posted that begins with it, if its comment says so,
 *     otherwise 0
 */
record Frame(long nanos, int linkType, ByteBuffer bytes, long length, long postedNanos) {
  /** Whether only its beginning was captured. */
  boolean isCut() {
    return bytes.remaining() < length;
  }
}
