// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;

/**
 * Selects work requests.
 *
 * @param kind null for all
 * @param block selects only writes to this RAM block, unless {@link #ANY}
 * @param chunk selects only writes to this chunk, unless {@link #ANY}
 * @param wrid selects only requests with this wrid, unless null
 */
public record RequestFilter(
    @Nullable RequestKind kind, int block, long chunk, @Nullable Long wrid) {
  /** Any block, any chunk. */
  public static final int ANY = -1;

  /** All requests. */
  public static final RequestFilter ALL = new RequestFilter(null, ANY, ANY, null);

  /** Requests with a wrid. */
  public static RequestFilter of(long wrid) {
    return new RequestFilter(null, ANY, ANY, wrid);
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
    long of = requests.wrid(id);
    if (wrid != null && wrid != of) {
      return false;
    }
    return (block == ANY && chunk == ANY)
        || (WorkRequestId.type(of) == WorkRequestId.RDMA_WRITE
            && (block == ANY || WorkRequestId.block(of) == block)
            && (chunk == ANY || WorkRequestId.chunk(of) == chunk));
  }
}
