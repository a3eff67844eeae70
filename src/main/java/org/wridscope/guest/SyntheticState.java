// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The device state of a synthetic guest. As bytes, all big-endian: u32 version 1; u64 bytes of
 * {@code pc.ram}; u64 dirty rate; u64 working set; f64 zero share; u64 seed; u16 number of writers;
 * for each of them u64 steps done.
 *
 * @param steps that each writer of the workload has done
 */
record SyntheticState(SyntheticGuestConfig config, List<Long> steps) {
  private static final int VERSION = 1;
  private static final int FIXED_LENGTH = 4 + 5 * 8 + 2;

  /** At a step a nanosecond it takes a century to get there. */
  private static final long MAX_STEPS = 1L << 62;

  byte[] toBytes() {
    ByteBuffer bytes = ByteBuffer.allocate(FIXED_LENGTH + steps.size() * Long.BYTES);
    bytes
        .putInt(VERSION)
        .putLong(config.ramBytes())
        .putLong(config.dirtyRate())
        .putLong(config.workingSet())
        .putDouble(config.zeroShare())
        .putLong(config.seed())
        .putShort((short) steps.size());
    steps.forEach(bytes::putLong);
    return bytes.array();
  }

  /**
   * @param ramBytes of the guest that takes the state over
   * @throws IllegalArgumentException naming the field that is wrong
   */
  static SyntheticState of(byte[] state, long ramBytes) {
    ByteBuffer bytes = ByteBuffer.wrap(state);
    check(
        state.length >= FIXED_LENGTH,
        "length of %d bytes, at least %d are needed".formatted(state.length, FIXED_LENGTH));
    int version = bytes.getInt();
    check(
        version == VERSION,
        "version %d, only %d is known".formatted(Integer.toUnsignedLong(version), VERSION));
    long theirs = bytes.getLong();
    check(theirs == ramBytes, "RAM of %d bytes, this guest has %d".formatted(theirs, ramBytes));
    long dirtyRate = bytes.getLong();
    long workingSet = bytes.getLong();
    check(workingSet != 0, "working set of 0 bytes");
    double zeroShare = bytes.getDouble();
    long seed = bytes.getLong();
    int writers = Short.toUnsignedInt(bytes.getShort());
    SyntheticGuestConfig config;
    try {
      config =
          new SyntheticGuestConfig(
              ramBytes, dirtyRate, workingSet, zeroShare, seed, writers, false);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("device state: " + e.getMessage(), e);
    }
    check(
        bytes.remaining() == writers * Long.BYTES,
        "%d bytes of steps, %d writers have %d"
            .formatted(bytes.remaining(), writers, writers * Long.BYTES));
    List<Long> steps = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      long done = bytes.getLong();
      check(
          done >= 0 && done <= MAX_STEPS,
          "%s steps of writer %d, at most %d are possible"
              .formatted(Long.toUnsignedString(done), i, MAX_STEPS));
      steps.add(done);
    }
    return new SyntheticState(config, List.copyOf(steps));
  }

  private static void check(boolean fine, String message) {
    if (!fine) {
      throw new IllegalArgumentException("device state: " + message);
    }
  }
}
