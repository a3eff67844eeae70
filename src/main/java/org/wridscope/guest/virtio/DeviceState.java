// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a suspended device outside guest memory. As bytes, all big-endian: u8 status; u64
 * features; u8 with a bit for each queue that is not ready, the lowest for the first; u8 number of
 * queues; then a {@link QueueState} for each. Its driver may not have completed the set-up.
 *
 * @param status bits of {@link Status}
 * @param features that were negotiated
 */
record DeviceState(int status, long features, List<QueueState> queues) {
  private static final int FIXED_LENGTH = 1 + 8 + 2;

  DeviceState {
    queues = List.copyOf(queues);
  }

  byte[] toBytes() {
    int length = FIXED_LENGTH + queues.stream().mapToInt(QueueState::length).sum();
    ByteBuffer bytes = ByteBuffer.allocate(length);
    int notReady = 0;
    for (int i = 0; i < queues.size(); i++) {
      notReady |= queues.get(i).ready() ? 0 : 1 << i;
    }
    bytes.put((byte) status).putLong(features).put((byte) notReady).put((byte) queues.size());
    queues.forEach(queue -> queue.encode(bytes));
    return bytes.array();
  }

  /**
   * Decodes a state, which may come from any peer.
   *
   * @param memory that contains the queues, completely loaded
   * @param features that the device must have
   * @param queues names of its queues
   * @throws IllegalArgumentException naming the field that is wrong
   */
  static DeviceState of(byte[] state, GuestMemory memory, long features, List<String> queues) {
    check(
        state.length >= FIXED_LENGTH,
        "length of %d bytes, at least %d are needed".formatted(state.length, FIXED_LENGTH));
    ByteBuffer bytes = ByteBuffer.wrap(state);
    int status = Byte.toUnsignedInt(bytes.get());
    check(
        Status.isReached(status),
        "status 0x%02x, which no driver that follows the specification sets".formatted(status));
    boolean settled = (status & Status.FEATURES_OK) != 0;
    long theirs = bytes.getLong();
    check(
        settled ? theirs == features : (theirs & ~features) == 0,
        "features 0x%x, the device here has 0x%x".formatted(theirs, features));
    int notReady = Byte.toUnsignedInt(bytes.get());
    int count = Byte.toUnsignedInt(bytes.get());
    check(
        count == queues.size(),
        "%d queues, the device here has %d".formatted(count, queues.size()));
    check(
        notReady >>> count == 0 && (settled || notReady == (1 << count) - 1),
        "status 0x%02x with 0x%02x for the queues that are not ready".formatted(status, notReady));
    List<QueueState> loaded = new ArrayList<>();
    for (String name : queues) {
      boolean ready = (notReady >>> loaded.size() & 1) == 0;
      try {
        loaded.add(QueueState.decode(bytes, memory, ready));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "device state: %s: %s".formatted(name, e.getMessage()), e);
      }
    }
    check(!bytes.hasRemaining(), "%d bytes too many".formatted(bytes.remaining()));
    return new DeviceState(status, theirs, loaded);
  }

  private static void check(boolean fine, String message) {
    if (!fine) {
      throw new IllegalArgumentException("device state: " + message);
    }
  }
}
