// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.ArrayList;
import java.util.List;

/** The lanes of one or two ends in a picture, from top to bottom, in pixels. */
final class Lanes {
  /** The least height of an end that has a heading. */
  private static final int HEADING_FROM = 90;

  /** The lines of pixels from {@code top} to just above {@code bottom}. */
  record Band(int top, int bottom) {
    int height() {
      return bottom - top;
    }

    int middle() {
      return (top + bottom) / 2;
    }

    boolean has(double y) {
      return y >= top && y < bottom;
    }
  }

  /** The lanes of a queue: for posts, for requests in flight, for completions. */
  record QueueLanes(Band posts, Band flight, Band completions) {
    boolean has(double y) {
      return y >= posts.top() && y < completions.bottom();
    }
  }

  /**
   * The lanes of one end.
   *
   * @param device where its device counted trouble; without height if no device has
   */
  record End(Band heading, QueueLanes send, QueueLanes receive, Band waits, Band device) {}

  // Shares of 100: posts, flight, completions, gap, the same for receives, gap, waits, gap, and
  // perhaps the device and a gap.
  private static final int[] SHARES = {14, 24, 14, 3, 9, 12, 9, 3, 10, 2, 0, 0};
  private static final int[] SHARES_WITH_DEVICE = {13, 21, 13, 3, 8, 11, 8, 3, 9, 1, 9, 1};

  // Where the lanes would be too low for their names otherwise.
  private static final int[] EVEN = {13, 14, 13, 2, 13, 14, 13, 2, 14, 2, 0, 0};
  private static final int[] EVEN_WITH_DEVICE = {11, 12, 11, 2, 11, 12, 11, 2, 12, 2, 12, 2};

  private Lanes() {}

  /**
   * Divides a picture.
   *
   * @param height of the picture
   * @param ends 0 to 2
   * @param headingHeight of a heading, if there is room for one
   * @param nameHeight the least height of a lane that has a name
   * @param device whether there is a lane for the device
   */
  static List<End> of(int height, int ends, int headingHeight, int nameHeight, boolean device) {
    var lanes = new ArrayList<End>();
    for (int i = 0; i < ends; i++) {
      int top = height * i / ends;
      int bottom = height * (i + 1) / ends;
      int heading = bottom - top >= HEADING_FROM ? headingHeight : 0;
      lanes.add(
          end(top, top + heading, bottom, shares(bottom - top - heading, nameHeight, device)));
    }
    return lanes;
  }

  private static int[] shares(int height, int nameHeight, boolean device) {
    int[] usual = device ? SHARES_WITH_DEVICE : SHARES;
    // The posts of receives have the lowest lane.
    return height * usual[4] / 100 >= nameHeight ? usual : device ? EVEN_WITH_DEVICE : EVEN;
  }

  private static End end(int top, int from, int bottom, int[] shares) {
    int[] edges = new int[shares.length + 1];
    int sum = 0;
    for (int i = 0; i < shares.length; i++) {
      edges[i] = from + (bottom - from) * sum / 100;
      sum += shares[i];
    }
    edges[shares.length] = bottom;
    return new End(
        new Band(top, from),
        queue(edges, 0),
        queue(edges, 4),
        new Band(edges[8], edges[9]),
        new Band(edges[10], edges[11]));
  }

  private static QueueLanes queue(int[] edges, int first) {
    return new QueueLanes(
        new Band(edges[first], edges[first + 1]),
        new Band(edges[first + 1], edges[first + 2]),
        new Band(edges[first + 2], edges[first + 3]));
  }
}
