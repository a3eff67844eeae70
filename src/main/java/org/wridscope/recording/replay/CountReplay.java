// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.wridscope.account.Account;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.recording.file.Sample;
import org.wridscope.recording.file.SessionIndex;
import org.wridscope.recording.file.SessionIndex.EventBlock;
import org.wridscope.telemetry.Metric;

/**
 * Brings the counters of a sample to a later moment, so that they agree with the events until then.
 *
 * <p>A sample is taken while the engine goes on, so it may have counted a few events more or less
 * than those before its time. Therefore a counter is the number of its events since the beginning,
 * if the recording has them all. Where it does not, or where the end of the recording shows that
 * its program counts otherwise, it is that of the sample plus the events after it.
 */
final class CountReplay {
  /** The columns of {@link Sample} that the account of the events has. */
  private static final int[] COLUMNS =
      IntStream.concat(
              Account.COUNTED.stream().mapToInt(Metric::ordinal),
              Arrays.stream(ControlType.values())
                  .flatMapToInt(
                      type -> IntStream.of(Sample.sentColumn(type), Sample.receivedColumn(type))))
          .toArray();

  private final SessionIndex index;
  private final int[] fromEvents;
  private final int[] fromSample;

  /** The events until {@link #reached}; null when they have to be counted from a block on. */
  private @Nullable Account account;

  private long reached;

  /**
   * @param last the last sample; null when there is none
   * @throws RecordingException when the sample is invalid
   */
  CountReplay(SessionIndex index, @Nullable Sample last) throws RecordingException {
    this.index = index;
    Map<Boolean, List<Integer>> agreeing =
        Arrays.stream(COLUMNS).boxed().collect(Collectors.partitioningBy(agreeing(index, last)));
    fromEvents = columns(agreeing, true);
    fromSample = columns(agreeing, false);
  }

  private static int[] columns(Map<Boolean, List<Integer>> all, boolean agreeing) {
    return Objects.requireNonNull(all.get(agreeing)).stream().mapToInt(Integer::intValue).toArray();
  }

  /** Whether a column is the number of its events. */
  private static Predicate<Integer> agreeing(SessionIndex index, @Nullable Sample last)
      throws RecordingException {
    if (index.leftOut() > 0 || index.unknownEvents() > 0 || (last != null && last.leftOut() > 0)) {
      return _ -> false;
    }
    if (last == null || !index.status(last).isEnd()) {
      return _ -> true;
    }
    Sample all = Sample.of(index.account());
    return column -> last.values[column] == all.values[column];
  }

  /**
   * Advances a sample to a moment.
   *
   * @param sample the last one at or before the moment, or zeros at the beginning of time
   * @param next the one after it; null when there is none
   * @param nanos of the file's clock
   */
  void advance(Sample sample, @Nullable Sample next, long nanos, BlockReader reader)
      throws IOException {
    long processed = sample.get(Metric.RAM_PROCESSED);
    if (fromSample.length > 0) {
      Sample before = Sample.of(accountAt(sample.nanos, reader));
      Sample until = Sample.of(accountAt(nanos, reader));
      for (int column : fromSample) {
        long value = sample.values[column] + until.values[column] - before.values[column];
        long most = next == null ? value : Math.max(sample.values[column], next.values[column]);
        sample.values[column] = Math.max(0, Math.min(value, most));
      }
    }
    Account now = accountAt(nanos, reader);
    Sample counted = Sample.of(now);
    for (int column : fromEvents) {
      sample.values[column] = counted.values[column];
    }
    round(sample, sample.get(Metric.RAM_PROCESSED) - processed, now);
  }

  /** Advances what belongs to a round, which may have begun after the sample. */
  private static void round(Sample sample, long processed, Account now) {
    Account.Round round = now.round();
    if (round.beginNanos() > sample.nanos) {
      long sinceBegin = now.metrics().get(Metric.RAM_PROCESSED) - round.before();
      sample.set(Metric.DIRTY_SYNC_COUNT, round.number());
      sample.set(Metric.ROUND_BYTES, round.bytes());
      sample.set(Metric.ROUND_PROCESSED, sinceBegin);
      sample.set(Metric.RAM_REMAINING, Math.max(0, round.bytes() - sinceBegin));
    } else {
      sample.set(
          Metric.ROUND_PROCESSED, Math.max(0, sample.get(Metric.ROUND_PROCESSED) + processed));
      sample.set(Metric.RAM_REMAINING, Math.max(0, sample.get(Metric.RAM_REMAINING) - processed));
    }
  }

  /** The account at a moment. The result is valid until the next call. */
  private Account accountAt(long nanos, BlockReader reader) throws IOException {
    List<EventBlock> blocks = index.eventBlocks();
    int last = Search.lastAt(blocks, EventBlock::firstNanos, nanos);
    int from = last < 0 ? 0 : last - last % SessionIndex.COUNTED_BLOCKS;
    Account known = account;
    long after = reached;
    if (known == null || nanos < after || (last >= 0 && blocks.get(from).firstNanos() > after)) {
      known = last < 0 ? index.head().account(index.names()::length) : index.accountBefore(from);
      after = Long.MIN_VALUE;
    }
    Account into = known;
    long since = after;
    // Until it is complete it belongs to no moment.
    account = null;
    for (int i = from; i <= last; i++) {
      if (blocks.get(i).lastNanos() > since) {
        index.events(
            reader.payload(blocks.get(i).place()),
            blocks.get(i).firstNanos(),
            (at, kind, detail, length, wrid, argument) -> {
              if (at > since && at <= nanos) {
                into.event(at, kind, detail, length, wrid, argument);
              }
            });
      }
    }
    account = into;
    reached = nanos;
    return into;
  }
}
