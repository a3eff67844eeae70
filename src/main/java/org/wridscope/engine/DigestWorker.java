// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.RamDigester;
import org.wridscope.time.Time;
import org.wridscope.verbs.common.Uninterrupted;

/** Computes digests on its own thread, so that the engine can continue to send heartbeats. */
final class DigestWorker implements AutoCloseable {
  /** Much longer than the checksum of one chunk takes. */
  private static final Duration END_PATIENCE = Duration.ofSeconds(10);

  private final RamDigester digester;
  private final CompletableFuture<List<BlockDigest>> result = new CompletableFuture<>();
  private final Thread thread;

  DigestWorker(RamDigester digester) {
    this.digester = digester;
    thread = Time.start(Thread.currentThread().getName() + " digest", this::compute);
  }

  private void compute() {
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
  List<BlockDigest> result() throws MigrationException {
    try {
      return result.join();
    } catch (CompletionException e) {
      // A mapped file cannot be read after it was truncated.
      throw new MigrationException("The RAM could not be read: " + e.getCause(), e);
    }
  }

  /** Abandons the digest unless it is done; afterwards its thread does not access the RAM. */
  @Override
  public void close() {
    if (!isDone()) {
      digester.abandon();
    }
    boolean _ = Uninterrupted.join(thread, END_PATIENCE);
  }
}
