// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.QueueId;

/**
 * Selects work requests.
 *
 * @param kind null for all
 * @param block selects only writes to this RAM block, unless {@link #ANY}
 * @param chunk selects only writes to this chunk, unless {@link #ANY}
 * @param wrid selects only requests with this wrid, unless null
 * @param queue selects only requests of this queue of a program, unless null
 */
public record RequestFilter(
    @Nullable RequestKind kind,
    int block,
    long chunk,
    @Nullable Long wrid,
    @Nullable QueueId queue) {
  /** Any block, any chunk. */
  public static final int ANY = -1;

  /** All requests. */
  public static final RequestFilter ALL = new RequestFilter(null, ANY, ANY, null);

  public RequestFilter(@Nullable RequestKind kind, int block, long chunk, @Nullable Long wrid) {
    this(kind, block, chunk, wrid, null);
  }

  /** Requests with a wrid. */
  public static RequestFilter of(long wrid) {
    return new RequestFilter(null, ANY, ANY, wrid);
  }

  /** The same, of one queue of a program only; of all queues if it is null. */
  public RequestFilter of(@Nullable QueueId one) {
    return new RequestFilter(kind, block, chunk, wrid, one);
  }

  /** Whether it selects all requests. */
  public boolean isAll() {
    return equals(ALL);
  }

  /** Whether it selects a request. */
  public boolean has(WorkRequests requests, long id) {
    if (kind != null && requests.kind(id) != kind) {
      return false;
    }
    if (queue != null && !queue.equals(requests.queueId(id))) {
      return false;
    }
    long of = requests.wrid(id);
    if (wrid != null && wrid != of) {
      return false;
    }
    return (block == ANY && chunk == ANY)
        || (!requests.ofProgram(id)
            && WorkRequestId.type(of) == WorkRequestId.RDMA_WRITE
            && (block == ANY || WorkRequestId.block(of) == block)
            && (chunk == ANY || WorkRequestId.chunk(of) == chunk));
  }
}
