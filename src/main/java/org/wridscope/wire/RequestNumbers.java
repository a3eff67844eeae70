// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The packet sequence numbers of the requests of a queue pair. Not thread-safe. */
final class RequestNumbers {
  /** No send queue is deeper, and only its requests are sent again. */
  private static final int MOST_KEPT = 1 << 16;

  private final int first;
  private int next;
  private final Map<Long, Integer> known = new LinkedHashMap<>();

  RequestNumbers(int first) {
    this.first = first & Psn.MASK;
    next = this.first;
  }

  /** The number of the first packet. */
  int first() {
    return first;
  }

  /** The number of the first packet of a request; null if that is not kept. */
  @Nullable Integer of(long request) {
    return known.get(request);
  }

  /**
   * The number of the first packet of a request.
   *
   * @param request the same number again when it is sent again
   * @param packets how many packets it has
   */
  int of(long request, int packets) {
    Integer before = known.get(request);
    if (before != null) {
      return before;
    }
    int psn = next;
    next = (next + packets) & Psn.MASK;
    known.put(request, psn);
    if (known.size() > MOST_KEPT) {
      known.remove(known.keySet().iterator().next());
    }
    return psn;
  }
}
