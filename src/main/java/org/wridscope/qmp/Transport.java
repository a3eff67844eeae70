// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.IOException;

/**
 * A way to a QMP server. One thread opens it and reads, another writes, and any thread closes it,
 * which ends the others' waits.
 */
interface Transport extends AutoCloseable {

  /** Connects. Waits without a limit, until {@link #close}. */
  void open() throws IOException, InterruptedException;

  /**
   * Reads at least one byte.
   *
   * @return the number of bytes; -1 at the end
   */
  int read(byte[] into) throws IOException;

  /** Writes all bytes. */
  void write(byte[] bytes) throws IOException;

  /** Whether lines that are no QMP may come between messages. */
  boolean isMixed();

  /** What the way itself reported, for example the last line of ssh; legible, or empty. */
  default String report() {
    return "";
  }

  @Override
  void close();
}
