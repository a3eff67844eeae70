// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;

/** Called many times a second during long work on a file. */
@FunctionalInterface
public interface Checkpoint {

  /**
   * Looks after what must not wait.
   *
   * @throws IOException when the work is to be given up
   */
  void pass() throws IOException;
}
