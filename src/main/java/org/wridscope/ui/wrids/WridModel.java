// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.FilteredRequests;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFilter;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Timeline;
import org.wridscope.control.Session;
import org.wridscope.telemetry.QueueId;

/**
 * Which requests of one session, or of one queue of a program, are shown, and which of them are
 * marked. Not thread-safe.
 */
final class WridModel {
  private final Session session;
  private final Requests requests;
  private final @Nullable QueueId only;
  private final Map<QueueType, FilteredRequests> shown = new EnumMap<>(QueueType.class);
  private final Map<QueueType, FilteredRequests> marked = new EnumMap<>(QueueType.class);
  private @Nullable RequestFilter mark;

  /**
   * @param only the queue of a program; null for all requests
   */
  WridModel(Session session, Requests requests, @Nullable QueueId only) {
    this.session = session;
    this.requests = requests;
    this.only = only;
    setFilter(RequestFilter.ALL);
  }

  Session session() {
    return session;
  }

  /** The queue and where its requests complete, or the end of the migration. */
  String title() {
    if (only != null) {
      return requests.nameOf(only) + completionQueues(only);
    }
    return session.migrates()
        ? session.role().text()
        : "all queues of %s".formatted(session.name());
  }

  private String completionQueues(QueueId of) {
    int send = requests.polledQueues().of(of, QueueType.SEND);
    int receive = requests.polledQueues().of(of, QueueType.RECEIVE);
    if (send == 0 || receive == 0 || send == receive) {
      int one = Math.max(send, receive);
      return one == 0 ? "" : ", completion queue %s".formatted(one);
    }
    return ", completion queues %d for sends, %d for receives".formatted(send, receive);
  }

  /** Whether it has the requests of a session that are of some queue. */
  boolean has(Session of, QueueType queue, long id) {
    return session.equals(of)
        && requests.of(queue).has(id)
        && (only == null || only.equals(requests.of(queue).queueId(id)));
  }

  Requests requests() {
    return requests;
  }

  /** Sets which requests to show. */
  void setFilter(RequestFilter filter) {
    for (QueueType queue : QueueType.values()) {
      shown.put(queue, new FilteredRequests(requests, queue, filter.of(only)));
    }
  }

  /** Sets which requests to mark; null for none. */
  void setMark(@Nullable RequestFilter newMark) {
    if (newMark == null ? mark == null : newMark.equals(mark)) {
      return;
    }
    mark = newMark;
    marked.clear();
    if (newMark != null) {
      for (QueueType queue : QueueType.values()) {
        marked.put(queue, new FilteredRequests(requests, queue, newMark.of(only)));
      }
    }
  }

  FilteredRequests shown(QueueType queue) {
    FilteredRequests of = shown.get(queue);
    if (of == null) {
      throw new IllegalStateException("no filter for " + queue);
    }
    return of;
  }

  @Nullable FilteredRequests marked(QueueType queue) {
    return marked.get(queue);
  }

  /**
   * Filters requests that are new since the last call.
   *
   * @return whether all of them were filtered
   */
  boolean advance() {
    boolean all = true;
    for (QueueType queue : QueueType.values()) {
      all &= shown(queue).advance();
      FilteredRequests of = marked.get(queue);
      all &= of == null || of.advance();
    }
    return all;
  }

  /** The number of marked requests. */
  long markedCount() {
    long count = 0;
    for (FilteredRequests each : marked.values()) {
      count += each.posted().end() - each.posted().first();
    }
    return count;
  }

  /** A request of one of the two queues, and the moment of its post. */
  record Found(WridModel model, QueueType queue, long id, long nanos) {
    /** The first one, or the last one, is the least. */
    static Comparator<Found> order(boolean forwards) {
      Comparator<Found> byPost = Comparator.comparingLong(Found::nanos);
      return forwards ? byPost : byPost.reversed();
    }
  }

  /** The next marked request that was posted after a moment, or the last one before it. */
  Optional<Found> nextMarked(long nanos, boolean forwards) {
    return next(marked, nanos, forwards);
  }

  /** The next shown request that was posted after a moment, or the last one before it. */
  Optional<Found> nextShown(long nanos, boolean forwards) {
    return next(shown, nanos, forwards);
  }

  private Optional<Found> next(
      Map<QueueType, FilteredRequests> among, long nanos, boolean forwards) {
    return among.entrySet().stream()
        .<Found>mapMulti((each, add) -> {
          Timeline posted = each.getValue().posted();
          long index = forwards ? posted.indexOf(nanos + 1) : posted.indexOf(nanos) - 1;
          if (index >= posted.first()
              && index < posted.end()
              && each.getValue().requests().has(posted.id(index))) {
            add.accept(new Found(this, each.getKey(), posted.id(index), posted.nanos(index)));
          }
        })
        .min(Found.order(forwards));
  }
}
