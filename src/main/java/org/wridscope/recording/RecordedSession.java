// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;
import org.wridscope.control.Session;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.SessionIndex.SampleBlock;
import org.wridscope.recording.SessionIndex.VirtioBlock;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Replay;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * A session out of a recording, without an engine. It stands at a moment, at first at its end, and
 * its telemetry is what it was then, as fine as it was recorded: events and what follows from them
 * to the nanosecond, metrics to the last sample. Moving it is for one thread; nothing steers it.
 */
public final class RecordedSession implements Session {
  private static final ControlType[] TYPES = ControlType.values();

  /** More samples are thinned out; metrics at a moment are those of the file in any case. */
  private static final int MAX_HISTORY = 1 << 15;

  private final String file;
  private final SessionIndex index;
  private final long shift;
  private final Replay replay;
  private final EventReplay events;
  private final ChunkReplay chunks;
  private final ChunkTail tail;
  private final SampleDecoder sampleDecoder;
  private final Sample sample = new Sample();
  private final long[] sent = new long[TYPES.length];
  private final long[] received = new long[TYPES.length];
  private MigrationStatus status = MigrationStatus.NONE;
  private int wait;
  private volatile boolean guestRunning;
  private volatile @Nullable VirtioSnapshot virtio;
  private volatile long position;
  private final AtomicInteger rewinds = new AtomicInteger();

  /**
   * @param file its name, for people
   */
  RecordedSession(String file, SessionIndex index) throws IOException {
    this(file, index, 0);
  }

  private RecordedSession(String file, SessionIndex index, long shift) throws IOException {
    this.file = file;
    this.index = index;
    this.shift = shift;
    int samples = Math.clamp(index.samples() + index.samples() % 2, 2, MAX_HISTORY);
    replay = new Replay(index.head().role(), index.head().startNanos() + shift, samples);
    events = new EventReplay(index, replay, shift);
    chunks = new ChunkReplay(index);
    tail = new ChunkTail(index.head().role());
    sampleDecoder = new SampleDecoder(index.dictionary());
    position = firstNanos();
    fillHistory();
    moveTo(lastNanos());
  }

  private void fillHistory() throws IOException {
    forEachSample(replay::addSample);
  }

  /**
   * The same session on another clock.
   *
   * @param nanos what is added to all times of the file
   */
  public RecordedSession shifted(long nanos) throws IOException {
    return new RecordedSession(file, index, nanos);
  }

  /** Another one of the same recording and on the same clock, at its end, for another thread. */
  public RecordedSession copy() throws IOException {
    return new RecordedSession(file, index, shift);
  }

  /** Whether it is a trace log of QEMU, which does not tell whether the guest runs. */
  public boolean ofQemu() {
    return index.head().program().equals(SessionHead.QEMU);
  }

  /** What the wall clock showed when the session was made. */
  public Instant start() {
    SessionHead head = index.head();
    return head.wallClock().plusNanos(head.startNanos() - head.clockNanos());
  }

  /** When the first thing of the recording happened. */
  public long firstNanos() {
    return index.firstNanos() + shift;
  }

  /** When the last thing of the recording happened. */
  public long lastNanos() {
    return index.lastNanos() + shift;
  }

  /** The moment at which it stands. */
  public long position() {
    return position;
  }

  /** How often it went back in time, after which what was read of its log before is void. */
  public int rewinds() {
    return rewinds.get();
  }

  /** When the migration began, wherever the session stands; when it was made if it never did. */
  @Override
  public long originNanos() {
    return index.names().phases().stream()
            .filter(phase -> phase.name().equals(CONNECT))
            .mapToLong(Phase::nanos)
            .findFirst()
            .orElse(index.head().startNanos())
        + shift;
  }

  /** What the wall clock showed at a moment. */
  public Instant wallClock(long nanos) {
    return index.head().wallClock().plusNanos(inFile(nanos) - index.head().clockNanos());
  }

  /** The moment on the clock of the file. */
  long inFile(long nanos) {
    return nanos - shift;
  }

  Names names() {
    return index.names();
  }

  /** Takes events out of the file. */
  @FunctionalInterface
  public interface EventReader {
    void event(Event event) throws IOException;
  }

  /**
   * Hands out all events of the recording, wherever the session stands; may be called by any
   * thread.
   */
  public void forEachEvent(EventReader reader) throws IOException {
    var found = new ArrayList<Event>();
    for (SessionIndex.EventBlock block : index.eventBlocks()) {
      found.clear();
      new EventDecoder(index.dictionary())
          .decode(
              index.payload(block.place()),
              (nanos, kind, detail, length, wrid, argument) ->
                  found.add(
                      new Event(
                          block.first() + found.size(),
                          nanos + shift,
                          kind,
                          detail,
                          length,
                          wrid,
                          argument)));
      for (Event event : found) {
        reader.event(event);
      }
    }
  }

  /** Takes samples out of the file. */
  @FunctionalInterface
  public interface SampleReader {
    /** A sample. */
    void sample(long nanos, Metrics metrics) throws IOException;
  }

  /**
   * Hands out all samples of the recording, wherever the session stands; may be called by any
   * thread.
   */
  public void forEachSample(SampleReader reader) throws IOException {
    var times = new ArrayList<Long>();
    var found = new ArrayList<Metrics>();
    for (SampleBlock block : index.sampleBlocks()) {
      times.clear();
      found.clear();
      new SampleDecoder(index.dictionary())
          .decode(
              index.payload(block.place()),
              read -> {
                var metrics = new Metrics();
                read.metrics(metrics);
                times.add(read.nanos + shift);
                found.add(metrics);
                return true;
              });
      for (int i = 0; i < found.size(); i++) {
        reader.sample(times.get(i), found.get(i));
      }
    }
  }

  /** How many events the recording has. */
  public long events() {
    return index.events();
  }

  /**
   * Goes to a moment. Before the first and after the last one all stays as it is there.
   *
   * @throws IOException when the file cannot be read any more; its message is a sentence
   */
  public void moveTo(long nanos) throws IOException {
    long inFile = nanos - shift;
    boolean back = nanos < position;
    events.moveTo(inFile);
    replay.showHistory(nanos);
    sampleAt(inFile);
    long after = sample.nanos;
    boolean otherBase = chunks.moveTo(inFile);
    boolean afresh = otherBase || back;
    long chunksAfter = afresh ? chunks.baseNanos() : position - shift;
    if (chunks.tables().isEmpty()) {
      chunksAfter = inFile;
    }
    if (afresh) {
      ChunkTail.restore(chunks.tables(), chunks.base());
      tail.begin(chunks.tables());
    }
    long tailAfter = chunksAfter;
    events.between(
        Math.min(after, tailAfter),
        inFile,
        (time, kind, detail, length, wrid, argument) -> {
          if (time > after) {
            note(kind, detail);
          }
          if (time > tailAfter) {
            tail.apply(kind, detail, length, wrid, argument);
          }
        });
    virtioAt(inFile);
    position = nanos;
    if (back) {
      rewinds.incrementAndGet();
    }
    show(inFile);
  }

  /** Finds the last sample before a moment, and begins with what it says. */
  private void sampleAt(long inFile) throws IOException {
    sample.nanos = Long.MIN_VALUE;
    Arrays.fill(sample.values, 0);
    int block = Search.lastAt(index.sampleBlocks(), SampleBlock::firstNanos, inFile);
    if (block >= 0) {
      sampleDecoder.decode(
          index.payload(index.sampleBlocks().get(block).place()),
          read -> {
            if (read.nanos > inFile) {
              return false;
            }
            sample.nanos = read.nanos;
            System.arraycopy(read.values, 0, sample.values, 0, sample.values.length);
            return true;
          });
    }
    for (ControlType type : TYPES) {
      sent[type.ordinal()] = sample.sent(type);
      received[type.ordinal()] = sample.received(type);
    }
    status = block >= 0 ? sample.status(index.dictionary()) : MigrationStatus.NONE;
    guestRunning = sample.guestRunning();
    wait = sample.wait(index.names().waits().size());
  }

  /** Finds the last snapshot before a moment. */
  private void virtioAt(long inFile) throws IOException {
    virtio = null;
    int block = Search.lastAt(index.virtioBlocks(), VirtioBlock::firstNanos, inFile);
    if (block >= 0) {
      VirtioDecoder.decode(
          index.payload(index.virtioBlocks().get(block).place()),
          (nanos, snapshot) -> {
            if (nanos <= inFile) {
              virtio = snapshot;
            }
            return nanos <= inFile;
          });
    }
  }

  /** What an event after the sample says of what the sample said. */
  private void note(EventKind kind, int detail) {
    switch (kind) {
      case CONTROL_SENT -> count(sent, detail);
      case CONTROL_RECEIVED -> count(received, detail);
      case STATUS -> {
        MigrationStatus[] all = MigrationStatus.values();
        status = detail < all.length ? all[detail] : status;
      }
      case WAIT_BEGIN -> wait = detail < index.names().waits().size() ? detail : -1;
      case WAIT_END -> wait = -1;
      case GUEST_PAUSED -> guestRunning = false;
      case GUEST_RESUMED -> guestRunning = true;
      default -> {
        // nothing that a sample has
      }
    }
  }

  private static void count(long[] counts, int detail) {
    ControlType type = ControlType.of(detail);
    if (type != null) {
      counts[type.ordinal()]++;
    }
  }

  private void show(long inFile) {
    sample.metrics(replay.telemetry().metrics());
    for (ControlType type : TYPES) {
      replay.setMessages(type, sent[type.ordinal()], received[type.ordinal()]);
    }
    List<Phase> phases =
        index
            .names()
            .phases()
            .subList(0, Search.lastAt(index.names().phases(), Phase::nanos, inFile) + 1)
            .stream()
            .map(phase -> new Phase(phase.name(), phase.nanos() + shift))
            .toList();
    List<String> waits = index.names().waits();
    replay.setState(status, phases, chunks.tables(), waits, wait < 0 ? null : waits.get(wait));
    replay.setLeftOut(sample.leftOut() + index.leftOut());
  }

  private boolean atEnd() {
    return position >= lastNanos();
  }

  @Override
  public String name() {
    return file + ": " + ownName();
  }

  /** The name that it had when it was recorded. */
  public String ownName() {
    return index.head().name();
  }

  /** Name of the file, without the directory. */
  public String file() {
    return file;
  }

  @Override
  public String uri() {
    return index.head().uri();
  }

  @Override
  public String device() {
    return index.head().device();
  }

  @Override
  public String deviceReason() {
    return index.head().deviceReason();
  }

  @Override
  public SessionTelemetry telemetry() {
    return replay.telemetry();
  }

  /** How it ended, once it stands at its end. */
  @Override
  public @Nullable String outcome() {
    if (!atEnd()) {
      return null;
    }
    SessionEnd end = index.end();
    if (end != null && end.outcome() != null) {
      return end.outcome();
    }
    return status.isEnd() ? null : "The recording ends here; the session had not ended.";
  }

  @Override
  public boolean guestRunning() {
    SessionEnd end = index.end();
    return (atEnd() && end != null) ? end.guestRunning() : guestRunning;
  }

  @Override
  public Optional<VirtioSnapshot> virtio() {
    return Optional.ofNullable(virtio);
  }

  /** Does nothing: what was recorded cannot be changed. */
  @Override
  public void cancel() {}

  /** Does nothing: what was recorded cannot be changed. */
  @Override
  public void setBandwidthLimit(long bytesPerSecond) {}

  /** Does nothing: what was recorded cannot be changed. */
  @Override
  public void setDowntimeLimit(Duration limit) {}

  /** The report that was recorded; at another moment than the end, what the telemetry tells. */
  @Override
  public MigrationReport report() {
    SessionEnd end = index.end();
    return atEnd() && end != null && end.report() != null
        ? end.report()
        : Reports.ofTelemetry(this, position);
  }

  /** Does not wait: a recorded session has ended. */
  @Override
  public boolean await(Duration timeout) {
    return true;
  }

  /** Does nothing; {@link Recording#close} closes the file. */
  @Override
  public void close() {}
}
