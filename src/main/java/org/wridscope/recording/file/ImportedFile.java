// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.Wait;

/** Writes an imported session into a recording. */
public final class ImportedFile implements ImportTarget {
  private static final long KEY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RecordingWriter writer;
  private final int session;
  private final EventEncoder events = new EventEncoder();
  private final SampleEncoder samples = new SampleEncoder();
  private final NamesEncoder names = new NamesEncoder();
  private final ByteSink block = new ByteSink(1 << 16);
  private @Nullable ChunkEncoder chunks;
  private long keyAt;

  /** Writes the head of the only session of a file. */
  public ImportedFile(RecordingWriter writer, SessionHead head) throws IOException {
    this(writer, head, 0);
  }

  /**
   * Writes the head of a session.
   *
   * @param session its number in the file
   */
  public ImportedFile(RecordingWriter writer, SessionHead head, int session) throws IOException {
    this.writer = writer;
    this.session = session;
    head.encode(block);
    write(BlockType.SESSION);
  }

  @Override
  public void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument)
      throws IOException {
    events.event(nanos, kind, detail, length, wrid, argument);
    if (events.isFull()) {
      flushEvents();
    }
  }

  @Override
  public void wait(Wait wait) {
    names.wait(wait);
  }

  @Override
  public void opened(Banner banner) throws IOException {
    BannerCodec.encode(banner, block);
    write(BlockType.BANNER);
  }

  @Override
  public void phase(Phase phase) {
    names.phase(phase);
  }

  @Override
  public void note(String sentence) {
    names.note(sentence);
  }

  @Override
  public void blocks(long nanos, List<ChunkTable> tables) throws IOException {
    chunks = new ChunkEncoder(tables);
    names.blocks(
        nanos,
        tables.stream()
            .map(table -> new BlockShape(table.name(), table.length(), table.localAddress()))
            .toList());
    keyAt = nanos;
    flushNames();
  }

  @Override
  public void remoteAddresses(long nanos, long[] addresses) {
    names.remoteAddresses(nanos, addresses.clone());
  }

  @Override
  public void sample(Sample sample, MigrationStatus status) throws IOException {
    samples.add(sample);
    if (samples.isFull()) {
      flushSamples();
    }
    flushNames();
    ChunkEncoder encoder = chunks;
    if (encoder != null) {
      boolean key = sample.nanos >= keyAt;
      if (encoder.encode(block, 0, sample.nanos, key)) {
        write(BlockType.CHUNKS);
      }
      block.clear();
      if (key) {
        keyAt = sample.nanos + KEY_NANOS;
      }
    }
  }

  @Override
  public void finish(@Nullable SessionOutcome outcome) throws IOException {
    flushEvents();
    flushSamples();
    flushNames();
    new SessionEnd(false, outcome, null, 0).encode(block);
    write(BlockType.END);
  }

  private void flushEvents() throws IOException {
    if (events.count() > 0) {
      events.finish(block, 0);
      write(BlockType.EVENTS);
    }
  }

  private void flushSamples() throws IOException {
    if (samples.count() > 0) {
      samples.finish(block);
      write(BlockType.SAMPLES);
    }
  }

  private void flushNames() throws IOException {
    if (!names.isEmpty()) {
      names.finish(block);
      write(BlockType.NAMES);
    }
  }

  private void write(BlockType type) throws IOException {
    writer.block(type, session, block);
    block.clear();
  }
}
