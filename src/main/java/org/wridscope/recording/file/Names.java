// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.account.Account;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;

/** The content of all blocks of {@link BlockType#NAMES} of one session. */
public final class Names {
  private static final int MAX_WAITS = 1 << 16;
  private static final int MAX_PHASES = 1 << 16;
  private static final int MAX_NOTES = 1 << 8;
  private static final int MAX_GENERATIONS = 1 << 6;
  private static final int MAX_ADDRESS_LISTS = 1 << 10;

  private final Dictionary dictionary;
  private final List<Wait> waits = new ArrayList<>();
  private final List<Phase> phases = new ArrayList<>();
  private final List<Generation> generations = new ArrayList<>();
  private final List<RemoteAddresses> remoteAddresses = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private long chunks;

  /** RAM blocks from a moment on. */
  public record Generation(long nanos, List<BlockShape> blocks) {}

  /** Addresses of the RAM blocks of a generation at the peer, from a moment on. */
  @SuppressWarnings("ArrayRecordComponent")
  public record RemoteAddresses(long nanos, int generation, long[] addresses) {}

  Names(Dictionary dictionary) {
    this.dictionary = dictionary;
  }

  void decode(ByteBuffer payload) throws RecordingException {
    var source = new ByteSource(payload);
    while (source.hasMore()) {
      int tag = source.u8("tag of a name");
      switch (tag) {
        case NamesEncoder.WAIT -> {
          require(waits.size(), MAX_WAITS, "waits");
          waits.add(
              new Wait(
                  dictionary.wait(source.atMost(Dictionary.MAX_NAMES, "kind of a wait")),
                  source.number("subject of a wait"),
                  source.text(RecordingFormat.MAX_TEXT, "name of a wait")));
        }
        case NamesEncoder.PHASE -> phase(source);
        case NamesEncoder.BLOCKS -> blocks(source);
        case NamesEncoder.REMOTE_ADDRESSES -> addresses(source);
        case NamesEncoder.NOTE -> {
          require(notes.size(), MAX_NOTES, "notes");
          notes.add(source.text(RecordingFormat.MAX_TEXT, "note"));
        }
        default -> throw RecordingException.of("tag of a name", tag, "1 to 5");
      }
    }
  }

  private void phase(ByteSource source) throws RecordingException {
    require(phases.size(), MAX_PHASES, "phases");
    long nanos = source.signed("time of a phase");
    if (!phases.isEmpty() && nanos < phases.getLast().nanos()) {
      throw RecordingException.of(
          "time of a phase", nanos, "not before " + phases.getLast().nanos());
    }
    Phase.Kind kind = dictionary.phase(source.atMost(Dictionary.MAX_NAMES, "kind of a phase"));
    long round = source.number("round of a phase");
    if (kind == Phase.Kind.ROUND && round < 1) {
      throw RecordingException.of(
          "round of a phase", Long.toUnsignedString(round), "1 to " + Long.MAX_VALUE);
    }
    phases.add(kind == Phase.Kind.ROUND ? new Phase(kind, round, nanos) : new Phase(kind, nanos));
  }

  private void blocks(ByteSource source) throws RecordingException {
    require(generations.size(), MAX_GENERATIONS, "lists of RAM blocks");
    long nanos = source.signed("time of RAM blocks");
    if (!generations.isEmpty() && nanos < generations.getLast().nanos()) {
      throw RecordingException.of(
          "time of RAM blocks", nanos, "not before " + generations.getLast().nanos());
    }
    int count = source.atMost(RecordingFormat.MAX_BLOCKS, "number of RAM blocks");
    var blocks = new ArrayList<BlockShape>();
    for (int i = 0; i < count; i++) {
      String name = source.text(RecordingFormat.MAX_TEXT, "name of a RAM block");
      long length = source.number("length of a RAM block");
      if (length < 1 || length > RecordingFormat.MAX_CHUNKS << 20) {
        throw RecordingException.of(
            "length of RAM block " + name,
            Long.toUnsignedString(length),
            "1 to " + (RecordingFormat.MAX_CHUNKS << 20));
      }
      var shape = new BlockShape(name, length, source.number("address of a RAM block"));
      chunks += shape.chunks();
      if (chunks > RecordingFormat.MAX_CHUNKS) {
        throw RecordingException.of(
            "number of chunks of RAM", chunks, "at most " + RecordingFormat.MAX_CHUNKS);
      }
      blocks.add(shape);
    }
    generations.add(new Generation(nanos, List.copyOf(blocks)));
  }

  private void addresses(ByteSource source) throws RecordingException {
    require(remoteAddresses.size(), MAX_ADDRESS_LISTS, "lists of addresses");
    long nanos = source.signed("time of addresses");
    int blocks = generations.isEmpty() ? 0 : generations.getLast().blocks().size();
    int count = source.atMost(blocks, "number of addresses");
    long[] addresses = new long[count];
    for (int i = 0; i < count; i++) {
      addresses[i] = source.number("address of a RAM block at the peer");
    }
    remoteAddresses.add(new RemoteAddresses(nanos, generations.size() - 1, addresses));
  }

  private static void require(int size, int max, String what) throws RecordingException {
    if (size >= max) {
      throw RecordingException.of("number of " + what, size + 1, "at most " + max);
    }
  }

  /** The number of chunks of all RAM blocks of all lists together. */
  public long chunks() {
    return chunks;
  }

  /** All waits; the detail of a wait event is an index into this. */
  public List<Wait> waits() {
    return waits;
  }

  /** The wait that is the detail of an event. */
  public Wait wait(int detail) {
    return detail < waits.size() ? waits.get(detail) : new Wait(Wait.Kind.UNKNOWN);
  }

  /** All phases, oldest first. */
  public List<Phase> phases() {
    return phases;
  }

  /** All lists of RAM blocks, oldest first. */
  public List<Generation> generations() {
    return generations;
  }

  /** The length in bytes of a RAM block of the last list, or {@link Account#UNKNOWN_LENGTH}. */
  public long length(int block) {
    List<BlockShape> blocks = generations.isEmpty() ? List.of() : generations.getLast().blocks();
    return block < blocks.size() ? blocks.get(block).length() : Account.UNKNOWN_LENGTH;
  }

  public List<RemoteAddresses> remoteAddresses() {
    return remoteAddresses;
  }

  public List<String> notes() {
    return notes;
  }
}
