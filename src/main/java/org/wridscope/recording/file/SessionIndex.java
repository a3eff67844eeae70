// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.account.Account;
import org.wridscope.control.Recorded.ScenarioFile;
import org.wridscope.recording.file.RecordingReader.Block;
import org.wridscope.recording.file.RecordingReader.Place;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.MigrationStatus;

/**
 * The places of all blocks of one session in a recording. Building the index decodes every block,
 * so all of them are known to be valid.
 */
public final class SessionIndex {
  /**
   * What the events amount to is kept for one of this many blocks of them, so that counting to a
   * moment reads no more than these.
   */
  public static final int COUNTED_BLOCKS = 8;

  /** A destination opens a connection for each caller, until one of them can be served. */
  public static final int MAX_BANNERS = 1 << 12;

  private final RecordingReader reader;
  private final SessionHead head;
  private final Dictionary dictionary;
  private final Names names;
  private final List<EventBlock> eventBlocks = new ArrayList<>();
  private final Account account;
  private final List<Account> accountsBefore = new ArrayList<>();
  private final List<SampleBlock> sampleBlocks = new ArrayList<>();
  private final List<ChunkBlock> chunkBlocks = new ArrayList<>();
  private final List<VirtioBlock> virtioBlocks = new ArrayList<>();
  private final List<Banner> banners = new ArrayList<>();
  private long events;
  private long unknownEvents;
  private long leftOut;
  private boolean hasOlderEvents;
  private long samples;
  private long firstNanos;
  private long lastNanos;
  private @Nullable ScenarioFile scenario;
  private @Nullable SessionEnd end;

  /**
   * A block of events.
   *
   * @param first number of its first event, counting only events that this version knows
   * @param firstNanos not before the last time of the block before it; an event with an earlier one
   *     is shown at this time
   */
  public record EventBlock(Place place, long first, int count, long firstNanos, long lastNanos) {}

  public record SampleBlock(Place place, long firstNanos, long lastNanos) {}

  public record VirtioBlock(Place place, long firstNanos, long lastNanos) {}

  public record ChunkBlock(Place place, int generation, long nanos, boolean key) {}

  public SessionIndex(RecordingReader reader, ByteBuffer payload) throws RecordingException {
    this.reader = reader;
    var source = new ByteSource(payload);
    head = SessionHead.decode(source);
    dictionary = new Dictionary(source);
    names = new Names(dictionary);
    account = head.account(names::length);
    firstNanos = head.startNanos();
    lastNanos = head.startNanos();
  }

  /** Adds a block, which must follow all others in the file. */
  public void add(BlockType type, Block block) throws RecordingException {
    switch (type) {
      case SESSION -> throw new RecordingException("A session has two blocks that begin it.");
      case NAMES -> {
        names.decode(block.payload());
        if (!names.phases().isEmpty()) {
          // The last one may have started after everything else.
          lastNanos = Math.max(lastNanos, names.phases().getLast().nanos());
        }
      }
      case EVENTS -> addEvents(block);
      case SAMPLES -> addSamples(block);
      case CHUNKS -> addChunks(block);
      case VIRTIO -> addVirtio(block);
      case BANNER -> addBanner(block);
      case SCENARIO -> scenario = ScenarioCodec.decode(new ByteSource(block.payload()));
      case END -> {
        end = SessionEnd.decode(new ByteSource(block.payload()));
        leftOut += end.leftOut();
      }
    }
  }

  private void addEvents(Block block) throws RecordingException {
    EventDecoder.Head eventHead = EventDecoder.head(new ByteSource(block.payload()));
    // Other versions have written events that were told late with the times that they had.
    long floor = eventBlocks.isEmpty() ? Long.MIN_VALUE : eventBlocks.getLast().lastNanos();
    long first = Math.max(floor, eventHead.firstNanos());
    long last = Math.max(floor, eventHead.lastNanos());
    hasOlderEvents |= first != eventHead.firstNanos();
    if (eventBlocks.size() % COUNTED_BLOCKS == 0) {
      accountsBefore.add(new Account(account));
    }
    int unknown = new EventDecoder(dictionary).decode(block.payload(), first, account::event);
    int count = eventHead.count() - unknown;
    eventBlocks.add(new EventBlock(block.place(), events, count, first, last));
    events += count;
    unknownEvents += unknown;
    leftOut += eventHead.leftOut();
    spread(first, last);
  }

  private void addSamples(Block block) throws RecordingException {
    long[] edges = {0, 0, 0};
    new SampleDecoder(dictionary)
        .decode(
            block.payload(),
            sample -> {
              sample.status(dictionary);
              if (edges[2]++ == 0) {
                edges[0] = sample.nanos;
              }
              edges[1] = sample.nanos;
              return true;
            });
    if (edges[2] == 0) {
      return;
    }
    if (!sampleBlocks.isEmpty() && edges[0] < sampleBlocks.getLast().lastNanos()) {
      throw RecordingException.of(
          "time of a block of samples",
          edges[0],
          "not before " + sampleBlocks.getLast().lastNanos());
    }
    sampleBlocks.add(new SampleBlock(block.place(), edges[0], edges[1]));
    samples += edges[2];
    spread(edges[0], edges[1]);
  }

  private void addChunks(Block block) throws RecordingException {
    ChunkDecoder.Head chunkHead = ChunkDecoder.head(new ByteSource(block.payload()));
    if (chunkHead.generation() >= names.generations().size()) {
      throw RecordingException.of(
          "number of the RAM blocks",
          chunkHead.generation(),
          "less than " + names.generations().size());
    }
    if (!chunkBlocks.isEmpty()
        && (chunkHead.nanos() < chunkBlocks.getLast().nanos()
            || chunkHead.generation() < chunkBlocks.getLast().generation())) {
      throw RecordingException.of(
          "time of a block of chunks",
          chunkHead.nanos(),
          "not before " + chunkBlocks.getLast().nanos());
    }
    if (!chunkHead.key()
        && (chunkBlocks.isEmpty()
            || chunkBlocks.getLast().generation() != chunkHead.generation())) {
      throw new RecordingException("The first block of chunks says only what has changed.");
    }
    new ChunkDecoder(dictionary)
        .decode(
            block.payload(),
            names.generations().get(chunkHead.generation()).blocks(),
            (of, from, to, state, release, inTransit, timesSent, localKey, remoteKey) -> {});
    chunkBlocks.add(
        new ChunkBlock(block.place(), chunkHead.generation(), chunkHead.nanos(), chunkHead.key()));
    spread(chunkHead.nanos(), chunkHead.nanos());
  }

  private void addVirtio(Block block) throws RecordingException {
    long[] edges = {0, 0, 0};
    VirtioDecoder.decode(
        block.payload(),
        (nanos, snapshot) -> {
          if (edges[2]++ == 0) {
            edges[0] = nanos;
          }
          edges[1] = nanos;
          return true;
        });
    if (edges[2] == 0) {
      return;
    }
    if (!virtioBlocks.isEmpty() && edges[0] < virtioBlocks.getLast().lastNanos()) {
      throw RecordingException.of(
          "time of a block of snapshots",
          edges[0],
          "not before " + virtioBlocks.getLast().lastNanos());
    }
    virtioBlocks.add(new VirtioBlock(block.place(), edges[0], edges[1]));
    spread(edges[0], edges[1]);
  }

  private void addBanner(Block block) throws RecordingException {
    Banner banner = BannerCodec.decode(new ByteSource(block.payload()));
    if (banners.size() == MAX_BANNERS) {
      throw RecordingException.of("number of banners", MAX_BANNERS + 1, "at most " + MAX_BANNERS);
    }
    if (!banners.isEmpty() && banner.nanos() < banners.getLast().nanos()) {
      throw RecordingException.of(
          "time of a banner", banner.nanos(), "not before " + banners.getLast().nanos());
    }
    banners.add(banner);
  }

  private void spread(long from, long to) {
    firstNanos = Math.min(firstNanos, from);
    lastNanos = Math.max(lastNanos, to);
  }

  /** The content of a block. */
  public ByteBuffer payload(Place place) throws IOException {
    return reader.payload(place);
  }

  /**
   * Gives the events of a block, the first one not before a moment.
   *
   * @throws RecordingException when the block is invalid
   */
  public void events(ByteBuffer payload, long firstNanos, EventSink sink)
      throws RecordingException {
    int _ = new EventDecoder(dictionary).decode(payload, firstNanos, sink);
  }

  /** Gives the samples of a block, until the sink needs no more. */
  public void samples(ByteBuffer payload, SampleSink sink) throws RecordingException {
    new SampleDecoder(dictionary).decode(payload, sink);
  }

  /**
   * Gives the chunks of a block.
   *
   * @param blocks the RAM blocks of its generation
   */
  public void chunks(ByteBuffer payload, List<BlockShape> blocks, ChunkSink sink)
      throws RecordingException {
    new ChunkDecoder(dictionary).decode(payload, blocks, sink);
  }

  /** Gives the snapshots of virtio devices of a block, until the sink needs no more. */
  public static void snapshots(ByteBuffer payload, SnapshotSink sink) throws RecordingException {
    VirtioDecoder.decode(payload, sink);
  }

  /** The status in a sample. */
  public MigrationStatus status(Sample sample) throws RecordingException {
    return sample.status(dictionary);
  }

  public SessionHead head() {
    return head;
  }

  public Names names() {
    return names;
  }

  public List<EventBlock> eventBlocks() {
    return eventBlocks;
  }

  /** What all events amount to. */
  public Account account() {
    return new Account(account);
  }

  /**
   * What the events before a block of them amount to.
   *
   * @param block number of the block, a multiple of {@link #COUNTED_BLOCKS}
   */
  public Account accountBefore(int block) {
    return new Account(accountsBefore.get(block / COUNTED_BLOCKS));
  }

  public List<SampleBlock> sampleBlocks() {
    return sampleBlocks;
  }

  public List<ChunkBlock> chunkBlocks() {
    return chunkBlocks;
  }

  public List<VirtioBlock> virtioBlocks() {
    return virtioBlocks;
  }

  /** What identified device and connection, oldest first. */
  public List<Banner> banners() {
    return banners;
  }

  /** How many events are of kinds that this version knows. */
  public long events() {
    return events;
  }

  /** How many events are of kinds that this version does not know. */
  public long unknownEvents() {
    return unknownEvents;
  }

  /** Whether events are older than some that were written before them. */
  public boolean hasOlderEvents() {
    return hasOlderEvents;
  }

  /** How many events the recorder skipped. */
  public long leftOut() {
    return leftOut;
  }

  public long samples() {
    return samples;
  }

  /** The time of the first record. */
  public long firstNanos() {
    return firstNanos;
  }

  /** The time of the last record. */
  public long lastNanos() {
    return lastNanos;
  }

  /** The scenario of which it is a run under a schedule; null if there is none. */
  public @Nullable ScenarioFile scenario() {
    return scenario;
  }

  /** How the session ended; null when the recording is incomplete. */
  public @Nullable SessionEnd end() {
    return end;
  }
}
