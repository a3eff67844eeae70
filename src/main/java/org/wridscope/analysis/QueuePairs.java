// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;
import org.wridscope.verbs.QueuePairAttributes;
import org.wridscope.verbs.QueuePairState;

/** What a program that is not ours set of its queue pairs, as far as it was seen. */
public final class QueuePairs {
  /** More are counted. */
  private static final int MOST_REFUSALS = 1000;

  private static final int RESET = QueuePairState.RESET.ordinal();
  private static final int INIT = QueuePairState.INIT.ordinal();

  private final Map<QueueId, QueuePairChange> attributes = new LinkedHashMap<>();
  private final Map<QueueId, QueuePairPath> paths = new LinkedHashMap<>();
  private final List<Refusal> refusals = new ArrayList<>();
  private long refused;
  private @Nullable QueuePairChange last;

  /**
   * A call that was refused.
   *
   * @param event the number of its event
   * @param path null if the call set nothing of it
   */
  public record Refusal(
      long nanos, long event, QueuePairChange change, @Nullable QueuePairPath path) {}

  QueuePairs() {}

  void change(long nanos, long event, QueuePairChange change) {
    last = change;
    QueueId queue = change.queue();
    if (change.isRefused()) {
      refused++;
      if (refusals.size() < MOST_REFUSALS) {
        refusals.add(new Refusal(nanos, event, change, null));
      }
      return;
    }
    QueuePairChange before = attributes.get(queue);
    if (change.isTo(RESET) || (change.isTo(INIT) && before != null && isPast(before))) {
      attributes.remove(queue);
      paths.remove(queue);
    }
    attributes.merge(queue, change, QueuePairChange::and);
  }

  /** Whether a queue pair that becomes INIT now is another one than before. */
  private static boolean isPast(QueuePairChange before) {
    return before.has(QueuePairAttributes.STATE) && before.state() > INIT;
  }

  /** Takes what follows a change. */
  void path(QueuePairPath path) {
    QueuePairChange of = last;
    if (of == null || !of.queue().equals(path.queue())) {
      return;
    }
    if (!of.isRefused()) {
      paths.merge(path.queue(), path, QueuePairPath::and);
    } else if (refused == refusals.size()) {
      Refusal refusal = refusals.removeLast();
      refusals.add(new Refusal(refusal.nanos(), refusal.event(), refusal.change(), path));
    }
  }

  /** The queue pairs of which something is known, in the order of their first call. */
  public Set<QueueId> known() {
    return Collections.unmodifiableSet(attributes.keySet());
  }

  /** What is set of a queue pair; null if nothing is known. */
  public @Nullable QueuePairChange attributes(QueueId queue) {
    return attributes.get(queue);
  }

  /** Where a queue pair sends to; null if that is not known. */
  public @Nullable QueuePairPath path(QueueId queue) {
    return paths.get(queue);
  }

  /** The first calls that were refused. */
  public List<Refusal> refusals() {
    return Collections.unmodifiableList(refusals);
  }

  /** How many calls were refused. */
  public long refused() {
    return refused;
  }
}
