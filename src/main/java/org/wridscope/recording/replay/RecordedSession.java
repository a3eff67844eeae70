// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Recorded;
import org.wridscope.control.Reports;
import org.wridscope.control.Session;
import org.wridscope.figures.Observation;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.protocol.ControlType;
import org.wridscope.qmp.QemuProgram;
import org.wridscope.recording.Recording;
import org.wridscope.recording.file.Names;
import org.wridscope.recording.file.SessionEnd;
import org.wridscope.recording.file.SessionHead;
import org.wridscope.recording.file.SessionIndex;
import org.wridscope.recording.file.SessionIndex.SampleBlock;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Replay;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.telemetry.WridLayout;

/**
 * A session from a recording, without an engine. It has a position in time, initially its end, and
 * its telemetry has the values of that moment: events, and what follows from them, such as
 * counters, to the nanosecond; times and rates as of the last sample. To move it, a moment is
 * decoded, which reads the file, and then shown, by the thread that reads the telemetry. It cannot
 * be controlled.
 */
public final class RecordedSession implements Session, Recorded {
  private static final ControlType[] TYPES = ControlType.values();

  /** The time of a sample when there is none. */
  static final long NEVER = Long.MIN_VALUE;

  /** More samples are thinned out; the metrics at a moment always come from the file. */
  private static final int MAX_HISTORY = 1 << 15;

  private final String file;
  private final SessionIndex index;
  private final long shift;
  private final List<Phase> phases;
  private final Replay replay;
  private final MomentDecoder decoder;
  private volatile boolean guestRunning;
  private volatile @Nullable VirtioSnapshot virtio;
  private volatile long position;
  private volatile long measured;
  private final AtomicInteger rewinds = new AtomicInteger();

  /**
   * @param file the name of the file, to be shown
   */
  public RecordedSession(String file, SessionIndex index) throws IOException {
    this(file, index, 0);
  }

  /** Nobody recorded anything before the end of 1970. */
  private static final Instant COUNTED_FROM_ZERO = Instant.EPOCH.plus(Duration.ofDays(365));

  private RecordedSession(String file, SessionIndex index, long shift) throws IOException {
    this.file = file;
    this.index = index;
    this.shift = shift;
    phases = index.names().phases().stream().map(phase -> phase.later(shift)).toList();
    int samples = Math.clamp(index.samples() + index.samples() % 2, 2, MAX_HISTORY);
    replay = new Replay(index.head().role(), index.head().startNanos() + shift, samples);
    decoder = new MomentDecoder(index, shift);
    if (index.head().program().equals(SessionHead.OTHER)
        && QemuProgram.isNamed(ownName().replaceFirst(" \\d+$", ""))) {
      telemetry().setWrids(WridLayout.QEMU);
    }
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
   * @param nanos is added to all times of the file
   */
  public RecordedSession shifted(long nanos) throws IOException {
    return likewise(new RecordedSession(file, index, nanos));
  }

  @Override
  public RecordedSession copy() throws IOException {
    return likewise(new RecordedSession(file, index, shift));
  }

  /** The other one decodes wr_ids like this one. */
  private RecordedSession likewise(RecordedSession other) {
    other.telemetry().setWrids(telemetry().wrids());
    return other;
  }

  @Override
  public boolean ofQemu() {
    return index.head().program().equals(SessionHead.QEMU);
  }

  @Override
  public boolean migrates() {
    return index.head().migrates();
  }

  @Override
  public Observation observation() {
    return index.head().observation();
  }

  @Override
  public boolean ofProgramLog() {
    return index.head().program().equals(SessionHead.LOG);
  }

  @Override
  public boolean isTimed() {
    return start().isAfter(COUNTED_FROM_ZERO);
  }

  @Override
  public boolean measuresTime() {
    return isTimed() || ofCapture() || index.head().program().equals(SessionHead.WRIDSCOPE);
  }

  /** The wall-clock time at which the session was created. */
  public Instant start() {
    SessionHead head = index.head();
    return head.wallClock().plusNanos(head.startNanos() - head.clockNanos());
  }

  @Override
  public Optional<Recorded> recorded() {
    return Optional.of(this);
  }

  @Override
  public boolean isLive() {
    return false;
  }

  @Override
  public long clock(long nowNanos) {
    return position;
  }

  /** The time of the first record. */
  public long firstNanos() {
    return index.firstNanos() + shift;
  }

  /** The time of the last record. */
  public long lastNanos() {
    return index.lastNanos() + shift;
  }

  /** Its position in time. */
  public long position() {
    return position;
  }

  @Override
  public OptionalLong measuredBefore() {
    return measured == NEVER ? OptionalLong.empty() : OptionalLong.of(position - measured);
  }

  /** How often it went back in time, which invalidates what was read from its log before. */
  public int rewinds() {
    return rewinds.get();
  }

  @Override
  public List<Phase> phases() {
    return phases;
  }

  @Override
  public Instant wallClock(long nanos) {
    return index.head().wallClock().plusNanos(inFile(nanos) - index.head().clockNanos());
  }

  /** Converts a moment to the clock of the file. */
  long inFile(long nanos) {
    return nanos - shift;
  }

  public Names names() {
    return index.names();
  }

  @Override
  public void forEachEvent(EventReader reader) throws IOException {
    var found = new ArrayList<Event>();
    for (SessionIndex.EventBlock block : index.eventBlocks()) {
      found.clear();
      index.events(
          index.payload(block.place()),
          block.firstNanos(),
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

  @Override
  public void forEachSample(SampleReader reader) throws IOException {
    var times = new ArrayList<Long>();
    var found = new ArrayList<Metrics>();
    for (SampleBlock block : index.sampleBlocks()) {
      times.clear();
      found.clear();
      index.samples(
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

  @Override
  public void forEachVirtio(VirtioReader reader) throws IOException {
    var times = new ArrayList<Long>();
    var found = new ArrayList<VirtioSnapshot>();
    for (SessionIndex.VirtioBlock block : index.virtioBlocks()) {
      times.clear();
      found.clear();
      SessionIndex.snapshots(
          index.payload(block.place()),
          (nanos, snapshot) -> {
            times.add(nanos + shift);
            return found.add(snapshot);
          });
      for (int i = 0; i < found.size(); i++) {
        reader.snapshot(times.get(i), found.get(i));
      }
    }
  }

  @Override
  public Optional<VirtioSnapshot> virtioAt(long nanos) throws IOException {
    return Optional.ofNullable(VirtioReplay.at(index, inFile(nanos), index::payload));
  }

  @Override
  public long events() {
    return index.events();
  }

  /**
   * Moves to a moment. Before the first and after the last record, the state is that of the nearest
   * one.
   *
   * @throws IOException when the file can no longer be read; its message is a sentence. The
   *     position does not change then
   */
  public void moveTo(long nanos) throws IOException {
    show(Objects.requireNonNull(decode(nanos, () -> true), "a moment that is wanted"));
  }

  /**
   * Decodes a moment, which does not become visible before it is {@linkplain #show shown}. Only one
   * thread at a time may decode, and only after the previously decoded moment was shown or
   * abandoned.
   *
   * @param wanted is called repeatedly while decoding
   * @return null when the moment is no longer wanted
   * @throws IOException when the file can no longer be read; its message is a sentence
   */
  public @Nullable Moment decode(long nanos, BooleanSupplier wanted) throws IOException {
    return decoder.decode(nanos, replay.eventsAside(), wanted);
  }

  /** Moves to the moment that was decoded last, without reading the file. */
  public void show(Moment moment) {
    boolean back = moment.nanos < position;
    position = moment.nanos;
    if (back) {
      rewinds.incrementAndGet();
    }
    measured = moment.sample.nanos == NEVER ? NEVER : moment.sample.nanos + shift;
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
    List<Phase> begun = phases.subList(0, Search.lastAt(phases, Phase::nanos, moment.nanos) + 1);
    List<Wait> waits = index.names().waits();
    int waitNumber = moment.state.waitNumber();
    replay.setState(
        moment.state.status(),
        begun,
        moment.shownChunks,
        waits,
        waitNumber < 0 ? null : waits.get(waitNumber));
    List<Banner> banners = banners();
    int banner = Search.lastAt(banners, Banner::nanos, moment.nanos);
    replay.setBanner(banner < 0 ? null : banners.get(banner));
    replay.setLeftOut(moment.sample.leftOut() + index.leftOut());
  }

  /** What identified device and connection, oldest first, independently of the position. */
  public List<Banner> banners() {
    return index.banners().stream()
        .map(banner -> new Banner(banner.nanos() + shift, banner.device(), banner.route()))
        .toList();
  }

  @Override
  public boolean isAtEnd() {
    return position >= lastNanos();
  }

  @Override
  public @Nullable ScenarioFile scenario() {
    return index.scenario();
  }

  /** Its file and its own name, which are the same for an imported log of a program. */
  @Override
  public String name() {
    return file.equals(ownName()) ? file : file + ": " + ownName();
  }

  @Override
  public String ownName() {
    return index.head().name();
  }

  @Override
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

  /** How it ended; null unless the position is its end. */
  @Override
  public @Nullable SessionOutcome result() {
    if (!isAtEnd()) {
      return null;
    }
    SessionEnd end = index.end();
    if (end != null && end.outcome() != null) {
      return end.outcome();
    }
    return status().isEnd()
        ? null
        : new SessionOutcome("The recording ends here; the end of the session is not in it.");
  }

  /** A log of QEMU does not tell it, nor do packets. */
  @Override
  public boolean tellsGuest() {
    return !ofQemu() && !ofCapture();
  }

  @Override
  public boolean guestRunning() {
    SessionEnd end = index.end();
    return (isAtEnd() && end != null) ? end.guestRunning() : guestRunning;
  }

  @Override
  public Optional<MigrationReport.Machine> machine() {
    SessionEnd end = index.end();
    return Optional.ofNullable(end)
        .flatMap(recorded -> Optional.ofNullable(recorded.report()))
        .flatMap(report -> Optional.ofNullable(report.machine()));
  }

  @Override
  public Optional<VirtioSnapshot> virtio() {
    return Optional.ofNullable(virtio);
  }

  /** Does nothing: what was recorded cannot be changed. */
  @Override
  public void cancel() {}

  /** The recorded report; at any moment but the end, one derived from the telemetry. */
  @Override
  public MigrationReport report() {
    SessionEnd end = index.end();
    MigrationReport recorded = end == null ? null : end.report();
    if (isAtEnd() && recorded != null) {
      return recorded;
    }
    return measuresTime() ? Reports.ofTelemetry(this, position) : Reports.ofUntimedTelemetry(this);
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
