// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.DeviceTroubles;
import org.wridscope.analysis.FilteredRequests;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Timeline;
import org.wridscope.analysis.Waits;
import org.wridscope.analysis.WorkRequests;

/** Finds the request, the wait or the trouble at a place in the picture. */
final class WridPicker {
  private static final int NEIGHBOURS = 4;

  private final WridPainter painter;

  WridPicker(WridPainter painter) {
    this.painter = painter;
  }

  /** What was found. */
  sealed interface Pick {
    WridModel model();
  }

  /** A request of a queue. */
  record Request(WridModel model, QueueType queue, long id) implements Pick {}

  /** A wait. */
  record Wait(WridModel model, long id) implements Pick {}

  /**
   * Trouble that a device counted.
   *
   * @param row of {@link DeviceTroubles}
   */
  record Trouble(WridModel model, long row) implements Pick {}

  /**
   * Finds what is at a place.
   *
   * @param x pixels
   * @param nanos the moment at {@code x}
   * @param reach the largest distance, in pixels
   * @return null if nothing is there
   */
  @Nullable Pick at(
      WridModel model, Lanes.End lanes, double x, double y, long nanos, double reach) {
    if (lanes.waits().has(y)) {
      return waitAt(model, x, nanos, reach);
    }
    if (lanes.device().has(y)) {
      DeviceTroubles troubles = model.requests().counted().troubles();
      long row = troubles.indexOf(nanos);
      boolean near = troubles.has(row) && painter.xOf(troubles.sinceNanos(row)) <= x + reach;
      return near ? new Trouble(model, row) : null;
    }
    for (QueueType queue : QueueType.values()) {
      Lanes.QueueLanes of = queue == QueueType.SEND ? lanes.send() : lanes.receive();
      if (of.has(y)) {
        long id = requestAt(model.shown(queue), of, x, y, nanos, reach);
        return id == WorkRequests.NONE ? null : new Request(model, queue, id);
      }
    }
    return null;
  }

  private @Nullable Pick waitAt(WridModel model, double x, long nanos, double reach) {
    Waits waits = model.requests().waits();
    long best = -1;
    double distance = reach;
    long first = waits.indexOf(nanos);
    for (long wait = Math.max(waits.first(), first - 1); wait < waits.end(); wait++) {
      double from = painter.xOf(waits.beganNanos(wait));
      if (from > x + reach) {
        break;
      }
      double to = waits.isOpen(wait) ? Double.MAX_VALUE : painter.xOf(waits.endedNanos(wait));
      double off = Math.max(0, Math.max(from - x, x - to));
      if (off <= distance) {
        distance = off;
        best = wait;
      }
    }
    return best < 0 ? null : new Wait(model, best);
  }

  private long requestAt(
      FilteredRequests shown,
      Lanes.QueueLanes lanes,
      double x,
      double y,
      long nanos,
      double reach) {
    if (lanes.completions().has(y)) {
      return nearest(shown, shown.ended(), x, nanos, reach);
    }
    if (lanes.posts().has(y) || painter.isDense(shown)) {
      return nearest(shown, shown.posted(), x, nanos, reach);
    }
    double share = (y - lanes.flight().top()) / Math.max(1, lanes.flight().height());
    var best = new Nearest(shown.requests(), x, share, reach);
    shown
        .requests()
        .across(
            painter.leftNanos(),
            id -> {
              if (shown.has(id)) {
                best.consider(id);
              }
            });
    Timeline posted = shown.posted();
    long end = posted.indexOf(painter.rightNanos());
    for (long i = posted.indexOf(painter.leftNanos()); i < end; i++) {
      best.consider(posted.id(i));
    }
    return best.id;
  }

  private long nearest(
      FilteredRequests shown, Timeline timeline, double x, long nanos, double reach) {
    long best = WorkRequests.NONE;
    double distance = reach;
    long middle = timeline.indexOf(nanos);
    long end = Math.min(timeline.end(), middle + NEIGHBOURS);
    for (long i = Math.max(timeline.first(), middle - NEIGHBOURS); i < end; i++) {
      long id = timeline.id(i);
      double off = Math.abs(painter.xOf(timeline.nanos(i)) - x);
      // Of requests that end together, the last one has the completion.
      if (shown.requests().has(id) && off <= distance) {
        distance = off;
        best = id;
      }
    }
    return best;
  }

  /** Finds the line that passes nearest to a place. */
  private final class Nearest {
    private final WorkRequests requests;
    private final double x;
    private final double share;
    private double distance;
    private long id = WorkRequests.NONE;

    Nearest(WorkRequests requests, double x, double share, double reach) {
      this.requests = requests;
      this.x = x;
      this.share = share;
      distance = reach;
    }

    void consider(long each) {
      if (!requests.has(each)) {
        return;
      }
      double from = painter.xOf(requests.postedNanos(each));
      double off;
      if (requests.isOpen(each)) {
        // Its dashes run along the middle, from its post to now.
        boolean near = requests.seesCompletions() && Math.abs(share - 0.5) < 0.25;
        off = near ? Math.max(0, from - x) : distance + 1;
      } else {
        double to = painter.xOf(requests.endedNanos(each));
        off = Math.abs(from + share * (to - from) - x);
      }
      if (off <= distance) {
        distance = off;
        id = each;
      }
    }
  }
}
