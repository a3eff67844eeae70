// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.RamDigester;

/** Computes digests on a thread of its own, so that the engine goes on sending heartbeats. */
final class DigestWorker {
  private final CompletableFuture<List<BlockDigest>> result = new CompletableFuture<>();

  DigestWorker(RamDigester digester) {
    Thread.ofPlatform()
        .daemon()
        .name(Thread.currentThread().getName() + " digest")
        .start(() -> compute(digester));
  }

  private void compute(RamDigester digester) {
    try {
      result.complete(digester.digest());
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }

  boolean isDone() {
    return result.isDone();
  }

  /** The digests, once {@link #isDone()}. */
  List<BlockDigest> result() {
    return result.join();
  }
}
