// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.QueueSnapshot.InFlight;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;

/** Decodes blocks of {@link BlockType#VIRTIO}. */
final class VirtioDecoder {
  /** Upper limit for all devices of a guest together. */
  private static final int MAX_QUEUES = 64;

  /** Virtio 1.2, 2.6: the largest size of a split virtqueue. */
  private static final int MAX_SIZE = 1 << 15;

  private static final int MAX_INDEX = 0xffff;
  private static final int ALL_BITS =
      VirtioEncoder.RUNNING
          | VirtioEncoder.BEGUN
          | VirtioEncoder.PREDICTED
          | VirtioEncoder.OBSERVED;
  private static final RequestFailure.Kind[] KINDS = RequestFailure.Kind.values();

  private final ByteSource source;
  private final List<String> names = new ArrayList<>();

  private VirtioDecoder(ByteBuffer payload) {
    source = new ByteSource(payload);
  }

  /** Decodes a block until the reader stops. */
  static void decode(ByteBuffer payload, SnapshotSink reader) throws RecordingException {
    new VirtioDecoder(payload).decode(reader);
  }

  private void decode(SnapshotSink reader) throws RecordingException {
    int known = source.atMost(2 * MAX_QUEUES, "number of queue names of a block");
    for (int i = 0; i < known; i++) {
      names.add(source.text(RecordingFormat.MAX_TEXT, "name of a queue"));
    }
    // A snapshot takes at least five bytes.
    int count = source.atMost(source.remaining() / 5, "number of snapshots of a block");
    long nanos = source.signed("time of the first snapshot");
    List<QueueSnapshot> begun = List.of();
    for (int i = 0; i < count; i++) {
      long passed = source.number("time of a snapshot");
      if (passed < 0 || nanos + passed < nanos) {
        throw RecordingException.of("time of a snapshot", Long.toUnsignedString(passed), "63 bits");
      }
      nanos += passed;
      int mask = source.u8("mask of a snapshot");
      if (mask > ALL_BITS) {
        throw RecordingException.of("mask of a snapshot", mask, "0 to " + ALL_BITS);
      }
      long mapChanges = source.number("number of memory map changes");
      long resets = source.number("number of resets");
      List<QueueSnapshot> queues = queues();
      if ((mask & VirtioEncoder.BEGUN) != 0) {
        begun = queues();
      }
      Optional<RequestFailure> predicted = failure(mask & VirtioEncoder.PREDICTED);
      Optional<RequestFailure> observed = failure(mask & VirtioEncoder.OBSERVED);
      boolean running = (mask & VirtioEncoder.RUNNING) != 0;
      var snapshot =
          new VirtioSnapshot(running, queues, begun, mapChanges, resets, predicted, observed);
      if (!reader.snapshot(nanos, snapshot)) {
        return;
      }
    }
    if (source.hasMore()) {
      throw RecordingException.of("rest of a block of snapshots", source.remaining(), "0 bytes");
    }
  }

  private List<QueueSnapshot> queues() throws RecordingException {
    int count = source.atMost(MAX_QUEUES, "number of queues");
    List<QueueSnapshot> queues = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      queues.add(queue());
    }
    return queues;
  }

  private QueueSnapshot queue() throws RecordingException {
    String name = name();
    int size = source.atMost(MAX_SIZE, "size of a queue");
    if (Integer.bitCount(size) != 1) {
      throw RecordingException.of("size of a queue", size, "a power of two up to " + MAX_SIZE);
    }
    int availIndex = source.atMost(MAX_INDEX, "available index of a queue");
    int usedIndex = source.atMost(MAX_INDEX, "used index of a queue");
    int lastAvail = source.atMost(MAX_INDEX, "device's available index of a queue");
    int deviceUsed = source.atMost(MAX_INDEX, "device's used index of a queue");
    int lastUsed = source.atMost(MAX_INDEX, "driver's used index of a queue");
    long nextRequest = source.number("number of the next request of a queue");
    long completed = source.number("number of completed requests of a queue");
    int count = source.atMost(size, "number of requests in flight of a queue");
    List<InFlight> inFlight = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int head = source.atMost(MAX_INDEX, "head of a request in flight");
      inFlight.add(new InFlight(head, source.number("number of a request in flight")));
    }
    return new QueueSnapshot(
        name,
        size,
        availIndex,
        usedIndex,
        lastAvail,
        deviceUsed,
        lastUsed,
        inFlight,
        nextRequest,
        completed);
  }

  private Optional<RequestFailure> failure(int present) throws RecordingException {
    if (present == 0) {
      return Optional.empty();
    }
    int kind = source.u8("kind of a failure");
    if (kind >= KINDS.length) {
      throw RecordingException.of("kind of a failure", kind, "0 to " + (KINDS.length - 1));
    }
    return Optional.of(
        new RequestFailure(
            KINDS[kind],
            name(),
            source.number("request of a failure"),
            source.number("failures alike")));
  }

  private String name() throws RecordingException {
    if (names.isEmpty()) {
      throw new RecordingException("A block of snapshots has no names of queues.");
    }
    return names.get(source.atMost(names.size() - 1, "name of a queue"));
  }
}
