// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Counts of what a program that is not ours posted and polled, from the beginning, whatever its log
 * still has. Thread-safe.
 */
public final class ProgramCounts {
  /**
   * Queue pairs and shared receive queues that are counted apart; later ones are counted together.
   */
  public static final int MOST_QUEUES = 64;

  private final Set<QueueId> known = new LinkedHashSet<>();
  private final Map<Key, Counts> counts = new LinkedHashMap<>();
  private final Map<Unseen, Long> unseen = new EnumMap<>(Unseen.class);

  /** Which queue of a queue pair. */
  public enum Side {
    SEND,
    RECEIVE,
    /** Of a completion that does not tell. */
    UNKNOWN
  }

  /** Which registrations of memory are known. */
  public enum Registrations {
    /** Nothing tells of them. */
    NONE,
    /** Those that were seen; not what was registered before, or some calls were lost. */
    MEANWHILE,
    ALL
  }

  /** What was not seen. */
  public enum Unseen {
    /** Requests of a long chain. */
    REQUESTS,
    /** Completions of a long batch, or of which the program read too little. */
    COMPLETIONS,
    /** Events that were lost while tracing, of any program. */
    EVENTS
  }

  /**
   * The counts of a queue.
   *
   * @param queue null for all that are not counted apart
   * @param posted requests
   * @param bytes of the requests posted; of receives, bytes offered
   * @param refused requests that the post function refused
   * @param completions polled, by status
   */
  public record OfQueue(
      @Nullable QueueId queue,
      Side side,
      long posted,
      long bytes,
      long refused,
      Map<WorkCompletionStatus, Long> completions) {}

  private record Key(@Nullable QueueId queue, Side side) {}

  private static final class Counts {
    private long posted;
    private long bytes;
    private long refused;
    private final Map<WorkCompletionStatus, Long> completions =
        new EnumMap<>(WorkCompletionStatus.class);
  }

  private Counts of(QueueId queue, Side side) {
    boolean apart = known.contains(queue) || (known.size() < MOST_QUEUES && known.add(queue));
    return counts.computeIfAbsent(new Key(apart ? queue : null, side), _ -> new Counts());
  }

  /**
   * Counts a request.
   *
   * @param bytes unsigned
   */
  public synchronized void posted(QueueId queue, Side side, int bytes) {
    Counts of = of(queue, side);
    of.posted++;
    of.bytes += Integer.toUnsignedLong(bytes);
  }

  /** Counts a request that the post function refused. */
  public synchronized void refused(QueueId queue, Side side) {
    of(queue, side).refused++;
  }

  /**
   * Counts a completion.
   *
   * @param status {@code enum ibv_wc_status}
   */
  public synchronized void completed(QueueId queue, Side side, int status) {
    of(queue, side).completions.merge(WorkCompletionStatus.of(status), 1L, Long::sum);
  }

  /** Counts what was not seen. */
  public synchronized void missed(Unseen what, int count) {
    unseen.merge(what, Integer.toUnsignedLong(count), Long::sum);
  }

  /** The counts of each queue that was used, in the order of their first use. */
  public synchronized List<OfQueue> queues() {
    var queues = new ArrayList<OfQueue>();
    counts.forEach((key, of) ->
        queues.add(
            new OfQueue(
                key.queue, key.side, of.posted, of.bytes, of.refused, Map.copyOf(of.completions))));
    return queues;
  }

  public synchronized long unseen(Unseen what) {
    return unseen.getOrDefault(what, 0L);
  }
}
