// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.wridscope.stream.Checkpoint;

/** A {@link Preparation} that runs on its own thread, so that sources can connect meanwhile. */
final class Preparing implements AutoCloseable {
  private final Background work;
  private volatile boolean abandoned;

  Preparing(Preparation preparation) {
    work = new Background("preparation", () -> preparation.run(this::pass));
  }

  private void pass() throws IOException {
    if (abandoned) {
      throw new MigrationException("The session has ended.");
    }
  }

  /** Throws what the work threw, if it has ended with that. */
  void check() throws IOException {
    if (work.isDone()) {
      work.join();
    }
  }

  /**
   * Waits for the end of the work, and throws what it threw.
   *
   * @param meanwhile called many times per second; its exception ends the wait, not the work
   */
  void await(Checkpoint meanwhile) throws IOException {
    while (!work.endsSoon()) {
      meanwhile.pass();
    }
    work.join();
  }

  /**
   * Ends the work, and waits until it has ended, because the guest's memory is freed after this.
   */
  @Override
  public void close() {
    abandoned = true;
    work.awaitEnd();
  }
}
