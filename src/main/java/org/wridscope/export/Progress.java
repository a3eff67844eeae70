// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

/** Receives the progress of an export, on the exporting thread. */
@FunctionalInterface
public interface Progress {
  /** Ignores progress. */
  Progress NONE = _ -> true;

  /**
   * Reports progress.
   *
   * @param share 0 to 1
   * @return whether to continue
   */
  boolean at(double share);
}
