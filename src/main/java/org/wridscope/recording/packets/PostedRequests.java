// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.wire.WireRequest;

/** The newest requests of a capture that were shown as posted to one end's send queues. */
final class PostedRequests {
  /** More are never open at once, and older ones are not sent again. */
  private static final int MOST_KEPT = 1 << 17;

  private final boolean ofProgram;
  private final Map<WireRequest, Posted> posted = new LinkedHashMap<>();
  private long count;

  private record Posted(long wrid, long number) {}

  /**
   * @param ofProgram whether they are of a program, not of a migration
   */
  PostedRequests(boolean ofProgram) {
    this.ofProgram = ofProgram;
  }

  /** An event shows its post. */
  void add(WireRequest request, long wrid) {
    posted.put(request, new Posted(wrid, count++));
    if (posted.size() > MOST_KEPT) {
      posted.remove(posted.keySet().iterator().next());
    }
  }

  /** The wrid that the post of a request has; null if it was not shown. */
  @Nullable Long wrid(WireRequest request) {
    Posted of = posted.get(request);
    return of == null ? null : (Long) of.wrid;
  }

  /**
   * A packet about a request.
   *
   * @param request null if it is not known
   * @param what see {@link WirePacket#what}
   */
  WirePacket packet(@Nullable WireRequest request, int what, int psn, QueueId queuePair) {
    Posted of = request == null ? null : posted.get(request);
    return of == null
        ? new WirePacket(what, ofProgram, psn, 0, queuePair, WirePacket.UNKNOWN)
        : new WirePacket(what, ofProgram, psn, of.wrid, queuePair, of.number);
  }
}
