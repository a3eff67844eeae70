// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.account.Account;
import org.wridscope.control.Recorded.ScenarioFile;
import org.wridscope.recording.TraceReader.Block;
import org.wridscope.recording.TraceReader.Place;
import org.wridscope.telemetry.Banner;

/**
 * The places of all blocks of one session in a trace file. Building the index decodes every block,
 * so all of them are known to be valid.
 */
final class SessionIndex {
  /**
   * What the events amount to is kept for one of this many blocks of them, so that counting to a
   * moment reads no more than these.
   */
  static final int COUNTED_BLOCKS = 8;

  /** A destination opens a connection for each caller, until one of them can be served. */
  static final int MAX_BANNERS = 1 << 12;

  private final TraceReader reader;
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
  record EventBlock(Place place, long first, int count, long firstNanos, long lastNanos) {}

  record SampleBlock(Place place, long firstNanos, long lastNanos) {}

  record VirtioBlock(Place place, long firstNanos, long lastNanos) {}

  record ChunkBlock(Place place, int generation, long nanos, boolean key) {}

  SessionIndex(TraceReader reader, ByteBuffer payload) throws RecordingException {
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
  void add(BlockType type, Block block) throws RecordingException {
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
  ByteBuffer payload(Place place) throws IOException {
    return reader.payload(place);
  }

  SessionHead head() {
    return head;
  }

  Dictionary dictionary() {
    return dictionary;
  }

  Names names() {
    return names;
  }

  List<EventBlock> eventBlocks() {
    return eventBlocks;
  }

  /** What all events amount to. */
  Account account() {
    return new Account(account);
  }

  /**
   * What the events before a block of them amount to.
   *
   * @param block number of the block, a multiple of {@link #COUNTED_BLOCKS}
   */
  Account accountBefore(int block) {
    return new Account(accountsBefore.get(block / COUNTED_BLOCKS));
  }

  List<SampleBlock> sampleBlocks() {
    return sampleBlocks;
  }

  List<ChunkBlock> chunkBlocks() {
    return chunkBlocks;
  }

  List<VirtioBlock> virtioBlocks() {
    return virtioBlocks;
  }

  /** What identified device and connection, oldest first. */
  List<Banner> banners() {
    return banners;
  }

  /** How many events are of kinds that this version knows. */
  long events() {
    return events;
  }

  /** How many events are of kinds that this version does not know. */
  long unknownEvents() {
    return unknownEvents;
  }

  /** Whether events are older than some that were written before them. */
  boolean hasOlderEvents() {
    return hasOlderEvents;
  }

  /** How many events the recorder skipped. */
  long leftOut() {
    return leftOut;
  }

  long samples() {
    return samples;
  }

  /** The time of the first record. */
  long firstNanos() {
    return firstNanos;
  }

  /** The time of the last record. */
  long lastNanos() {
    return lastNanos;
  }

  /** The scenario of which it is a run under a schedule; null if there is none. */
  @Nullable ScenarioFile scenario() {
    return scenario;
  }

  /** How the session ended; null when the recording is incomplete. */
  @Nullable SessionEnd end() {
    return end;
  }
}
