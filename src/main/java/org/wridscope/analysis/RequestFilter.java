// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.QueueId;

/**
 * Selects work requests.
 *
 * @param kind null for all
 * @param query selects only requests that match it, unless null
 * @param queue selects only requests of this queue of a program, unless null
 */
public record RequestFilter(
    @Nullable RequestKind kind, @Nullable Query query, @Nullable QueueId queue) {
  /** All requests. */
  public static final RequestFilter ALL = new RequestFilter(null, null, null);

  /** The same, of one queue of a program only; of all queues if it is null. */
  public RequestFilter of(@Nullable QueueId one) {
    return new RequestFilter(kind, query, one);
  }

  /** Whether it selects all requests. */
  public boolean isAll() {
    return equals(ALL);
  }

  /** Whether more can be known of a request at its end. */
  boolean isOfEnd() {
    return query != null && query.isOfEnd();
  }

  /** Whether it selects a request that is kept. */
  boolean has(Requests requests, QueueType type, long id) {
    WorkRequests of = requests.of(type);
    return (kind == null || of.kind(id) == kind)
        && (queue == null || queue.equals(of.queueId(id)))
        && (query == null || query.has(requests, type, id));
  }
}
