// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.raster;

import java.util.Arrays;

/** A picture of opaque ARGB pixels in memory. What is drawn outside of it is left out. */
public final class Pixels {
  private int[] argb = new int[0];
  private int stride;
  private int width;
  private int height;

  /** Allocates lines of {@code stride} pixels; their contents are undefined. */
  void allocate(int stride, int lines) {
    this.stride = stride;
    argb = new int[stride * lines];
  }

  /** Sets the size, which must be within what was allocated. */
  void setSize(int width, int height) {
    this.width = width;
    this.height = height;
  }

  /** A picture of a fixed size. */
  public static Pixels of(int width, int height) {
    var pixels = new Pixels();
    pixels.allocate(width, height);
    pixels.setSize(width, height);
    return pixels;
  }

  Pixels() {}

  public int width() {
    return width;
  }

  public int height() {
    return height;
  }

  /** The pixels, line by line; the first of line y lies at y times {@link #stride()}. */
  public int[] argb() {
    return argb;
  }

  /** Distance of two lines in {@link #argb()}, at least the width. */
  public int stride() {
    return stride;
  }

  public int get(int x, int y) {
    return argb[y * stride + x];
  }

  /** Fills the whole picture. */
  public void clear(int colour) {
    fill(0, 0, width, height, colour);
  }

  /** Fills a rectangle, from the first corner to just before the second one. */
  public void fill(int x0, int y0, int x1, int y1, int colour) {
    int from = Math.max(0, x0);
    int to = Math.min(width, x1);
    if (from >= to) {
      return;
    }
    int bottom = Math.min(height, y1);
    for (int y = Math.max(0, y0); y < bottom; y++) {
      Arrays.fill(argb, y * stride + from, y * stride + to, colour);
    }
  }

  /**
   * Mixes a colour into one pixel.
   *
   * @param share 0 to {@link Argb#WHOLE}
   */
  public void blend(int x, int y, int colour, int share) {
    if (x >= 0 && x < width && y >= 0 && y < height) {
      int i = y * stride + x;
      argb[i] = Argb.mix(argb[i], colour, share);
    }
  }

  /**
   * Draws a vertical run in one column, antialiased at its ends.
   *
   * @param top distance from the upper edge, in pixels and fractions of them
   * @param bottom below {@code top}
   * @param colour full in the middle of the run
   */
  public void run(int x, double top, double bottom, int colour) {
    double from = Math.max(0, top);
    double to = Math.min(height, bottom);
    if (x < 0 || x >= width || !(from < to)) {
      return;
    }
    int first = (int) from;
    int last = (int) to;
    if (first == last) {
      blend(x, first, colour, (int) ((to - from) * Argb.WHOLE));
      return;
    }
    blend(x, first, colour, (int) ((first + 1 - from) * Argb.WHOLE));
    int i = (first + 1) * stride + x;
    for (int y = first + 1; y < last; y++, i += stride) {
      argb[i] = colour;
    }
    blend(x, last, colour, (int) ((to - last) * Argb.WHOLE));
  }
}
