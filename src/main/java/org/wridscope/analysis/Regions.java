// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a program that is not ours registers memory: while it posts or apart from that, for how many
 * requests, and whether it grows. Figures tell how much is registered. Not thread-safe.
 */
public final class Regions {
  /** Regions of which it is known when they were registered; others are not for few requests. */
  private static final int MOST_KEPT = 1 << 16;

  /** An even number; when there are more steps, every second one is dropped. */
  private static final int MOST_STEPS = 1 << 12;

  /**
   * A shorter time does not tell growth from a beginning, in which buffers are registered as they
   * are needed.
   */
  private static final long SHORTEST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Fewer regions more are what connections and caches bring. */
  private static final int LEAST_GROWTH = 32;

  private static final int PARTS = 4;

  /** Of what is registered, so much may be deregistered while it grows: one in ten. */
  private static final int FEW = 10;

  /** The requests that had been posted when a region was registered, by its local key. */
  private final Map<Integer, Long> postedBefore = new HashMap<>();

  private final SortedMap<String, Long> refusals = new TreeMap<>();

  /** What was registered, over time, since the first post. */
  private final List<Step> steps = new ArrayList<>();

  private int stride = 1;
  private int skipped;
  private long count;
  private long bytes;
  private long registered;
  private long deregistered;
  private long posted;
  private long firstPost = Long.MAX_VALUE;

  /** Registrations between posts, and those since the last post. */
  private long between;

  private long sincePost;
  private long forOne;
  private boolean known;

  /** What was registered from a time on. */
  private record Step(long nanos, long count, long bytes, long registered, long deregistered) {}

  /**
   * That the memory of a program grew.
   *
   * @param nanos for how long
   * @param regions how many more
   * @param bytes how much more
   * @param registered in this time
   * @param deregistered in this time
   */
  public record Growth(
      long fromNanos, long nanos, long regions, long bytes, long registered, long deregistered) {}

  Regions() {}

  void before(long regions, long of) {
    count += regions;
    bytes += of;
    known = true;
  }

  void registered(long nanos, int key, long of) {
    count++;
    bytes += of;
    registered++;
    sincePost += posted > 0 ? 1 : 0;
    known = true;
    if (postedBefore.size() < MOST_KEPT) {
      postedBefore.put(key, posted);
    }
    step(nanos);
  }

  void deregistered(long nanos, int key, long of) {
    count--;
    bytes -= of;
    deregistered++;
    Long before = postedBefore.remove(key);
    if (before != null && posted - before == 1) {
      forOne++;
    }
    step(nanos);
  }

  void refused(int errno, boolean deregistration) {
    known = true;
    refusals.merge(
        "%s with %s"
            .formatted(
                deregistration ? "to deregister" : "to register",
                errno == 0 ? "an errno that is not known" : QueuePairText.errno(errno)),
        1L,
        Long::sum);
  }

  void posted(long nanos) {
    if (posted++ == 0) {
      firstPost = nanos;
      step(nanos);
    }
    between += sincePost;
    sincePost = 0;
  }

  private void step(long nanos) {
    if (posted == 0 || ++skipped < stride) {
      return;
    }
    skipped = 0;
    if (steps.size() == MOST_STEPS) {
      for (int i = 0; i < MOST_STEPS / 2; i++) {
        steps.set(i, steps.get(2 * i));
      }
      steps.subList(MOST_STEPS / 2, MOST_STEPS).clear();
      stride *= 2;
    }
    steps.add(new Step(nanos, count, bytes, registered, deregistered));
  }

  /** Whether registrations are told at all. */
  public boolean areKnown() {
    return known;
  }

  /** Regions that were registered after a request and before another one. */
  public long between() {
    return between;
  }

  /** Regions that were registered and deregistered around a single request. */
  public long forOne() {
    return forOne;
  }

  /** Requests posted, of any queue. */
  long posted() {
    return posted;
  }

  /** What was refused: how often, by what it was and the error. */
  public Map<String, Long> refusals() {
    return Collections.unmodifiableMap(refusals);
  }

  /**
   * How the memory grew since the first post, if it grew in each of the last three quarters of that
   * time, and almost nothing was deregistered; null if it did not, or the time is too short.
   *
   * @param nowNanos the end of that time
   */
  @Nullable Growth growth(long nowNanos) {
    long span = nowNanos - firstPost;
    if (posted == 0 || span < SHORTEST_NANOS) {
      return null;
    }
    Step first = at(firstPost + span / PARTS);
    Step before = first;
    Step last = new Step(nowNanos, count, bytes, registered, deregistered);
    long all = last.count - first.count;
    for (int part = 2; part <= PARTS; part++) {
      Step after = part == PARTS ? last : at(firstPost + span / PARTS * part);
      if ((after.count - before.count) * 2 * (PARTS - 1) < all) {
        return null;
      }
      before = after;
    }
    long more = last.registered - first.registered;
    long fewer = last.deregistered - first.deregistered;
    return all < LEAST_GROWTH || fewer * FEW > more
        ? null
        : new Growth(
            firstPost + span / PARTS,
            span - span / PARTS,
            all,
            last.bytes - first.bytes,
            more,
            fewer);
  }

  /** What was registered at a time, which is not before the first post. */
  private Step at(long nanos) {
    Step last = steps.getFirst();
    for (Step step : steps) {
      if (step.nanos <= nanos) {
        last = step;
      }
    }
    return last;
  }
}
