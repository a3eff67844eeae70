// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.util.List;
import org.wridscope.memory.DirtyBitmap;

/**
 * Finds the pages of some ranges that another process writes, through its own page tables or those
 * of its virtual machine. What it maps, and what it has written before, stays as it is.
 *
 * <p>Not found by every kind are writes of devices and of other processes that have mapped the same
 * memory. May be used by any thread, one at a time; {@link #close} waits for a call of another one.
 */
public interface WriteTracker extends AutoCloseable {

  /**
   * Begins: every later write is found. To be called once, before {@link #take}.
   *
   * @throws IOException if it cannot; one sentence, and nothing is left in the other process
   */
  void start() throws IOException;

  /**
   * Adds the pages that were written since {@link #start} or the last call. A page that is written
   * meanwhile is added by this call or by the next one; what a thread reads from the shared memory
   * after this call contains all writes that were found.
   *
   * @param into a bitmap for each range, of its {@linkplain SharedRange#pages pages}; nothing is
   *     cleared
   * @throws IOException if not all writes could be found; the tracker is of no use after that, and
   *     the caller has to send all pages or to give up
   */
  void take(List<DirtyBitmap> into) throws IOException;

  /** Whether writes during {@link #take} may be lost, so that the process must stand still. */
  boolean needsQuietTarget();

  /** How it works, in a few words that complete "writes are found by". */
  String description();

  /** Stops to track; nothing is left in the other process. Idempotent. */
  @Override
  void close();
}
