// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.ArrayDeque;

/**
 * Limits what the SENDs of a capture keep of their messages: a program that sends large ones, or
 * whose acknowledgements were not captured, would fill the memory with them.
 */
final class KeptMessages {
  /** Many times the control messages of a migration that are on their way at once. */
  private static final long MOST = 128L << 20;

  /** More than a request takes without its message, so that many small ones are no burden. */
  static final int REQUEST_BYTES = 1 << 10;

  private final ArrayDeque<WireRequest> oldest = new ArrayDeque<>();
  private final long most;
  private long bytes;

  KeptMessages() {
    this(MOST);
  }

  KeptMessages(long most) {
    this.most = most;
  }

  /** A SEND begins. */
  void began(WireRequest request) {
    oldest.add(request);
    bytes += REQUEST_BYTES;
  }

  /** A SEND keeps so many more bytes; the oldest ones keep nothing when that is too much. */
  void grew(int more) {
    bytes += more;
    while (bytes > most && oldest.size() > 1) {
      WireRequest first = oldest.remove();
      bytes -= first.keptBytes() + REQUEST_BYTES;
      first.forget();
    }
  }
}
