// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import org.wridscope.text.Format;

/**
 * How much of the RAM of guests that are being started is ready.
 *
 * @param ready bytes, at most {@code total}
 * @param total bytes; 0 when no RAM is being prepared
 */
public record RamProgress(long ready, long total) {
  /** No RAM is being prepared. */
  public static final RamProgress NONE = new RamProgress(0, 0);

  /** From 0 to 1. */
  public double share() {
    return total == 0 ? 0 : (double) ready / total;
  }

  /** For example "312 MiB of 2.0 GiB"; empty when no RAM is being prepared. */
  public String text() {
    return total == 0 ? "" : Format.bytes(ready) + " of " + Format.bytes(total);
  }
}
