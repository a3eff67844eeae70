// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.figures.Observation;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.ChunkSnapshot;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Replay;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * A session of another process, shown while its recording arrives: always at its present end. One
 * thread adds to it, any thread reads.
 */
public final class FeedReplay {
  private static final int SAMPLES_KEPT = 1 << 13;
  private static final ControlType[] TYPES = ControlType.values();
  private static final int NONE = -1;

  private final SessionHead head;
  private final Dictionary dictionary;
  private final long shift;
  private final EventDecoder events;
  private final SampleDecoder samples;
  private final ChunkDecoder chunkDecoder;
  private final Replay replay;
  private final Names names;
  private final Metrics metrics = new Metrics();
  private final List<ChunkTable> tables = new ArrayList<>();
  private final List<ChunkSnapshot> chunks = new ArrayList<>();
  private int generation = NONE;
  private int remoteAddresses = NONE;
  private int waitingFor = NONE;
  private int banners;
  private long lastEventNanos = Long.MIN_VALUE;
  private long lastSampleNanos = Long.MIN_VALUE;
  private MigrationStatus status = MigrationStatus.NONE;
  private long leftOutByRing;
  private final AtomicLong leftOut = new AtomicLong();
  private volatile boolean guestRunning;
  private volatile @Nullable VirtioSnapshot virtio;
  private volatile @Nullable SessionEnd end;
  private volatile List<String> notes = List.of();

  /**
   * @param shift is added to its times
   */
  FeedReplay(SessionHead head, Dictionary dictionary, long shift) {
    this.head = head;
    this.dictionary = dictionary;
    names = new Names(dictionary);
    this.shift = shift;
    events = new EventDecoder(dictionary);
    samples = new SampleDecoder(dictionary);
    chunkDecoder = new ChunkDecoder(dictionary);
    replay = new Replay(head.role(), head.startNanos() + shift, SAMPLES_KEPT);
  }

  // ------------------------------------------------------------------------------ what arrives

  void add(BlockType type, ByteBuffer payload) throws RecordingException {
    if (end != null) {
      throw new RecordingException("A session goes on after its end.");
    }
    switch (type) {
      case SESSION -> throw new RecordingException("A session has two blocks that begin it.");
      case NAMES -> addNames(payload);
      case EVENTS -> addEvents(payload);
      case SAMPLES -> addSamples(payload);
      case CHUNKS -> addChunks(payload);
      case VIRTIO ->
          VirtioDecoder.decode(
              payload,
              (nanos, snapshot) -> {
                virtio = snapshot;
                return true;
              });
      case BANNER -> addBanner(payload);
      case SCENARIO -> {
        // Only a file is stepped through.
      }
      case END -> addEnd(payload);
    }
  }

  private void addNames(ByteBuffer payload) throws RecordingException {
    names.decode(payload);
    if (names.generations().size() - 1 > generation) {
      generation = names.generations().size() - 1;
      tables.clear();
      chunks.clear();
      for (BlockShape block : names.generations().getLast().blocks()) {
        var table =
            new ChunkTable(tables.size(), block.name(), block.length(), block.localAddress());
        tables.add(table);
        chunks.add(new ChunkSnapshot(table.chunkCount()));
      }
    }
    if (names.remoteAddresses().size() - 1 > remoteAddresses) {
      remoteAddresses = names.remoteAddresses().size() - 1;
      long[] addresses = names.remoteAddresses().getLast().addresses();
      for (int i = 0; i < Math.min(addresses.length, tables.size()); i++) {
        tables.get(i).setRemoteAddress(addresses[i]);
      }
    }
    notes = List.copyOf(names.notes());
    show();
  }

  private void addEvents(ByteBuffer payload) throws RecordingException {
    EventDecoder.Head eventHead = EventDecoder.head(new ByteSource(payload));
    long floor = lastEventNanos;
    lastEventNanos = Math.max(floor, eventHead.lastNanos());
    leftOut.addAndGet(eventHead.leftOut());
    showLeftOut();
    int unknown =
        events.decode(
            payload,
            floor,
            (nanos, kind, detail, length, wrid, argument) ->
                replay.telemetry().log().add(nanos + shift, kind, detail, length, wrid, argument));
    leftOut.addAndGet(unknown);
  }

  private void addSamples(ByteBuffer payload) throws RecordingException {
    samples.decode(
        payload,
        sample -> {
          if (sample.nanos < lastSampleNanos) {
            throw RecordingException.of(
                "time of a sample", sample.nanos, "not before " + lastSampleNanos);
          }
          lastSampleNanos = sample.nanos;
          sample.metrics(metrics);
          sample.metrics(replay.telemetry().metrics());
          replay.addSample(sample.nanos + shift, metrics);
          for (ControlType type : TYPES) {
            replay.setMessages(type, sample.sent(type), sample.received(type));
          }
          status = sample.status(dictionary);
          guestRunning = sample.guestRunning();
          waitingFor = sample.wait(names.waits().size());
          leftOutByRing = sample.leftOut();
          return true;
        });
    showLeftOut();
    show();
  }

  private void addChunks(ByteBuffer payload) throws RecordingException {
    ChunkDecoder.Head chunkHead = ChunkDecoder.head(new ByteSource(payload));
    if (chunkHead.generation() != generation) {
      throw RecordingException.of(
          "number of the RAM blocks", chunkHead.generation(), "" + generation);
    }
    if (chunkHead.key()) {
      chunks.forEach(ChunkSnapshot::clear);
    }
    chunkDecoder.decode(
        payload,
        names.generations().get(generation).blocks(),
        (of, from, to, state, release, inTransit, timesSent, localKey, remoteKey) ->
            chunks
                .get(of)
                .set(from, to, state, release, inTransit, timesSent, localKey, remoteKey));
    for (int i = 0; i < tables.size(); i++) {
      tables.get(i).restore(chunks.get(i));
    }
  }

  private void addBanner(ByteBuffer payload) throws RecordingException {
    if (++banners > SessionIndex.MAX_BANNERS) {
      throw RecordingException.of(
          "number of banners", banners, "at most " + SessionIndex.MAX_BANNERS);
    }
    Banner banner = BannerCodec.decode(new ByteSource(payload));
    replay.setBanner(new Banner(banner.nanos() + shift, banner.device(), banner.route()));
  }

  private void addEnd(ByteBuffer payload) throws RecordingException {
    SessionEnd read = SessionEnd.decode(new ByteSource(payload));
    leftOut.addAndGet(read.leftOut());
    showLeftOut();
    guestRunning = read.guestRunning();
    end = read;
  }

  /** To be called when nothing follows: if it has not ended, what is shown of it has. */
  public void leave() {
    if (end == null && !status.isEnd()) {
      status = MigrationStatus.CANCELLED;
      waitingFor = NONE;
      show();
    }
  }

  private void showLeftOut() {
    replay.setLeftOut(leftOutByRing + leftOut.get());
  }

  private void show() {
    replay.setState(
        status,
        names.phases().stream().map(phase -> phase.later(shift)).toList(),
        List.copyOf(tables),
        List.copyOf(names.waits()),
        waitingFor < 0 ? null : names.waits().get(waitingFor));
  }

  /** The number of chunks of all its RAM blocks. */
  long chunks() {
    return names.chunks();
  }

  // -------------------------------------------------------------------------- what can be read

  /** Its name in the other process. */
  public String name() {
    return head.name();
  }

  public String uri() {
    return head.uri();
  }

  public String device() {
    return head.device();
  }

  public String deviceReason() {
    return head.deviceReason();
  }

  /** How it is known what the session does. */
  public Observation observation() {
    return head.observation();
  }

  /** Whether it is an end of a migration. */
  public boolean migrates() {
    return head.migrates();
  }

  public SessionTelemetry telemetry() {
    return replay.telemetry();
  }

  public boolean guestRunning() {
    return guestRunning;
  }

  public Optional<VirtioSnapshot> virtio() {
    return Optional.ofNullable(virtio);
  }

  /** How many events were left out on the way, because they came faster than they were sent. */
  public long leftOut() {
    return leftOut.get();
  }

  /** Sentences for the user. */
  public List<String> notes() {
    return notes;
  }

  /** Whether its end has arrived. */
  public boolean hasEnded() {
    return end != null;
  }

  /** How it ended; null while it has not. */
  public @Nullable SessionOutcome result() {
    SessionEnd last = end;
    return last == null ? null : last.outcome();
  }

  /** The report of its end; empty while it has not ended. */
  public Optional<MigrationReport> report() {
    SessionEnd last = end;
    return last == null ? Optional.empty() : Optional.ofNullable(last.report());
  }
}
