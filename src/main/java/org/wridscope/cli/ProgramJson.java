// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.JsonElement;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.CountedByDevice;
import org.wridscope.analysis.PolledQueues;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.QueuePairText;
import org.wridscope.analysis.QueuePairs;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Regions;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Unseen;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;
import org.wridscope.verbs.QueuePairAttributes;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * What a foreign program posted and polled, as JSON: the counts of {@link ProgramSummary}, of every
 * queue.
 *
 * @param program its name and process id
 * @param outcome how it ended, a sentence; left out if that was not recorded
 * @param completionQueues those that were polled
 * @param queuePairs what was set of queue pairs, as far as it was seen
 * @param refusedChanges calls of {@code ibv_modify_qp} that were refused, the first thousand
 * @param regions the memory that it registered; left out if nothing tells it
 * @param deviceCounters those that changed
 * @param notSeen what is known to be missing
 */
record ProgramJson(
    String program,
    @Nullable String outcome,
    List<Queue> queues,
    List<Polls> completionQueues,
    List<Attributes> queuePairs,
    List<Refused> refusedChanges,
    @Nullable Memory regions,
    List<Counter> deviceCounters,
    NotSeen notSeen) {

  /**
   * What a counter of a device counted meanwhile, for all programs on its port.
   *
   * @param port 0 for a counter of the whole device
   * @param atLeast whether it was set back, so that it may have been more
   */
  record Counter(String device, int port, String name, BigInteger counted, boolean atLeast) {
    static Counter of(CountedByDevice.Total total) {
      return new Counter(
          total.counter().device(),
          total.counter().port(),
          total.counter().name(),
          new BigInteger(Long.toUnsignedString(total.value())),
          total.atLeast());
    }
  }

  /**
   * A queue.
   *
   * @param name of its queue pair or shared receive queue
   * @param queue {@code send} or {@code receive}
   * @param mostOpen the most requests that had not ended at one time; this and {@code open} are
   *     left out where completions are not seen
   * @param completions polled, by status
   * @param covered unsignaled requests that ended with the completion of a later one
   * @param open requests that have not ended
   * @param unmatched completions whose post was not seen
   * @param refused requests that the post function refused
   * @param signaled requests that have a completion of their own; this and the next two only of
   *     send queues whose flags are known
   * @param inline requests whose data was copied when they were posted
   * @param mostUnsignaled requests that were posted one after the other
   * @param repeated requests that were posted while another one was open with their wr_id
   * @param emptyTimes how often a receive was posted when none was left; only of receive queues, as
   *     the next one
   * @param longestEmptyNanos the longest time until then
   */
  record Queue(
      String name,
      String queue,
      long posted,
      @Nullable Long mostOpen,
      Map<WorkCompletionStatus, Long> completions,
      long covered,
      @Nullable Long open,
      long unmatched,
      long refused,
      @Nullable Long signaled,
      @Nullable Long inline,
      @Nullable Long mostUnsignaled,
      long repeated,
      @Nullable Long emptyTimes,
      @Nullable Long longestEmptyNanos) {

    static Queue of(Requests requests, QueueType type, QueueCounts counts) {
      boolean known = requests.of(type).seesCompletions();
      boolean flags = type == QueueType.SEND && requests.of(type).knowsFlags();
      boolean empty = type == QueueType.RECEIVE && known;
      return new Queue(
          requests.nameOf(counts.id()),
          type.text(),
          counts.posted(),
          known ? counts.mostOpen() : null,
          new TreeMap<>(counts.polled()),
          counts.covered(),
          known ? counts.open() : null,
          counts.unmatched(),
          counts.refused(),
          flags ? counts.signaled() : null,
          flags ? counts.inlined() : null,
          flags ? counts.mostUnsignaled() : null,
          counts.repeated(),
          empty ? counts.emptyTimes() : null,
          empty ? counts.longestEmpty() : null);
    }
  }

  /**
   * What was polled from a completion queue.
   *
   * @param number in the order in which the program used them, from 1
   * @param sends completions of send queues
   * @param receives completions of receive queues
   * @param polls that found completions
   * @param mostAtOnce completions of one poll
   * @param empty polls that found none
   */
  record Polls(int number, long sends, long receives, long polls, long mostAtOnce, long empty) {
    static Polls of(PolledQueues.Polled queue) {
      return new Polls(
          queue.number(),
          queue.sends(),
          queue.receives(),
          queue.polls(),
          queue.mostAtOnce(),
          queue.empty());
    }
  }

  /**
   * What was set of a queue pair; members that are left out are not known.
   *
   * @param timeout as {@code struct ibv_qp_attr} has it, as the others
   * @param accessFlags bits of {@code enum ibv_access_flags}
   * @param destQpNum the number of the peer's queue pair
   * @param sqPsn the first packet sequence number that was set, not the present one
   */
  record Attributes(
      String name,
      @Nullable String peer,
      @Nullable String state,
      @Nullable Integer timeout,
      @Nullable Integer retryCnt,
      @Nullable Integer rnrRetry,
      @Nullable Integer minRnrTimer,
      @Nullable Integer pathMtu,
      @Nullable Integer portNum,
      @Nullable Integer accessFlags,
      @Nullable Long destQpNum,
      @Nullable Long sqPsn,
      @Nullable Long rqPsn) {
    static Attributes of(Requests requests, QueueId queue) {
      QueuePairs all = requests.queuePairs();
      QueuePairChange set = all.attributes(queue);
      QueuePairPath path = all.path(queue);
      return new Attributes(
          queue.text(),
          requests.peerOf(queue),
          set != null && set.has(QueuePairAttributes.STATE)
              ? QueuePairText.state(set.state())
              : null,
          of(set, QueuePairAttributes.TIMEOUT, QueuePairChange::timeout),
          of(set, QueuePairAttributes.RETRY_COUNT, QueuePairChange::retries),
          of(set, QueuePairAttributes.RNR_RETRY, QueuePairChange::rnrRetries),
          of(set, QueuePairAttributes.MIN_RNR_TIMER, QueuePairChange::minRnrTimer),
          of(
              set,
              QueuePairAttributes.PATH_MTU,
              each -> QueuePairAttributes.mtuBytes(each.pathMtu())),
          of(set, QueuePairAttributes.PORT, QueuePairChange::port),
          of(set, QueuePairAttributes.ACCESS_FLAGS, QueuePairChange::access),
          of(path, QueuePairAttributes.DESTINATION_QP, QueuePairPath::queuePair),
          of(path, QueuePairAttributes.SEND_PSN, QueuePairPath::sendPsn),
          of(path, QueuePairAttributes.RECEIVE_PSN, QueuePairPath::receivePsn));
    }

    private static @Nullable Integer of(
        @Nullable QueuePairChange set, int attribute, ToIntFunction<QueuePairChange> value) {
      return set != null && set.has(attribute) ? (Integer) value.applyAsInt(set) : null;
    }

    private static @Nullable Long of(
        @Nullable QueuePairPath path, int attribute, ToIntFunction<QueuePairPath> value) {
      return path != null && path.has(attribute)
          ? (Long) Integer.toUnsignedLong(value.applyAsInt(path))
          : null;
    }
  }

  /**
   * A call that was refused.
   *
   * @param call what was to be set, and the errno
   */
  record Refused(String name, int errno, String call) {}

  /**
   * Memory regions. The first four members are left out if it is not known what was registered
   * before, or calls were lost.
   *
   * @param now registered at the end
   * @param most registered at once
   * @param registered while the program was observed
   * @param deregistered while it was observed
   * @param betweenRequests registered after a request and before another one
   * @param forOneRequest registered and deregistered around a single request
   * @param refused calls by what they were to do and the error
   */
  record Memory(
      @Nullable Long now,
      @Nullable Long bytes,
      @Nullable Long most,
      @Nullable Long mostBytes,
      @Nullable Long registered,
      @Nullable Long deregistered,
      long betweenRequests,
      long forOneRequest,
      Map<String, Long> refused) {
    static @Nullable Memory of(Requests requests) {
      Regions regions = requests.regions();
      Reading reading = ProgramSummary.reading(requests);
      return regions.areKnown()
          ? new Memory(
              figure(reading, Figure.REGISTRATIONS_ALIVE),
              figure(reading, Figure.REGISTERED_BYTES),
              figure(reading, Figure.REGISTRATIONS_PEAK),
              figure(reading, Figure.REGISTERED_BYTES_PEAK),
              figure(reading, Figure.REGISTRATIONS_TOTAL),
              figure(reading, Figure.DEREGISTRATIONS_TOTAL),
              regions.between(),
              regions.forOne(),
              regions.refusals())
          : null;
    }

    private static @Nullable Long figure(Reading reading, Figure figure) {
      OptionalLong value = figure.in(reading);
      return value.isPresent() ? (Long) value.getAsLong() : null;
    }
  }

  /**
   * What was not seen.
   *
   * @param requests of chains that were too long
   * @param completions of batches that were too long
   * @param lost events that came faster than they were written
   * @param notKept events that are not in the file
   * @param refused requests after one that was refused
   * @param early posts and completions before all probes were in place
   */
  record NotSeen(
      long requests, long completions, long lost, long notKept, long refused, long early) {}

  static JsonElement of(String program, @Nullable String outcome, Requests requests) {
    Unseen unseen = requests.unseen();
    return ReportJson.GSON.toJsonTree(
        new ProgramJson(
            program,
            outcome,
            Arrays.stream(QueueType.values())
                .flatMap(type ->
                    requests.of(type).queues().stream()
                        .map(counts -> Queue.of(requests, type, counts)))
                .toList(),
            requests.polledQueues().all().stream().map(Polls::of).toList(),
            requests.queuePairs().known().stream()
                .map(queue -> Attributes.of(requests, queue))
                .toList(),
            requests.queuePairs().refusals().stream()
                .map(each ->
                    new Refused(
                        requests.nameOf(each.change().queue()),
                        each.change().errno(),
                        QueuePairText.refusal(each, requests.telemetry())))
                .toList(),
            Memory.of(requests),
            requests.counted().totals().stream().map(Counter::of).toList(),
            new NotSeen(
                unseen.requests(),
                unseen.completions(),
                unseen.lost(),
                requests.missed(),
                unseen.refused(),
                unseen.early())));
  }
}
