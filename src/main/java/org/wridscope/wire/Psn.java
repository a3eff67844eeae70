// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

/** Arithmetic with packet sequence numbers, which have 24 bits (IBTA 9.7.2). */
final class Psn {
  static final int MASK = (1 << 24) - 1;

  private Psn() {}

  /**
   * The number without a limit that is nearest to another one.
   *
   * @param psn 24 bits
   */
  static long near(int psn, long other) {
    int ahead = (psn - (int) other) << 8 >> 8;
    return other + ahead;
  }
}
