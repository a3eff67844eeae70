// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

/** Is told how far an export has come, by the thread that exports. */
@FunctionalInterface
public interface Progress {
  /** Nobody wants to know. */
  Progress NONE = _ -> true;

  /**
   * It has come this far.
   *
   * @param share 0 to 1
   * @return whether to go on
   */
  boolean at(double share);
}
