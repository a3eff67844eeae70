// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Random changes of inputs; the same seed gives the same changes. */
final class Mutations {
  private static final int MAX_LENGTH = 1 << 14;

  /** Values at which signs change and sums overflow. */
  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    Byte.MAX_VALUE,
    Byte.MIN_VALUE,
    0xff,
    Short.MAX_VALUE,
    Short.MIN_VALUE,
    0xffff,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xffff_ffffL,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    4096,
    1 << 20
  };

  private final SplittableRandom random;
  private final List<byte[]> inputs;

  Mutations(long seed, List<byte[]> inputs) {
    this.random = new SplittableRandom(seed);
    this.inputs = inputs;
  }

  byte[] next() {
    byte[] input = any().clone();
    for (int changes = random.nextInt(1, 6); changes > 0; changes--) {
      input = change(input);
    }
    return input.length > MAX_LENGTH ? Arrays.copyOf(input, MAX_LENGTH) : input;
  }

  private byte[] any() {
    return inputs.get(random.nextInt(inputs.size()));
  }

  private byte[] change(byte[] input) {
    if (input.length == 0) {
      return new byte[] {(byte) random.nextInt()};
    }
    int at = random.nextInt(input.length);
    return switch (random.nextInt(7)) {
      case 0 -> {
        input[at] = (byte) random.nextInt();
        yield input;
      }
      case 1 -> {
        input[at] ^= (byte) (1 << random.nextInt(8));
        yield input;
      }
      case 2 -> number(input, at);
      case 3 -> Arrays.copyOf(input, at);
      case 4 -> joined(input, at, new byte[0], at + random.nextInt(input.length - at) + 1);
      case 5 -> joined(input, at, Arrays.copyOfRange(input, at, at + stretch(input, at)), at);
      default -> {
        byte[] other = any();
        int from = other.length == 0 ? 0 : random.nextInt(other.length);
        yield joined(input, at, Arrays.copyOfRange(other, from, other.length), input.length);
      }
    };
  }

  private int stretch(byte[] input, int at) {
    return random.nextInt(Math.min(64, input.length - at)) + 1;
  }

  /** Overwrites 1, 2, 4 or 8 bytes with an extreme value, big-endian. */
  private byte[] number(byte[] input, int at) {
    long value = EXTREMES[random.nextInt(EXTREMES.length)];
    int bytes = Math.min(1 << random.nextInt(4), input.length - at);
    for (int i = 0; i < bytes; i++) {
      input[at + i] = (byte) (value >>> (8 * (bytes - 1 - i)));
    }
    return input;
  }

  /** The input up to {@code to}, then {@code between}, then the input from {@code from} on. */
  private static byte[] joined(byte[] input, int to, byte[] between, int from) {
    byte[] joined = Arrays.copyOf(input, to + between.length + input.length - from);
    System.arraycopy(between, 0, joined, to, between.length);
    System.arraycopy(input, from, joined, to + between.length, input.length - from);
    return joined;
  }
}
