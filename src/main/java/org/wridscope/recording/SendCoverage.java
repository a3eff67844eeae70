// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a recorded send queue that no completion has covered, in the order of their
 * posts. A successful completion covers its request and every unsignaled one before it. One that
 * failed covers all before it, because they have succeeded (InfiniBand specification 1.4, 10.8.6).
 */
final class SendCoverage {
  /** The length of a request that is not known. */
  static final long UNKNOWN = -1;

  /** More than the send queue of any migration; a file may claim any number. */
  private static final int MAX_POSTS = 1 << 12;

  private final ArrayDeque<Post> posts;

  SendCoverage() {
    posts = new ArrayDeque<>();
  }

  /** A copy, which changes independently. */
  SendCoverage(SendCoverage other) {
    posts = new ArrayDeque<>(other.posts);
  }

  /** Compared by identity. */
  private static final class Post {
    final long wrid;
    final long length;
    final boolean signaled;

    Post(long wrid, long length, boolean signaled) {
      this.wrid = wrid;
      this.length = length;
      this.signaled = signaled;
    }
  }

  /** Receives the requests that a completion covers, oldest first. */
  @FunctionalInterface
  interface Covered<E extends Exception> {
    void request(long wrid, long length) throws E;
  }

  void clear() {
    posts.clear();
  }

  /**
   * A request was posted; only RDMA WRITEs may be unsignaled.
   *
   * @param length in bytes, at least 0
   */
  void posted(long wrid, long length, boolean signaled) {
    if (posts.size() == MAX_POSTS) {
      posts.removeFirst();
    }
    posts.addLast(new Post(wrid, length, signaled));
  }

  /**
   * Notes a completion.
   *
   * @param ok whether the request succeeded; if so, it is a signaled one. Several writes to a chunk
   *     have the same wrid
   * @param before gets the requests that it covers besides its own one
   * @return the length of the request itself, or {@link #UNKNOWN}
   */
  <E extends Exception> long completed(long wrid, boolean ok, Covered<E> before) throws E {
    Post own = find(wrid, ok);
    if (own == null) {
      return UNKNOWN;
    }
    Iterator<Post> all = posts.iterator();
    while (all.hasNext()) {
      Post post = all.next();
      if (post == own) {
        all.remove();
        break;
      }
      if (!post.signaled || !ok) {
        all.remove();
        before.request(post.wrid, post.length);
      }
    }
    return own.length;
  }

  private @Nullable Post find(long wrid, boolean signaled) {
    Post unsignaled = null;
    for (Post post : posts) {
      if (post.wrid == wrid) {
        if (post.signaled || !signaled) {
          return post;
        }
        unsignaled = unsignaled == null ? post : unsignaled;
      }
    }
    return unsignaled;
  }
}
