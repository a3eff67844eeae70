// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.EventKind;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Syndrome;

/** When that happened of which a finding tells. Times are {@link System#nanoTime()}. */
public sealed interface Evidence {

  /**
   * How much of the evidence lies in a range of time.
   *
   * @param count how many events or requests lie in it, 1 or 0 for something that lasted
   * @param total how many there are in all
   */
  record Part(long count, long total) {}

  /** From a moment to before another one; null if it was measured over the whole session. */
  @Nullable Part in(Requests requests, long fromNanos, long toNanos);

  /** A figure of the whole session, or what is counted without a time. */
  record Whole() implements Evidence {
    @Override
    public @Nullable Part in(Requests requests, long fromNanos, long toNanos) {
      return null;
    }
  }

  /**
   * Unusual completions.
   *
   * @param kinds what is unusual
   * @param status of the completions; null for any
   */
  record Marked(Set<Marks.Kind> kinds, @Nullable WorkCompletionStatus status) implements Evidence {
    public Marked {
      kinds = Set.copyOf(kinds);
    }

    Marked(Marks.Kind... kinds) {
      this(Set.of(kinds), null);
    }

    @Override
    public @Nullable Part in(Requests requests, long fromNanos, long toNanos) {
      Marks marks = requests.marks();
      long total = count(requests, marks.first(), marks.end());
      return total == 0
          ? null
          : new Part(count(requests, marks.indexOf(fromNanos), marks.indexOf(toNanos)), total);
    }

    private long count(Requests requests, long from, long to) {
      Marks marks = requests.marks();
      long count = 0;
      for (long mark = from; mark < to; mark++) {
        if (kinds.contains(marks.kind(mark)) && hasStatus(requests, mark)) {
          count++;
        }
      }
      return count;
    }

    private boolean hasStatus(Requests requests, long mark) {
      WorkRequests of = requests.of(requests.marks().queue(mark));
      long id = requests.marks().request(mark);
      return status == null || (of.has(id) && of.status(id) == status);
    }
  }

  /** Requests to send queues that have not completed, at the moments of their posts. */
  record Open() implements Evidence {
    @Override
    public Part in(Requests requests, long fromNanos, long toNanos) {
      WorkRequests sends = requests.sends();
      Timeline posted = sends.posted();
      long end = posted.indexOf(toNanos);
      long count = 0;
      for (long i = posted.indexOf(fromNanos); i < end; i++) {
        count += sends.has(posted.id(i)) && sends.isOpen(posted.id(i)) ? 1 : 0;
      }
      return new Part(count, sends.openCount());
    }
  }

  /**
   * Captured packets that show trouble.
   *
   * @param kind of their events
   * @param answer of negative acknowledgements, otherwise null
   */
  record Packets(EventKind kind, Syndrome.@Nullable Answer answer) implements Evidence {
    @Override
    public @Nullable Part in(Requests requests, long fromNanos, long toNanos) {
      return requests.troubles().stream()
          .filter(trouble -> trouble.isOf(kind, answer))
          .findFirst()
          .map(trouble -> trouble.in(fromNanos, toNanos))
          .orElse(null);
    }
  }

  /** Something that lasted, such as the pause of the guest. */
  record Lasting(long beginNanos, long endNanos) implements Evidence {
    @Override
    public Part in(Requests requests, long fromNanos, long toNanos) {
      return new Part(beginNanos < toNanos && endNanos >= fromNanos ? 1 : 0, 1);
    }
  }
}
