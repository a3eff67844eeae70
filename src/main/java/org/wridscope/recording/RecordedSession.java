// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;
import org.wridscope.control.Session;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.SessionIndex.SampleBlock;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Replay;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * A session out of a recording, without an engine. It stands at a moment, at first at its end, and
 * its telemetry is what it was then, as fine as it was recorded: events and what follows from them
 * to the nanosecond, metrics to the last sample. It is moved by decoding a moment, which reads the
 * file, and then showing that, which is for the thread that reads the telemetry; nothing steers it.
 */
public final class RecordedSession implements Session {
  private static final ControlType[] TYPES = ControlType.values();

  /** More samples are thinned out; metrics at a moment are those of the file in any case. */
  private static final int MAX_HISTORY = 1 << 15;

  private final String file;
  private final SessionIndex index;
  private final long shift;
  private final Replay replay;
  private final MomentDecoder decoder;
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
    decoder = new MomentDecoder(index, shift);
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
    return Session.originNanos(index.names().phases(), index.head().startNanos()) + shift;
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
   * @throws IOException when the file cannot be read any more; its message is a sentence. Then it
   *     stays where it is
   */
  public void moveTo(long nanos) throws IOException {
    show(Objects.requireNonNull(decode(nanos, () -> true), "a moment that is wanted"));
  }

  /**
   * Reads what it was at a moment, of which nothing is seen before it is {@linkplain #show shown}.
   * By any one thread at a time, and not before the moment that was decoded the last time was shown
   * or given up.
   *
   * @param wanted is asked now and then
   * @return null when it was not wanted any more
   * @throws IOException when the file cannot be read any more; its message is a sentence
   */
  public @Nullable Moment decode(long nanos, BooleanSupplier wanted) throws IOException {
    return decoder.decode(nanos, replay.eventsAside(), wanted);
  }

  /** Goes to the moment that was decoded last, which takes no file. */
  public void show(Moment moment) {
    boolean back = moment.nanos < position;
    position = moment.nanos;
    if (back) {
      rewinds.incrementAndGet();
    }
    guestRunning = moment.state.guestRunning();
    virtio = moment.virtio;
    replay.showEvents(moment.events);
    replay.showHistory(moment.nanos);
    moment.sample.metrics(replay.telemetry().metrics());
    for (ControlType type : TYPES) {
      replay.setMessages(type, moment.sample.sent(type), moment.sample.received(type));
    }
    for (int i = 0; i < moment.chunks.size(); i++) {
      moment.shownChunks.get(i).restore(moment.chunks.get(i));
    }
    List<Phase> all = index.names().phases();
    List<Phase> phases =
        all.subList(0, Search.lastAt(all, Phase::nanos, moment.nanos - shift) + 1).stream()
            .map(phase -> new Phase(phase.name(), phase.nanos() + shift))
            .toList();
    List<String> waits = index.names().waits();
    int phrase = moment.state.phrase();
    replay.setState(
        moment.state.status(),
        phases,
        moment.shownChunks,
        waits,
        phrase < 0 ? null : waits.get(phrase));
    replay.setLeftOut(moment.sample.leftOut() + index.leftOut());
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
    return status().isEnd() ? null : "The recording ends here; the session had not ended.";
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
