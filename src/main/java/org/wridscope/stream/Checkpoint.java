// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;

/** Called many times per second during long work on a file. */
@FunctionalInterface
public interface Checkpoint {

  /**
   * Does what must not be delayed by the work.
   *
   * @throws IOException to end the work
   */
  void pass() throws IOException;
}
