// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.wridscope.wire.WireConnection;
import org.wridscope.wire.WireRequest;

/**
 * Requests of a capture that were answered and whose completion was not yet polled, as far as the
 * capture tells that: in order, for each end.
 */
final class OpenCompletions {
  /** No completion queue is larger; of those before, it is not asked any more. */
  private static final int MOST_OPEN = 1 << 16;

  private final Map<End, ArrayDeque<Answered>> open = new HashMap<>();

  private record End(int connection, int end) {}

  /** A request that was answered. */
  static final class Answered {
    private final WireRequest request;
    private final long nanos;
    private long polledNanos;

    private Answered(WireRequest request, long nanos) {
      this.request = request;
      this.nanos = nanos;
    }

    /** When it was answered, in nanoseconds since 1970. */
    long nanos() {
      return nanos;
    }

    /**
     * When a program polled its completion, or one that covers it; when it was answered if that is
     * not known.
     */
    long endNanos() {
      return Math.max(nanos, polledNanos);
    }
  }

  Answered add(WireConnection connection, int end, WireRequest request, long nanos) {
    var answered = new Answered(request, nanos);
    ArrayDeque<Answered> of =
        open.computeIfAbsent(new End(connection.number(), end), _ -> new ArrayDeque<>());
    if (of.size() == MOST_OPEN) {
      of.removeFirst();
    }
    of.addLast(answered);
    return answered;
  }

  /**
   * The completion of a request was polled.
   *
   * @return what it ends: the request and those before it, oldest first; none if it was not
   *     answered, or ended before
   */
  List<Answered> polled(WireConnection connection, int end, WireRequest request, long nanos) {
    ArrayDeque<Answered> of = open.get(new End(connection.number(), end));
    var ended = new ArrayList<Answered>();
    while (of != null && !of.isEmpty() && of.getFirst().request.number() <= request.number()) {
      Answered each = of.removeFirst();
      each.polledNanos = nanos;
      ended.add(each);
    }
    return ended;
  }
}
