// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;

/**
 * Which work requests are wanted.
 *
 * @param kind null for all
 * @param block only writes to this RAM block, {@link #ANY} for all requests
 * @param chunk only writes to this chunk of it, {@link #ANY} for all
 * @param wrid only requests with this wrid; null for all
 */
public record RequestFilter(
    @Nullable RequestKind kind, int block, long chunk, @Nullable Long wrid) {
  /** Any block, any chunk. */
  public static final int ANY = -1;

  /** All requests. */
  public static final RequestFilter ALL = new RequestFilter(null, ANY, ANY, null);

  /** Only those with a wrid. */
  public static RequestFilter of(long wrid) {
    return new RequestFilter(null, ANY, ANY, wrid);
  }

  /** Whether it wants all requests. */
  public boolean isAll() {
    return equals(ALL);
  }

  /** Whether a request is wanted. */
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
