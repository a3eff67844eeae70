// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Anomaly.Kind;
import org.wridscope.telemetry.Role;

/** Finds what is unusual among the work requests of an end. */
public final class Anomalies {
  /** A wait is long if it takes one part in this many of the time of its session. */
  private static final long LONG_SHARE = 20;

  private static final long SHORTEST_LONG_WAIT = TimeUnit.MILLISECONDS.toNanos(10);

  private final Requests requests;
  private final long nowNanos;
  private final boolean ended;
  private final long longWait;

  /**
   * @param beganNanos when the session began
   * @param nowNanos the moment that open waits reach
   * @param ended whether nothing is to come any more
   */
  public Anomalies(Requests requests, long beganNanos, long nowNanos, boolean ended) {
    this.requests = requests;
    this.nowNanos = nowNanos;
    this.ended = ended;
    longWait =
        Math.clamp(
            (nowNanos - beganNanos) / LONG_SHARE, SHORTEST_LONG_WAIT, Explainer.LONG_WAIT_NANOS);
  }

  /**
   * The next anomaly, or the one before.
   *
   * @param shown which ones count
   * @param beyond those that lie in the direction
   * @return null if there is none
   */
  public @Nullable Anomaly nearest(
      Predicate<Anomaly> shown, Predicate<Anomaly> beyond, boolean forwards) {
    var search = new Search(shown.and(beyond), forwards);
    addMarks(search);
    addWaits(search);
    for (QueueType queue : QueueType.values()) {
      addStrays(queue, search);
    }
    addOpen(search);
    return search.best;
  }

  /** Keeps the nearest of the anomalies that count. */
  private static final class Search implements Consumer<Anomaly> {
    private final Predicate<Anomaly> counts;
    private final boolean forwards;
    private @Nullable Anomaly best;

    Search(Predicate<Anomaly> counts, boolean forwards) {
      this.counts = counts;
      this.forwards = forwards;
    }

    @Override
    public void accept(Anomaly anomaly) {
      Anomaly other = best;
      boolean nearer =
          other == null || (forwards ? anomaly.compareTo(other) < 0 : anomaly.compareTo(other) > 0);
      if (nearer && counts.test(anomaly)) {
        best = anomaly;
      }
    }
  }

  private Role role() {
    return requests.role();
  }

  private void addMarks(Search search) {
    Marks marks = requests.marks();
    for (long mark = marks.first(); mark < marks.end(); mark++) {
      Kind kind = kind(marks.kind(mark));
      if (kind != null) {
        search.accept(
            new Anomaly(marks.nanos(mark), role(), kind, marks.queue(mark), marks.request(mark)));
      }
    }
  }

  private static @Nullable Kind kind(Marks.Kind kind) {
    return switch (kind) {
      case RECEIVE_OVERTOOK_SEND, OUT_OF_ORDER -> Kind.OUT_OF_ORDER;
      case DROPPED -> Kind.DROPPED;
      case FAILED -> Kind.FAILED;
      case MEMORY_GONE, MEMORY_REUSED -> Kind.RELEASED_TOO_EARLY;
      case SENT_AGAIN, REFUSED -> Kind.SENT_AGAIN;
      case MET -> null;
    };
  }

  /** A destination that listens waits for a source as long as it takes. */
  private void addWaits(Search search) {
    Waits waits = requests.waits();
    long connected = Math.min(firstPost(requests.sends()), firstPost(requests.receives()));
    for (long wait = waits.first(); wait < waits.end(); wait++) {
      long began = waits.beganNanos(wait);
      if (began >= connected && Math.min(nowNanos, waits.endedNanos(wait)) - began >= longWait) {
        search.accept(new Anomaly(began, role(), Kind.LONG_WAIT, null, wait));
      }
    }
  }

  private static long firstPost(WorkRequests of) {
    Timeline posted = of.posted();
    return posted.first() == posted.end() ? Long.MAX_VALUE : posted.nanos(posted.first());
  }

  /** Logs that do not tell posts at all would give one for each completion. */
  private void addStrays(QueueType queue, Search search) {
    if (requests.of(queue).end() == 0) {
      return;
    }
    Timeline strays = requests.of(queue).strays();
    for (long i = strays.first(); i < strays.end(); i++) {
      search.accept(new Anomaly(strays.nanos(i), role(), Kind.NOBODY_POSTED, queue, strays.id(i)));
    }
  }

  /** Receives may be left over at the end; they were posted for messages that did not come. */
  private void addOpen(Search search) {
    WorkRequests sends = requests.sends();
    if (ended) {
      sends.across(
          nowNanos + 1,
          id ->
              search.accept(
                  new Anomaly(
                      sends.postedNanos(id), role(), Kind.NEVER_COMPLETED, QueueType.SEND, id)));
    }
  }
}
