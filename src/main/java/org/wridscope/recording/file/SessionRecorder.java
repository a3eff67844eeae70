// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.PredictedHarm;
import org.wridscope.control.Recorded.ScenarioFile;
import org.wridscope.control.Session;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;

/**
 * Writes one session into a recording. Everything that changes it is for the recorder's thread
 * only.
 */
public final class SessionRecorder {
  /** How many events are read while the log is locked, which takes a fraction of a millisecond. */
  private static final int PIECE = 4_096;

  private static final long KEY_FRAME_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Limits the time for reading chunks: each chunk delays the next reading by so much. */
  private static final long NANOS_PER_CHUNK = 200;

  private final RecordingWriter writer;
  private final int number;
  private final Session session;
  private final Pace pace;
  private final @Nullable Scenario scenario;
  private final SessionTelemetry telemetry;
  private final EventEncoder eventEncoder = new EventEncoder();
  private final SampleEncoder sampleEncoder = new SampleEncoder();
  private final VirtioEncoder virtioEncoder = new VirtioEncoder();
  private final NamesEncoder names = new NamesEncoder();
  private final Sample sample = new Sample();
  private final ByteSink block = new ByteSink(RecordingFormat.FULL_BLOCK * 2);
  private final EventLog.Reader reader = this::take;
  private boolean begun;
  private volatile boolean done;
  private final AtomicLong leftOut = new AtomicLong();
  private final AtomicLong events = new AtomicLong();
  private long leftOutBefore;
  private long nextEvent;
  private long behindBefore = Long.MAX_VALUE;
  private boolean gap;
  private int waitsWritten;
  private @Nullable Banner bannerWritten;
  private int bannersWritten;
  private @Nullable Phase lastPhase;
  private @Nullable ChunkEncoder chunks;
  private long[] remoteAddresses = {};
  private int generation = -1;
  private long keyFrameAt;
  private long chunksAt;
  private long flushedAt;
  private @Nullable Long endedAt;

  /**
   * How soon and how completely a session is written.
   *
   * @param flushNanos after which time at the latest what was read is written
   * @param eventsAtOnce how many events are written at once
   * @param mostBehind number of events; when more are still to be written, and their number grows,
   *     the oldest ones are left out
   */
  public record Pace(long flushNanos, long eventsAtOnce, long mostBehind) {
    /** Everything; a program that is killed loses at most the last second. */
    public static final Pace WHOLE =
        new Pace(TimeUnit.SECONDS.toNanos(1), Long.MAX_VALUE, Long.MAX_VALUE);
  }

  public SessionRecorder(RecordingWriter writer, int number, Session session, Pace pace) {
    this(writer, number, session, pace, null);
  }

  /**
   * @param scenario of which it is a run under a schedule; null for none
   */
  public SessionRecorder(
      RecordingWriter writer, int number, Session session, Pace pace, @Nullable Scenario scenario) {
    this.scenario = scenario;
    this.writer = writer;
    this.number = number;
    this.session = session;
    this.pace = pace;
    telemetry = session.telemetry();
  }

  public boolean isDone() {
    return done;
  }

  public long leftOut() {
    return leftOut.get();
  }

  public long events() {
    return events.get();
  }

  /**
   * Records what is new, and the end once the session has ended and the drivers have met what was
   * predicted.
   */
  public void pump() throws IOException {
    if (!done) {
      // What its operator does about a guest in doubt belongs to the recording.
      boolean ended = hasEnded() && !awaitsDrivers() && session.doubt().isEmpty();
      record();
      if (ended && nextEvent == telemetry.log().size()) {
        end();
      }
    }
  }

  /** Records what is new of a session that stands still, all of it, and waits for nothing. */
  void look() throws IOException {
    chunksAt = Long.MIN_VALUE;
    record();
  }

  /** Records what is new and finishes, whether the session has ended or not. */
  public void finish() throws IOException {
    if (!done) {
      record();
      end();
    }
  }

  private boolean hasEnded() {
    try {
      return session.await(Duration.ZERO);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts the recorder", e);
    }
  }

  private boolean awaitsDrivers() {
    long now = Time.nanos();
    if (endedAt == null) {
      endedAt = now;
    }
    return now - endedAt < PredictedHarm.PATIENCE.toNanos() && PredictedHarm.isPending(session);
  }

  private void record() throws IOException {
    if (!begun) {
      begun = true;
      begin();
    }
    readEvents();
    long now = Time.nanos();
    names(now);
    sample.take(session, now);
    sampleEncoder.add(sample);
    session.virtio().ifPresent(virtio -> virtioEncoder.add(now, virtio));
    chunks(now);
    if (now - flushedAt >= pace.flushNanos() || sampleEncoder.isFull() || virtioEncoder.isFull()) {
      flushEvents();
      flushSamples();
      flushVirtio();
      flushedAt = now;
    }
  }

  private void begin() throws IOException {
    flushedAt = Time.nanos();
    head(Time.wallClock(), flushedAt).encode(block);
    write(BlockType.SESSION);
    Optional<ScenarioFile> recorded = Optional.ofNullable(scenario).flatMap(ScenarioCodec::file);
    if (recorded.isPresent()) {
      ScenarioCodec.encode(recorded.get(), block);
      write(BlockType.SCENARIO);
    }
    names(flushedAt);
    new PastSamples(telemetry).encode(sampleEncoder);
    nextEvent = telemetry.log().oldest();
    leftOutBefore = nextEvent;
    leftOut.set(nextEvent);
  }

  private SessionHead head(Instant wallClock, long nanos) {
    return new SessionHead(
        telemetry.role(),
        session.migrates() ? SessionHead.WRIDSCOPE : SessionHead.OTHER,
        session.name(),
        session.uri(),
        session.device(),
        session.deviceReason(),
        telemetry.startNanos(),
        nanos,
        wallClock);
  }

  // ------------------------------------------------------------------------------------- events

  private void readEvents() throws IOException {
    EventLog log = telemetry.log();
    long size = log.size();
    leaveOut(size);
    long end = size - nextEvent > pace.eventsAtOnce() ? nextEvent + pace.eventsAtOnce() : size;
    while (nextEvent < end) {
      long before = nextEvent;
      log.read(nextEvent, PIECE, reader);
      if (gap) {
        gap = false;
        skipTo(log.oldest());
      } else if (eventEncoder.isFull()) {
        flushEvents();
      } else if (nextEvent == before) {
        break;
      }
    }
  }

  /** Leaves events out if they are more than can be written, and become more and more. */
  private void leaveOut(long size) throws IOException {
    long behind = size - nextEvent;
    if (behind > pace.mostBehind() && behind > behindBefore && !telemetry.status().isEnd()) {
      skipTo(size - pace.mostBehind() / 2);
    }
    behindBefore = size - nextEvent;
  }

  private void skipTo(long event) throws IOException {
    flushEvents();
    leftOutBefore += event - nextEvent;
    leftOut.addAndGet(event - nextEvent);
    nextEvent = event;
  }

  private boolean take(
      long at, long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    if (at != nextEvent) {
      gap = true;
      return false;
    }
    eventEncoder.event(nanos, kind, detail, length, wrid, argument);
    nextEvent++;
    return !eventEncoder.isFull();
  }

  private void flushEvents() throws IOException {
    int count = eventEncoder.count();
    if (count > 0) {
      eventEncoder.finish(block, leftOutBefore);
      leftOutBefore = 0;
      write(BlockType.EVENTS);
      events.addAndGet(count);
    }
  }

  // -------------------------------------------------------------------------- all that is slower

  private void names(long now) throws IOException {
    List<Wait> waits = telemetry.waits();
    for (int size = waits.size(); waitsWritten < size; waitsWritten++) {
      names.wait(waits.get(waitsWritten));
    }
    List<Phase> phases = telemetry.phases();
    int known = lastPhase == null ? -1 : phases.lastIndexOf(lastPhase);
    for (Phase phase : phases.subList(known + 1, phases.size())) {
      names.phase(phase);
      lastPhase = phase;
    }
    List<ChunkTable> tables = telemetry.blocks();
    if (!tables.isEmpty() && (chunks == null || !chunks.tables().equals(tables))) {
      chunks = new ChunkEncoder(tables);
      generation++;
      remoteAddresses = new long[tables.size()];
      keyFrameAt = now;
      chunksAt = now;
      names.blocks(now, tables.stream().map(SessionRecorder::shape).toList());
    }
    long[] addresses = tables.stream().mapToLong(ChunkTable::remoteAddress).toArray();
    if (!Arrays.equals(addresses, remoteAddresses)) {
      remoteAddresses = addresses;
      names.remoteAddresses(now, addresses);
    }
    if (!names.isEmpty()) {
      names.finish(block);
      write(BlockType.NAMES);
    }
    banner();
  }

  private void banner() throws IOException {
    Banner present = telemetry.banner();
    if (present != null
        && !present.equals(bannerWritten)
        && bannersWritten < SessionIndex.MAX_BANNERS) {
      bannerWritten = present;
      bannersWritten++;
      BannerCodec.encode(present, block);
      write(BlockType.BANNER);
    }
  }

  private static BlockShape shape(ChunkTable table) {
    return new BlockShape(table.name(), table.length(), table.localAddress());
  }

  private void chunks(long now) throws IOException {
    ChunkEncoder encoder = chunks;
    if (encoder == null || now < chunksAt) {
      return;
    }
    boolean key = now >= keyFrameAt;
    if (encoder.encode(block, generation, now, key)) {
      write(BlockType.CHUNKS);
    }
    block.clear();
    chunksAt = now + encoder.chunks() * NANOS_PER_CHUNK;
    if (key) {
      keyFrameAt = now + KEY_FRAME_NANOS + 10 * encoder.chunks() * NANOS_PER_CHUNK;
    }
  }

  private void flushSamples() throws IOException {
    if (sampleEncoder.count() > 0) {
      sampleEncoder.finish(block);
      write(BlockType.SAMPLES);
    }
  }

  private void flushVirtio() throws IOException {
    if (virtioEncoder.count() > 0) {
      virtioEncoder.finish(block);
      write(BlockType.VIRTIO);
    }
  }

  private void end() throws IOException {
    chunksAt = Long.MIN_VALUE;
    chunks(Time.nanos());
    flushEvents();
    flushSamples();
    flushVirtio();
    new SessionEnd(
            session.guestRunning(),
            session.result(),
            session.migrates() ? session.report() : null,
            leftOutBefore)
        .encode(block);
    write(BlockType.END);
    done = true;
  }

  private void write(BlockType type) throws IOException {
    writer.block(type, number, block);
    block.clear();
  }
}
