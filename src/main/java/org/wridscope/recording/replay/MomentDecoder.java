// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.account.Account;
import org.wridscope.memory.ChunkSnapshot;
import org.wridscope.recording.file.Sample;
import org.wridscope.recording.file.SessionIndex;
import org.wridscope.recording.file.SessionIndex.SampleBlock;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.OperatorAct;

/**
 * Decodes the state of a session at any moment from a file. It continues from the previous moment
 * if that takes less reading. For one thread at a time.
 */
final class MomentDecoder {
  /** Nothing has been decoded yet, or decoding was aborted. */
  private static final long NOWHERE = Long.MAX_VALUE;

  private final SessionIndex index;
  private final long shift;
  private final EventReplay events;
  private final ChunkReplay chunks;

  /** Advances the chunks from their last recorded state. */
  private Account tail;

  private final CountReplay counts;
  private Sample sample = new Sample();
  private MigrationStatus status = MigrationStatus.NONE;
  private boolean guestRunning;
  private int wait;
  private long position = NOWHERE;

  /**
   * @param shift is added to the times of the file
   * @throws IOException when the file can no longer be read; its message is a sentence
   */
  MomentDecoder(SessionIndex index, long shift) throws IOException {
    this.index = index;
    this.shift = shift;
    events = new EventReplay(index, shift);
    chunks = new ChunkReplay(index);
    tail = index.head().account(index.names()::length);
    counts = new CountReplay(index, lastSample());
  }

  private @Nullable Sample lastSample() throws IOException {
    if (index.sampleBlocks().isEmpty()) {
      return null;
    }
    var last = new Sample();
    index.samples(
        index.payload(index.sampleBlocks().getLast().place()),
        read -> {
          last.become(read);
          return true;
        });
    return last;
  }

  /** The moment is no longer wanted. */
  private static final class UnwantedException extends IOException {
    private static final long serialVersionUID = 1;
  }

  /**
   * Decodes a moment. The previous one must have been shown, or must never be.
   *
   * @param nanos on the clock of the session, not of the file
   * @param log has the events of another moment; changed to those of this one
   * @param wanted is asked before each block is read
   * @return null when the moment is no longer wanted
   * @throws IOException when the file can no longer be read; its message is a sentence
   */
  @Nullable Moment decode(long nanos, EventLog log, BooleanSupplier wanted) throws IOException {
    BlockReader reader =
        place -> {
          if (!wanted.getAsBoolean()) {
            throw new UnwantedException();
          }
          return index.payload(place);
        };
    boolean done = false;
    try {
      Moment moment = decode(nanos, log, reader);
      done = true;
      return moment;
    } catch (UnwantedException e) {
      return null;
    } finally {
      position = done ? nanos : NOWHERE;
      if (!done) {
        chunks.forget();
      }
    }
  }

  private Moment decode(long nanos, EventLog log, BlockReader reader) throws IOException {
    long inFile = nanos - shift;
    events.move(log, inFile, reader);
    Sample next = sampleAt(inFile, reader);
    long after = sample.nanos;
    counts.advance(sample, next, inFile, reader);
    long chunksAfter = chunksAt(nanos, reader);
    events.between(
        Math.min(after, chunksAfter),
        inFile,
        reader,
        (time, kind, detail, length, wrid, argument) -> {
          if (time > after) {
            note(kind, detail);
          }
          if (time > chunksAfter) {
            tail.event(time, kind, detail, length, wrid, argument);
          }
        });
    return new Moment(
        nanos,
        log,
        sample,
        new Moment.State(status, guestRunning, wait),
        chunks.tables(),
        chunks.shown(),
        VirtioReplay.at(index, inFile, reader));
  }

  /**
   * Moves the chunks to the point from which events continue, and returns its time on the file's
   * clock.
   */
  private long chunksAt(long nanos, BlockReader reader) throws IOException {
    long inFile = nanos - shift;
    boolean otherBase = chunks.moveTo(inFile, reader);
    boolean afresh = otherBase || nanos < position;
    if (afresh) {
      for (int i = 0; i < chunks.tables().size(); i++) {
        ChunkSnapshot base = chunks.base().get(i);
        chunks.tables().get(i).restore(base);
      }
      tail = index.head().account(index.names()::length);
      tail.setBlocks(chunks.tables());
    }
    if (chunks.tables().isEmpty()) {
      return inFile;
    }
    return afresh ? chunks.baseNanos() : position - shift;
  }

  /**
   * Finds the last sample before a moment and starts from its values.
   *
   * @return the one after it, as far as it is in the same block
   */
  private @Nullable Sample sampleAt(long inFile, BlockReader reader) throws IOException {
    var last = new Sample();
    last.nanos = RecordedSession.NEVER;
    var next = new Sample();
    next.nanos = RecordedSession.NEVER;
    int block = Search.lastAt(index.sampleBlocks(), SampleBlock::firstNanos, inFile);
    if (block >= 0) {
      index.samples(
          reader.payload(index.sampleBlocks().get(block).place()),
          read -> {
            boolean before = read.nanos <= inFile;
            (before ? last : next).become(read);
            return before;
          });
    }
    sample = last;
    status = block >= 0 ? index.status(sample) : MigrationStatus.NONE;
    guestRunning = sample.guestRunning();
    wait = sample.wait(index.names().waits().size());
    return next.nanos == RecordedSession.NEVER ? null : next;
  }

  private boolean guestRuns(@Nullable OperatorAct act) {
    return switch (act) {
      case PAUSED -> false;
      case CONTINUED -> true;
      case TO_ARRIVE_PAUSED,
          TO_ARRIVE_RUNNING,
          TOLD_POWERED_OFF,
          TOLD_GUEST_ENDED,
          TOLD_GUEST_RUNS,
          LEARNED_NOT_STARTED,
          LEARNED_RUNNING,
          LIMITED_BANDWIDTH,
          LIMITED_DOWNTIME ->
          guestRunning;
      case null -> guestRunning;
    };
  }

  /** Updates the state that is not a counter from an event after the sample. */
  private void note(EventKind kind, int detail) {
    switch (kind) {
      case STATUS -> {
        MigrationStatus[] all = MigrationStatus.values();
        status = detail < all.length ? all[detail] : status;
      }
      case WAIT_BEGIN -> wait = detail < index.names().waits().size() ? detail : -1;
      case WAIT_END -> wait = -1;
      case GUEST_PAUSED -> guestRunning = false;
      case GUEST_RESUMED -> guestRunning = true;
      case OPERATED -> guestRunning = guestRuns(OperatorAct.of(detail));
      default -> {
        // changes counters only
      }
    }
  }
}
