// SPDX-License-Identifier: Apache-2.0
package org.wridscope.account;

import java.util.Arrays;
import org.wridscope.protocol.WorkRequestId;

/**
 * The requests of a send queue that no completion has covered, in the order of their posts. A
 * successful completion covers its request and every unsignaled one before it. One that failed
 * covers all before it, because they have succeeded (InfiniBand specification 1.4, 10.8.6).
 *
 * <p>Does not allocate, except when more are outstanding than ever before.
 */
public final class Posts {
  /** The length of a request that is not known. */
  public static final long UNKNOWN = -1;

  /** No request. */
  public static final long NONE = -1;

  /** More than the send queue of any migration; a file may claim any number. */
  private static final int MAX_POSTS = 1 << 12;

  private static final byte ENDED = 0;
  private static final byte UNSIGNALED = 1;
  private static final byte SIGNALED = 2;

  private long[] wrids;
  private long[] lengths;
  private byte[] states;

  /** Position of the oldest one that has not ended; positions count all posts. */
  private long oldest;

  private long end;

  /** For no requests yet. */
  public Posts() {
    wrids = new long[16];
    lengths = new long[16];
    states = new byte[16];
  }

  /** A copy, which changes independently. */
  Posts(Posts other) {
    wrids = other.wrids.clone();
    lengths = other.lengths.clone();
    states = other.states.clone();
    oldest = other.oldest;
    end = other.end;
  }

  /** Receives the requests that a completion covers, oldest first. */
  @FunctionalInterface
  public interface Covered {
    void request(long wrid, long length);
  }

  private int slot(long position) {
    return (int) position & (wrids.length - 1);
  }

  /**
   * A request was posted; only RDMA WRITEs may be unsignaled.
   *
   * @param length in bytes, at least 0
   */
  public void posted(long wrid, long length, boolean signaled) {
    if (end - oldest == MAX_POSTS) {
      ended(oldest);
    } else if (end - oldest == wrids.length) {
      grow();
    }
    int slot = slot(end++);
    wrids[slot] = wrid;
    lengths[slot] = length;
    states[slot] = signaled ? SIGNALED : UNSIGNALED;
  }

  private void grow() {
    int size = wrids.length;
    int first = slot(oldest);
    long[] wridsBefore = wrids;
    long[] lengthsBefore = lengths;
    byte[] statesBefore = states;
    wrids = Arrays.copyOf(wrids, 2 * size);
    lengths = Arrays.copyOf(lengths, 2 * size);
    states = Arrays.copyOf(states, 2 * size);
    for (int i = 0; i < size; i++) {
      int from = (first + i) & (size - 1);
      wrids[i] = wridsBefore[from];
      lengths[i] = lengthsBefore[from];
      states[i] = statesBefore[from];
    }
    oldest = 0;
    end = size;
  }

  private void ended(long position) {
    states[slot(position)] = ENDED;
    while (oldest < end && states[slot(oldest)] == ENDED) {
      oldest++;
    }
  }

  /**
   * Notes a completion.
   *
   * @param ok whether the request succeeded; if so, it is a signaled one. Several writes to a chunk
   *     have the same wrid
   * @param before gets the requests that it covers besides its own one
   * @return the length of the request itself, or {@link #UNKNOWN}
   */
  public long completed(long wrid, boolean ok, Covered before) {
    long own = find(wrid, ok);
    if (own < 0) {
      return UNKNOWN;
    }
    long length = lengths[slot(own)];
    for (long at = oldest; at < own; at++) {
      int slot = slot(at);
      if (states[slot] == UNSIGNALED || (states[slot] == SIGNALED && !ok)) {
        states[slot] = ENDED;
        before.request(wrids[slot], lengths[slot]);
      }
    }
    ended(own);
    return length;
  }

  private long find(long wrid, boolean signaled) {
    long unsignaled = -1;
    for (long at = oldest; at < end; at++) {
      int slot = slot(at);
      if (wrids[slot] == wrid && states[slot] != ENDED) {
        if (states[slot] == SIGNALED || !signaled) {
          return at;
        }
        unsignaled = unsignaled < 0 ? at : unsignaled;
      }
    }
    return unsignaled;
  }

  /** The wrid of the oldest RDMA WRITE, {@link #NONE} if there is none. */
  long oldestWrite() {
    for (long at = oldest; at < end; at++) {
      int slot = slot(at);
      if (states[slot] != ENDED && WorkRequestId.type(wrids[slot]) == WorkRequestId.RDMA_WRITE) {
        return wrids[slot];
      }
    }
    return NONE;
  }

  /** No completion follows; the rest is given in its order. */
  void settle(Covered rest) {
    while (oldest < end) {
      int slot = slot(oldest);
      ended(oldest);
      rest.request(wrids[slot], lengths[slot]);
    }
  }
}
