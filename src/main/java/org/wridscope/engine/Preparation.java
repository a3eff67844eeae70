// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.wridscope.stream.Checkpoint;

/** What a destination does for its guest while it waits for a source, and may take long. */
@FunctionalInterface
public interface Preparation {
  /**
   * Does the work, on a thread of the session.
   *
   * @param pieces to be passed after each piece of the work, on any thread; it throws when the work
   *     is not wanted any more
   * @throws IOException if it failed, or ended early; one sentence
   */
  void run(Checkpoint pieces) throws IOException;
}
