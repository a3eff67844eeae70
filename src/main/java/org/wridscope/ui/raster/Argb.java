// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.raster;

/** Arithmetic on opaque ARGB colours. */
public final class Argb {
  /** The whole, for the shares of {@link #mix(int, int, int)}. */
  public static final int WHOLE = 256;

  private Argb() {}

  /**
   * A colour between two.
   *
   * @param share 0 for all {@code from}, {@link #WHOLE} for all {@code to}
   */
  public static int mix(int from, int to, int share) {
    int rest = WHOLE - share;
    int redBlue = ((from & 0xff00ff) * rest + (to & 0xff00ff) * share) >>> 8 & 0xff00ff;
    int green = ((from & 0x00ff00) * rest + (to & 0x00ff00) * share) >>> 8 & 0x00ff00;
    return 0xff000000 | redBlue | green;
  }

  /** A colour between two; a share outside of 0 to 1 is clamped. */
  public static int mix(int from, int to, double share) {
    return mix(from, to, (int) Math.round(Math.clamp(share, 0.0, 1.0) * WHOLE));
  }
}
