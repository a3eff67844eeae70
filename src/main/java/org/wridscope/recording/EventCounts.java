// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SentAgain;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * What the events of a session amount to: the counters of {@link Sample} that follow from events.
 * It counts as the engine does, so that the result after the last event is that of the last sample.
 */
final class EventCounts {
  /** The columns of {@link Sample} that are counted. */
  static final int[] COLUMNS =
      IntStream.concat(
              Stream.of(
                      Metric.RAM_PROCESSED,
                      Metric.RAM_TRANSFERRED,
                      Metric.NORMAL_PAGES,
                      Metric.DUPLICATE_PAGES,
                      Metric.WRITES_POSTED,
                      Metric.WRITES_SIGNALED,
                      Metric.WRITES_COMPLETED,
                      Metric.SENDS_POSTED,
                      Metric.SENDS_COMPLETED,
                      Metric.RECEIVES_POSTED,
                      Metric.RECEIVES_COMPLETED,
                      Metric.FAILED_COMPLETIONS,
                      Metric.COMPLETIONS_DROPPED,
                      Metric.COMPLETIONS_MET,
                      Metric.REQUESTS_SENT_AGAIN,
                      Metric.SENT_AGAIN_CHANGED,
                      Metric.SENT_AGAIN_UNREGISTERED,
                      Metric.REGISTRATIONS_ALIVE,
                      Metric.REGISTRATIONS_PEAK,
                      Metric.REGISTRATIONS_TOTAL,
                      Metric.DEREGISTRATIONS_TOTAL,
                      Metric.REGISTERED_BYTES,
                      Metric.REGISTERED_BYTES_PEAK,
                      Metric.REGISTRATION_ROUND_TRIPS,
                      Metric.UNREGISTRATIONS,
                      Metric.UNREGISTRATIONS_DEFERRED,
                      Metric.UNREGISTRATIONS_REFUSED)
                  .mapToInt(Metric::ordinal),
              Stream.of(ControlType.values())
                  .flatMapToInt(
                      type -> IntStream.of(Sample.sentColumn(type), Sample.receivedColumn(type))))
          .toArray();

  private static final long NO_WRID = -1;

  /** By column of {@link Sample}; only {@link #COLUMNS} have a meaning. */
  final long[] values = new long[Sample.COLUMNS];

  private final Role role;
  private final Names names;
  private final SendCoverage posts;

  /** Zero RAM that the destination has not confirmed yet by being ready again. */
  private long zerosSent;

  /** The wrid of a SEND that no control message has followed yet. */
  private long unnamedSend = NO_WRID;

  private Round round = new Round(Long.MIN_VALUE, 0, 0, 0);

  /**
   * The current round.
   *
   * @param beginNanos of the file's clock; the smallest value before the first round
   * @param number from 1
   * @param bytes that were dirty when it began
   * @param before RAM processed before it
   */
  record Round(long beginNanos, int number, long bytes, long before) {}

  /**
   * @param names of the session, as far as they are known
   */
  EventCounts(Role role, Names names) {
    this.role = role;
    this.names = names;
    posts = new SendCoverage();
  }

  /** A copy, which changes independently. */
  EventCounts(EventCounts other) {
    role = other.role;
    names = other.names;
    posts = new SendCoverage(other.posts);
    System.arraycopy(other.values, 0, values, 0, values.length);
    zerosSent = other.zerosSent;
    unnamedSend = other.unnamedSend;
    round = other.round;
  }

  Round round() {
    return round;
  }

  long get(Metric metric) {
    return values[metric.ordinal()];
  }

  /** Counts the next event. */
  void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    switch (kind) {
      case POST_WRITE -> {
        boolean signaled = detail == 1;
        add(Metric.WRITES_POSTED, 1);
        add(Metric.WRITES_SIGNALED, signaled ? 1 : 0);
        posts.posted(wrid, Integer.toUnsignedLong(length), signaled);
      }
      case POST_SEND -> {
        postedSend(wrid, length);
        unnamedSend = wrid;
      }
      case POST_RECEIVE -> add(Metric.RECEIVES_POSTED, 1);
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE -> completed(wrid, detail);
      case COMPLETION_DROPPED -> add(Metric.COMPLETIONS_DROPPED, 1);
      case COMPLETION_MET -> add(Metric.COMPLETIONS_MET, 1);
      case SENT_AGAIN -> sentAgain(detail, wrid);
      case CONTROL_SENT -> sent(detail, length, wrid);
      case CONTROL_RECEIVED -> received(detail);
      case REGISTERED -> registered(1, wrid, length);
      case DEREGISTERED -> registered(-1, wrid, length);
      case UNREGISTER -> unregister(detail);
      case ZERO -> zero(argument);
      case ROUND_BEGIN -> round = new Round(nanos, detail, argument, get(Metric.RAM_PROCESSED));
      default -> {
        // no counter of a sample
      }
    }
  }

  private void add(Metric metric, long amount) {
    values[metric.ordinal()] += amount;
  }

  private void postedSend(long wrid, int length) {
    add(Metric.SENDS_POSTED, 1);
    posts.posted(wrid, Integer.toUnsignedLong(length), true);
  }

  /** The SEND was posted by the event before if that has the same wrid. */
  private void sent(int detail, int length, long wrid) {
    if (unnamedSend == NO_WRID || (wrid != 0 && wrid != unnamedSend)) {
      postedSend(wrid, ControlHeader.BYTES + length);
    }
    unnamedSend = NO_WRID;
    ControlType type = ControlType.of(detail);
    if (type == null) {
      return;
    }
    values[Sample.sentColumn(type)]++;
    switch (type) {
      case REGISTER_RESULT -> add(Metric.REGISTRATION_ROUND_TRIPS, 1);
      case COMPRESS, REGISTER_REQUEST, REGISTER_FINISHED -> {
        add(Metric.RAM_PROCESSED, zerosSent);
        zerosSent = 0;
      }
      default -> {
        // says nothing about RAM that was sent before
      }
    }
  }

  private void received(int detail) {
    ControlType type = ControlType.of(detail);
    if (type != null) {
      values[Sample.receivedColumn(type)]++;
      add(Metric.REGISTRATION_ROUND_TRIPS, type == ControlType.REGISTER_RESULT ? 1 : 0);
    }
  }

  private void completed(long wrid, int status) {
    boolean ok = status == WorkCompletionStatus.SUCCESS.value();
    add(Metric.FAILED_COMPLETIONS, ok ? 0 : 1);
    switch (WorkRequestId.type(wrid)) {
      case WorkRequestId.RDMA_WRITE, WorkRequestId.CONTROL_SEND -> {
        long length = posts.completed(wrid, ok, (before, bytes) -> covered(before, bytes, true));
        if (length != SendCoverage.UNKNOWN) {
          covered(wrid, length, ok);
        }
      }
      default -> add(Metric.RECEIVES_COMPLETED, 1);
    }
  }

  private void covered(long wrid, long length, boolean arrived) {
    boolean write = WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE;
    add(write ? Metric.WRITES_COMPLETED : Metric.SENDS_COMPLETED, 1);
    if (arrived) {
      add(Metric.RAM_TRANSFERRED, length);
      if (write) {
        add(Metric.NORMAL_PAGES, length >> RamBlock.PAGE_SHIFT);
        add(Metric.RAM_PROCESSED, length);
      }
    }
  }

  private void sentAgain(int detail, long wrid) {
    add(Metric.REQUESTS_SENT_AGAIN, 1);
    switch (SentAgain.Data.of(detail)) {
      case SAME -> {
        // changes nothing
      }
      case OTHER ->
          add(
              Metric.SENT_AGAIN_CHANGED,
              WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE ? 0 : 1);
      case NONE -> add(Metric.SENT_AGAIN_UNREGISTERED, 1);
    }
  }

  private void registered(int registrations, long wrid, int chunks) {
    add(registrations > 0 ? Metric.REGISTRATIONS_TOTAL : Metric.DEREGISTRATIONS_TOTAL, 1);
    add(Metric.REGISTRATIONS_ALIVE, registrations);
    add(Metric.REGISTERED_BYTES, registrations * bytes(wrid, chunks));
    raise(Metric.REGISTRATIONS_PEAK, get(Metric.REGISTRATIONS_ALIVE));
    raise(Metric.REGISTERED_BYTES_PEAK, get(Metric.REGISTERED_BYTES));
  }

  private void raise(Metric peak, long value) {
    values[peak.ordinal()] = Math.max(values[peak.ordinal()], value);
  }

  /** The bytes of a run of chunks, of which the last one of a block may be shorter. */
  private long bytes(long wrid, int chunks) {
    long whole = (long) Math.max(0, chunks) << ChunkTable.CHUNK_SHIFT;
    int block = WorkRequestId.block(wrid);
    List<Names.Generation> generations = names.generations();
    if (generations.isEmpty() || block >= generations.getLast().blocks().size()) {
      return whole;
    }
    long length = generations.getLast().blocks().get(block).length();
    return Math.clamp(length - (WorkRequestId.chunk(wrid) << ChunkTable.CHUNK_SHIFT), 0, whole);
  }

  private void unregister(int detail) {
    UnregisterStep step = UnregisterStep.of(detail);
    if (step == null) {
      return;
    }
    switch (step) {
      case CONFIRMED, DEREGISTERED -> add(Metric.UNREGISTRATIONS, 1);
      case PUT_OFF -> add(Metric.UNREGISTRATIONS_DEFERRED, 1);
      case QUEUE_FULL -> add(Metric.UNREGISTRATIONS_REFUSED, 1);
      case QUEUED, ALREADY_QUEUED, TURN, REQUESTED, ASKED -> {
        // is counted when it has an outcome
      }
    }
  }

  private void zero(long bytes) {
    add(Metric.DUPLICATE_PAGES, bytes >> RamBlock.PAGE_SHIFT);
    if (role == Role.SOURCE) {
      zerosSent += bytes;
    } else {
      add(Metric.RAM_PROCESSED, bytes);
    }
  }
}
