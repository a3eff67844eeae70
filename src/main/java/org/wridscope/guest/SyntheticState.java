// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The device state of a synthetic guest. As bytes, all big-endian: u32 version; u64 bytes of {@code
 * pc.ram}; u64 dirty rate; u64 working set; f64 zero share; u64 seed; u16 number of writers; for
 * each of them u64 steps done. In version 2 follow u64 bytes of the balloon and u64 steps that it
 * has done; without a balloon the version is 1.
 *
 * @param steps that each writer of the workload has done
 * @param balloonSteps that the balloon has done
 */
record SyntheticState(SyntheticGuestConfig config, List<Long> steps, long balloonSteps) {
  private static final int VERSION = 1;
  private static final int VERSION_WITH_BALLOON = 2;
  private static final int BALLOON_LENGTH = 2 * Long.BYTES;
  private static final int FIXED_LENGTH = 4 + 5 * 8 + 2;

  /** Reached after a century, with a step each nanosecond. */
  private static final long MAX_STEPS = 1L << 62;

  byte[] toBytes() {
    boolean balloon = config.balloonBytes() > 0;
    ByteBuffer bytes =
        ByteBuffer.allocate(
            FIXED_LENGTH + steps.size() * Long.BYTES + (balloon ? BALLOON_LENGTH : 0));
    bytes
        .putInt(balloon ? VERSION_WITH_BALLOON : VERSION)
        .putLong(config.ramBytes())
        .putLong(config.dirtyRate())
        .putLong(config.workingSet())
        .putDouble(config.zeroShare())
        .putLong(config.seed())
        .putShort((short) steps.size());
    steps.forEach(bytes::putLong);
    if (balloon) {
      bytes.putLong(config.balloonBytes()).putLong(balloonSteps);
    }
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
        "length of %d bytes, at least %d are needed",
        state.length,
        FIXED_LENGTH);
    int version = bytes.getInt();
    check(
        version == VERSION || version == VERSION_WITH_BALLOON,
        "version %d, only %d and %d are known",
        Integer.toUnsignedLong(version),
        VERSION,
        VERSION_WITH_BALLOON);
    boolean balloon = version == VERSION_WITH_BALLOON;
    long theirs = bytes.getLong();
    check(theirs == ramBytes, "RAM of %d bytes, this guest has %d", theirs, ramBytes);
    long dirtyRate = bytes.getLong();
    long workingSet = bytes.getLong();
    check(workingSet != 0, "working set of 0 bytes");
    double zeroShare = bytes.getDouble();
    long seed = bytes.getLong();
    int writers = Short.toUnsignedInt(bytes.getShort());
    SyntheticGuestConfig config =
        known(() ->
            new SyntheticGuestConfig(
                ramBytes, dirtyRate, workingSet, zeroShare, seed, writers, false));
    int left = bytes.remaining() - (balloon ? BALLOON_LENGTH : 0);
    check(
        left == writers * Long.BYTES,
        "%d bytes of steps, %d writers have %d",
        left,
        writers,
        writers * Long.BYTES);
    List<Long> steps = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      steps.add(steps(bytes.getLong(), "writer " + i));
    }
    long balloonBytes = balloon ? bytes.getLong() : 0;
    check(balloonBytes > 0 || !balloon, "balloon of %d bytes", balloonBytes);
    long balloonSteps = balloon ? steps(bytes.getLong(), "the balloon") : 0;
    return new SyntheticState(
        known(() -> config.withBalloon(balloonBytes)), List.copyOf(steps), balloonSteps);
  }

  private static SyntheticGuestConfig known(Supplier<SyntheticGuestConfig> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("device state: " + e.getMessage(), e);
    }
  }

  private static long steps(long done, String whose) {
    check(
        done >= 0 && done <= MAX_STEPS,
        "%s steps of %s, at most %d are possible",
        Long.toUnsignedString(done),
        whose,
        MAX_STEPS);
    return done;
  }

  @SuppressWarnings("AnnotateFormatMethod") // its annotation would be a library for three methods
  private static void check(boolean fine, String message, Object... values) {
    if (!fine) {
      throw new IllegalArgumentException("device state: " + message.formatted(values));
    }
  }
}
