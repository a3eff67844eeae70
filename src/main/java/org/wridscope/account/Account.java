// SPDX-License-Identifier: Apache-2.0
package org.wridscope.account;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Counting;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MessageCounts;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.ProgramCounts;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SentAgain;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The account of an end of a migration, whether its engine runs here, or it is recorded, logged by
 * QEMU, captured or watched. Every event is applied to it, in order, and by one thread.
 *
 * <p>That of a running session counts in the session's own metrics, on the engine's thread. It does
 * not advance the session's chunks: by their keys and what is in transit the engine decides, and
 * only its {@code SendQueue} decides when memory may be released.
 */
public final class Account implements Counting {
  /** The length of a block that is not known. */
  public static final long UNKNOWN_LENGTH = Long.MAX_VALUE;

  /** The metrics that events amount to, whatever else is known. */
  public static final Set<Metric> COUNTED =
      Collections.unmodifiableSet(
          EnumSet.of(
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
              Metric.REGISTRATIONS_REFUSED,
              Metric.REGISTRATIONS_SEEN,
              Metric.REGISTERED_BYTES,
              Metric.REGISTERED_BYTES_PEAK,
              Metric.REGISTRATION_ROUND_TRIPS,
              Metric.UNREGISTRATIONS,
              Metric.UNREGISTRATIONS_DEFERRED,
              Metric.UNREGISTRATIONS_REFUSED));

  private final Role role;
  private final IntToLongFunction lengths;
  private final Metrics metrics;
  private final MessageCounts sent;
  private final MessageCounts received;
  private final Posts posts;
  private final Chunks chunks;
  private final boolean ofEngine;
  private final Posts.Covered coveredBefore = (wrid, length) -> covered(wrid, length, true, true);

  /** Zeros that no COMPRESS has announced yet. */
  private long zerosFound;

  /** Zeros of a COMPRESS after which the destination has not been ready again. */
  private long zerosTold;

  /** Whether the zeros of the last COMPRESS come after it. */
  private boolean zerosFollow;

  /** The wrid of a SEND that no control message has followed yet, {@link Posts#NONE} if none. */
  private long unnamedSend = Posts.NONE;

  /** When the present event happened, if that is told. */
  private long now = Long.MIN_VALUE;

  private Round round = new Round(Long.MIN_VALUE, 0, 0, 0);

  /**
   * The current round.
   *
   * @param beginNanos of the clock of the events; the smallest value before the first round, and
   *     for a session that runs
   * @param number from 1
   * @param bytes that were dirty when it began
   * @param before RAM processed before it
   */
  public record Round(long beginNanos, int number, long bytes, long before) {}

  /**
   * An account with counters of its own.
   *
   * @param lengths the length in bytes of a RAM block, {@link #UNKNOWN_LENGTH} if it is not known
   * @param ofEngine whether the events are those of an engine of this program. Then the key of a
   *     registration is the one for its end's own requests, where a destination's log and packets
   *     have the one for its peer; and the status tells when no completion follows
   */
  public Account(Role role, IntToLongFunction lengths, boolean ofEngine) {
    this.role = role;
    this.lengths = lengths;
    this.ofEngine = ofEngine;
    metrics = new Metrics();
    sent = new MessageCounts();
    received = new MessageCounts();
    posts = new Posts();
    chunks = new Chunks(role, ofEngine);
  }

  /** The account of a session that runs, which counts in the session's own metrics. */
  public Account(SessionTelemetry session) {
    this(session, new Posts());
  }

  private Account(SessionTelemetry session, Posts posts) {
    role = session.role();
    lengths = block -> length(session.blocks(), block);
    ofEngine = true;
    metrics = session.metrics();
    sent = session.messagesSent();
    received = session.messagesReceived();
    this.posts = posts;
    chunks = new Chunks(role, true);
  }

  private static long length(List<ChunkTable> tables, int block) {
    return block < tables.size() ? tables.get(block).length() : UNKNOWN_LENGTH;
  }

  @Override
  public Counting continuedBy(SessionTelemetry session) {
    return new Account(session, posts);
  }

  /** A copy without chunks, which changes independently. */
  public Account(Account other) {
    role = other.role;
    lengths = other.lengths;
    ofEngine = other.ofEngine;
    metrics = other.metrics.copy();
    sent = other.sent.copy();
    received = other.received.copy();
    posts = new Posts(other.posts);
    chunks = new Chunks(other.chunks);
    zerosFound = other.zerosFound;
    zerosTold = other.zerosTold;
    zerosFollow = other.zerosFollow;
    unnamedSend = other.unnamedSend;
    now = other.now;
    round = other.round;
  }

  public Round round() {
    return round;
  }

  /** The counters, to which what no event tells may be added. */
  public Metrics metrics() {
    return metrics;
  }

  /** Control messages that this end sent. */
  public MessageCounts sent() {
    return sent;
  }

  /** Control messages that this end received. */
  public MessageCounts received() {
    return received;
  }

  /** Sets the chunks that events advance from now on. */
  public void setBlocks(List<ChunkTable> tables) {
    chunks.setBlocks(tables);
  }

  /** The wrid of the oldest RDMA WRITE that no completion has covered, or {@link Posts#NONE}. */
  public long oldestWrite() {
    return posts.oldestWrite();
  }

  // ------------------------------------------------------------------- what no event tells

  /**
   * No completion follows, and nothing is in transit any more.
   *
   * @param arrived whether all that was written has arrived, as after a migration that completed
   */
  public void settle(boolean arrived) {
    posts.settle((wrid, length) -> covered(wrid, length, arrived, true));
    if (arrived) {
      processed(zerosTold + zerosFound);
      zerosTold = 0;
      zerosFound = 0;
    }
  }

  /** The destination's keys of all RAM are known. */
  public void allKeysKnown() {
    chunks.allKeysKnown();
  }

  /**
   * All RAM has come to the destination.
   *
   * @param pinned whether all of it was registered, where it may be released already
   */
  public void allArrived(boolean pinned) {
    chunks.allArrived(pinned);
  }

  // ----------------------------------------------------------------------------- the events

  /** Applies the next event, which happened at a time of the clock of the events. */
  public void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    now = nanos;
    event(kind, detail, length, wrid, argument);
  }

  @Override
  public void event(EventKind kind, int detail, int length, long wrid, long argument) {
    switch (kind) {
      case POST_WRITE -> {
        boolean signaled = detail == 1;
        add(Metric.WRITES_POSTED, 1);
        add(Metric.WRITES_SIGNALED, signaled ? 1 : 0);
        posts.posted(wrid, Integer.toUnsignedLong(length), signaled);
        chunks.posted(wrid);
      }
      case POST_SEND -> {
        postedSend(wrid, Integer.toUnsignedLong(length));
        unnamedSend = wrid;
      }
      case POST_RECEIVE -> add(Metric.RECEIVES_POSTED, 1);
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE ->
          completed(wrid, detail == WorkCompletionStatus.SUCCESS.value());
      case COMPLETION_DROPPED -> add(Metric.COMPLETIONS_DROPPED, 1);
      case COMPLETION_MET -> add(Metric.COMPLETIONS_MET, 1);
      case SENT_AGAIN -> sentAgain(SentAgain.Data.of(detail), wrid);
      case WIRE_RETRANSMISSION -> {
        WirePacket packet = WirePacket.of(detail, length, wrid, argument);
        add(Metric.REQUESTS_SENT_AGAIN, packet.ofProgram() ? 0 : 1);
        add(Metric.SENT_AGAIN_CHANGED, !packet.ofProgram() && packet.isChanged() ? 1 : 0);
      }
      case CONTROL_SENT -> sent(ControlType.of(detail), length, wrid, argument);
      case CONTROL_RECEIVED -> received(ControlType.of(detail));
      case REGISTERED -> {
        registered(1, wrid, length);
        chunks.registered(wrid, length, (int) argument);
      }
      case DEREGISTERED -> {
        registered(-1, wrid, length);
        chunks.deregistered(wrid, length, (int) argument);
      }
      case KEY_GIVEN -> chunks.keyGiven(wrid, length, (int) argument);
      case UNREGISTER -> unregister(UnregisterStep.of(detail), wrid, length);
      case ZERO -> {
        zero(argument);
        chunks.zero(wrid, detail, argument);
      }
      case ROUND_BEGIN -> {
        round = new Round(now, detail, argument, metrics.get(Metric.RAM_PROCESSED));
        add(Metric.DIRTY_SYNC_COUNT, 1);
        metrics.set(Metric.ROUND_BYTES, argument);
        metrics.set(Metric.ROUND_PROCESSED, 0);
      }
      case PROGRAM_REGISTERED -> {
        add(Metric.REGISTRATIONS_TOTAL, 1);
        regions(1, argument);
      }
      case PROGRAM_DEREGISTERED -> {
        add(Metric.DEREGISTRATIONS_TOTAL, 1);
        regions(-1, -argument);
      }
      case PROGRAM_REGION_REFUSED -> add(Metric.REGISTRATIONS_REFUSED, 1);
      case PROGRAM_REGIONS -> {
        metrics.set(Metric.REGISTRATIONS_SEEN, detail);
        regions(Integer.toUnsignedLong(length), argument);
      }
      case PROGRAM_UNSEEN -> {
        if (detail == ProgramCounts.Unseen.EVENTS.ordinal()) {
          // Among them may have been registrations.
          metrics.set(
              Metric.REGISTRATIONS_SEEN,
              Math.min(
                  metrics.get(Metric.REGISTRATIONS_SEEN),
                  ProgramCounts.Registrations.MEANWHILE.ordinal()));
        }
      }
      case DISCONNECTING -> chunks.disconnecting();
      case STATUS -> {
        if (ofEngine && isUnconnected(detail)) {
          settle(false);
        }
      }
      default -> {
        // changes no counter and no chunk
      }
    }
  }

  /** Whether the connection has been released in a status; a file may claim any. */
  private static boolean isUnconnected(int status) {
    return status == MigrationStatus.NONE.ordinal()
        || MigrationStatus.ends().stream().anyMatch(end -> end.ordinal() == status);
  }

  private void add(Metric metric, long amount) {
    if (amount != 0) {
      metrics.add(metric, amount);
    }
  }

  // ---------------------------------------------------------------- requests and completions

  private void postedSend(long wrid, long length) {
    add(Metric.SENDS_POSTED, 1);
    posts.posted(wrid, length, true);
  }

  private void completed(long wrid, boolean ok) {
    add(Metric.FAILED_COMPLETIONS, ok ? 0 : 1);
    switch (WorkRequestId.type(wrid)) {
      case WorkRequestId.RDMA_WRITE, WorkRequestId.CONTROL_SEND -> {
        long length = posts.completed(wrid, ok, coveredBefore);
        covered(wrid, Math.max(0, length), ok, length != Posts.UNKNOWN);
      }
      default -> add(Metric.RECEIVES_COMPLETED, 1);
    }
  }

  /**
   * A request has ended.
   *
   * @param known whether its post is known; otherwise nothing but its chunk shows that it was
   */
  private void covered(long wrid, long length, boolean arrived, boolean known) {
    boolean write = WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE;
    if (write) {
      chunks.completed(wrid, arrived);
    }
    if (!known) {
      return;
    }
    add(write ? Metric.WRITES_COMPLETED : Metric.SENDS_COMPLETED, 1);
    if (arrived) {
      add(Metric.RAM_TRANSFERRED, length);
      if (write) {
        add(Metric.NORMAL_PAGES, length >> RamBlock.PAGE_SHIFT);
        processed(length);
      }
    }
  }

  private void processed(long bytes) {
    if (bytes == 0) {
      return;
    }
    add(Metric.RAM_PROCESSED, bytes);
    if (round.number() > 0) {
      add(Metric.ROUND_PROCESSED, bytes);
    }
    if (role == Role.SOURCE) {
      metrics.set(Metric.RAM_REMAINING, Math.max(0, metrics.get(Metric.RAM_REMAINING) - bytes));
    }
  }

  private void sentAgain(SentAgain.Data data, long wrid) {
    add(Metric.REQUESTS_SENT_AGAIN, 1);
    switch (data) {
      case SAME -> {
        // changes nothing
      }
      case OTHER -> {
        // The guest may change RAM at any time; it is dirty then and sent again by the engine.
        boolean write = WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE;
        add(Metric.SENT_AGAIN_CHANGED, write ? 0 : 1);
      }
      case NONE -> add(Metric.SENT_AGAIN_UNREGISTERED, 1);
    }
  }

  // -------------------------------------------------------------------------------- messages

  /**
   * The SEND was posted by the event before if that has the same wrid.
   *
   * @param repeat 0 if the header of the message is not known, so that its length is not
   */
  private void sent(@Nullable ControlType type, int length, long wrid, long repeat) {
    if (unnamedSend == Posts.NONE || (wrid != 0 && wrid != unnamedSend)) {
      postedSend(wrid, repeat == 0 ? 0 : ControlHeader.BYTES + Integer.toUnsignedLong(length));
    }
    unnamedSend = Posts.NONE;
    zerosFollow = false;
    if (type == null) {
      return;
    }
    sent.increment(type);
    if (type == ControlType.REGISTER_RESULT) {
      add(Metric.REGISTRATION_ROUND_TRIPS, 1);
    } else if (type == ControlType.COMPRESS) {
      // QEMU tells of zeros before it announces them.
      zerosFollow = zerosFound == 0;
      zerosTold += zerosFound;
      zerosFound = 0;
    }
  }

  private void received(@Nullable ControlType type) {
    zerosFollow = false;
    if (type == null) {
      return;
    }
    received.increment(type);
    add(Metric.REGISTRATION_ROUND_TRIPS, type == ControlType.REGISTER_RESULT ? 1 : 0);
    if (type == ControlType.READY) {
      // The destination has processed all earlier messages.
      processed(zerosTold);
      zerosTold = 0;
    }
    chunks.received(type);
  }

  private void zero(long bytes) {
    add(Metric.DUPLICATE_PAGES, bytes >> RamBlock.PAGE_SHIFT);
    if (role == Role.DESTINATION) {
      processed(bytes);
    } else if (zerosFollow) {
      zerosTold += bytes;
    } else {
      zerosFound += bytes;
    }
  }

  // --------------------------------------------------------------------------- registrations

  private void registered(int registrations, long wrid, int count) {
    add(registrations > 0 ? Metric.REGISTRATIONS_TOTAL : Metric.DEREGISTRATIONS_TOTAL, 1);
    add(Metric.REGISTRATIONS_ALIVE, registrations);
    add(Metric.REGISTERED_BYTES, registrations * bytes(wrid, count));
    raise(Metric.REGISTRATIONS_PEAK, Metric.REGISTRATIONS_ALIVE);
    raise(Metric.REGISTERED_BYTES_PEAK, Metric.REGISTERED_BYTES);
  }

  /** A log may tell of the end of a region, and not of its beginning. */
  private void regions(long more, long bytes) {
    metrics.set(
        Metric.REGISTRATIONS_ALIVE, Math.max(0, metrics.get(Metric.REGISTRATIONS_ALIVE) + more));
    metrics.set(Metric.REGISTERED_BYTES, Math.max(0, metrics.get(Metric.REGISTERED_BYTES) + bytes));
    raise(Metric.REGISTRATIONS_PEAK, Metric.REGISTRATIONS_ALIVE);
    raise(Metric.REGISTERED_BYTES_PEAK, Metric.REGISTERED_BYTES);
  }

  private void raise(Metric peak, Metric of) {
    metrics.set(peak, Math.max(metrics.get(peak), metrics.get(of)));
  }

  /** The bytes of a run of chunks, of which the last one of a block may be shorter. */
  private long bytes(long wrid, int count) {
    long whole = (long) Math.max(0, count) << ChunkTable.CHUNK_SHIFT;
    long length = lengths.applyAsLong(WorkRequestId.block(wrid));
    return Math.clamp(length - (WorkRequestId.chunk(wrid) << ChunkTable.CHUNK_SHIFT), 0, whole);
  }

  private void unregister(@Nullable UnregisterStep step, long wrid, int count) {
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
    chunks.unregister(step, wrid, count);
  }
}
