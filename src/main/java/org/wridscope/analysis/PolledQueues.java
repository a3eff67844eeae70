// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.wridscope.telemetry.QueueId;

/**
 * What a program that is not ours polled from each completion queue. Completions of one queue with
 * the same time are of one poll. Not thread-safe.
 */
public final class PolledQueues {
  /** A completion queue that is not told, for example by captured packets. */
  private static final int UNKNOWN = 0;

  private final Map<Integer, Polled> queues = new TreeMap<>();

  private final Map<QueueType, Map<QueueId, Integer>> uses = new EnumMap<>(QueueType.class);

  /** How many requests the program has posted. */
  private long posts;

  /** What was polled from one of them. */
  public final class Polled {
    private final int number;
    private long sends;
    private long receives;
    private long polls;
    private long empty;
    private long atOnce;
    private long mostAtOnce;
    private long lastNanos = Long.MIN_VALUE;
    private long crossing;

    /** How many requests had been posted at the last completion if it crossed a send, else -1. */
    private long postsAtCrossing = -1;

    private Polled(int number) {
      this.number = number;
    }

    /** From 1, in the order in which the program used them. */
    public int number() {
      return number;
    }

    /** Completions of send queues. */
    public long sends() {
      return sends;
    }

    /** Completions of receive queues. */
    public long receives() {
      return receives;
    }

    /** When the last completion was polled. */
    long lastNanos() {
      return lastNanos;
    }

    /** Polls that returned a completion. */
    public long polls() {
      return polls;
    }

    /** Polls that returned none. */
    public long empty() {
      return empty;
    }

    /** The most completions that one poll returned. */
    public long mostAtOnce() {
      return mostAtOnce;
    }

    /** Receives that were polled while a send of the same queue pair had not completed. */
    public long crossing() {
      return crossing;
    }

    /**
     * Whether the last completion is such a receive, and the program has posted nothing after it.
     */
    public boolean endsCrossing() {
      return postsAtCrossing == posts;
    }

    /** Whether sends and receives complete here. */
    public boolean isShared() {
      return sends > 0 && receives > 0;
    }
  }

  /** The program posted something. */
  void posted() {
    posts++;
  }

  /**
   * The program polled a completion.
   *
   * @param sendsOpen whether a send of the queue pair has not completed
   */
  void polled(long nanos, int number, QueueId queuePair, QueueType type, boolean sendsOpen) {
    if (number == UNKNOWN) {
      return;
    }
    uses.computeIfAbsent(type, _ -> new HashMap<>()).put(queuePair, number);
    Polled queue = queues.computeIfAbsent(number, _ -> new Polled(number));
    if (nanos != queue.lastNanos) {
      queue.lastNanos = nanos;
      queue.polls++;
      queue.atOnce = 0;
    }
    queue.mostAtOnce = Math.max(queue.mostAtOnce, ++queue.atOnce);
    boolean receive = type == QueueType.RECEIVE;
    queue.sends += receive ? 0 : 1;
    queue.receives += receive ? 1 : 0;
    boolean crosses = receive && sendsOpen;
    queue.crossing += crosses ? 1 : 0;
    queue.postsAtCrossing = crosses ? posts : -1;
  }

  /** Polls found nothing. */
  void empty(int number, long polls) {
    queues.computeIfAbsent(number, _ -> new Polled(number)).empty += polls;
  }

  /** Those that were polled, in the order of their numbers. */
  public Collection<Polled> all() {
    return Collections.unmodifiableCollection(queues.values());
  }

  /** The number of the one in which requests of a queue complete; 0 if none has. */
  public int of(QueueId queuePair, QueueType type) {
    return uses.getOrDefault(type, Map.of()).getOrDefault(queuePair, UNKNOWN);
  }
}
