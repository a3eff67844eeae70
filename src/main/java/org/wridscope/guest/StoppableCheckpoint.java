// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import org.wridscope.stream.Checkpoint;

/** Tells the exception of a checkpoint from one of the file that is read or written. */
final class StoppableCheckpoint implements Checkpoint {
  private final Checkpoint checkpoint;
  private boolean thrown;

  StoppableCheckpoint(Checkpoint checkpoint) {
    this.checkpoint = checkpoint;
  }

  @Override
  public void pass() throws IOException {
    try {
      checkpoint.pass();
    } catch (IOException e) {
      thrown = true;
      throw e;
    }
  }

  /** Whether the checkpoint has thrown an exception. */
  boolean hasThrown() {
    return thrown;
  }
}
