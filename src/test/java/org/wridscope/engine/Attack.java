// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;

/**
 * Something that a hostile peer sends instead of a message.
 *
 * @param malformed whether it is not a message in any case
 * @param instead returns no, one or several messages
 */
record Attack(String name, boolean malformed, Function<byte[], List<byte[]>> instead) {
  private static final int[] INTS = {0, 4097, Integer.MIN_VALUE, -1};
  private static final long[] LONGS = {Long.MAX_VALUE, Long.MIN_VALUE, -1};
  private static final long[] STEPS = {1, -4096, 1 << 20, 1L << 40};

  /** All attacks on a message, including the fields of its header and commands. */
  static List<Attack> on(byte[] message) {
    var attacks = new ArrayList<Attack>();
    attacks.add(new Attack("nothing", false, m -> List.of()));
    attacks.add(malformed("an empty message", m -> new byte[0]));
    attacks.add(malformed("random bytes", Attack::random));
    attacks.add(one("random bytes behind the header", Attack::randomPayload));
    attacks.add(malformed("half a header", m -> Arrays.copyOf(m, 7)));
    attacks.add(malformed("a message cut short", m -> Arrays.copyOf(m, m.length - 1)));
    attacks.add(malformed("a byte too many", m -> Arrays.copyOf(m, m.length + 1)));
    attacks.add(one("a command too many", m -> resized(m, 24)));
    attacks.add(
        malformed("a message that is too long", m -> new byte[ControlHeader.MAX_MESSAGE + 1]));
    attacks.add(new Attack("twice", false, m -> List.of(m, m)));
    attacks.add(new Attack("a flood", false, m -> Collections.nCopies(100, m)));
    attacks.add(
        new Attack(
            "a flood of heartbeats",
            false,
            m -> Collections.nCopies(100, TestPeer.message(ControlType.HEARTBEAT))));
    attacks.add(one("a long reason", m -> error(new byte[60_000])));
    attacks.add(one("a binary reason", m -> error(random(new byte[300]))));
    for (ControlType type : ControlType.values()) {
      attacks.add(one("as " + type, m -> with(m, b -> b.putInt(4, type.value()))));
      attacks.add(new Attack(type + " before", false, m -> List.of(TestPeer.message(type), m)));
    }
    for (int at = 0; at < Math.min(message.length - 3, 40); at += Integer.BYTES) {
      int offset = at;
      for (int value : INTS) {
        attacks.add(
            one("%d at byte %d".formatted(value, at), m -> with(m, b -> b.putInt(offset, value))));
      }
    }
    for (int at = ControlHeader.BYTES; at < Math.min(message.length - 7, 40); at += Long.BYTES) {
      int offset = at;
      for (long value : LONGS) {
        attacks.add(
            one("%d at byte %d".formatted(value, at), m -> with(m, b -> b.putLong(offset, value))));
      }
      for (long step : STEPS) {
        attacks.add(
            one(
                "%d more at byte %d".formatted(step, at),
                m -> with(m, b -> b.putLong(offset, b.getLong(offset) + step))));
      }
    }
    return attacks;
  }

  /** Flips some bits, always the same ones for the same seed. */
  static Attack flip(long seed) {
    return one(
        "bits flipped with seed " + seed,
        m -> {
          var random = new SplittableRandom(seed);
          byte[] flipped = m.clone();
          for (int i = random.nextInt(1, 4); i > 0; i--) {
            flipped[random.nextInt(m.length)] ^= (byte) (1 << random.nextInt(8));
          }
          return flipped;
        });
  }

  /** Attacks only the message with this index. */
  Tamper at(int attacked) {
    return (index, message) -> index == attacked ? instead.apply(message) : List.of(message);
  }

  @Override
  public String toString() {
    return name;
  }

  private static Attack one(String name, Function<byte[], byte[]> instead) {
    return new Attack(name, false, m -> List.of(instead.apply(m)));
  }

  private static Attack malformed(String name, Function<byte[], byte[]> instead) {
    return new Attack(name, true, m -> List.of(instead.apply(m)));
  }

  private interface Change {
    void apply(ByteBuffer buffer);
  }

  private static byte[] with(byte[] message, Change change) {
    byte[] changed = message.clone();
    change.apply(ByteBuffer.wrap(changed));
    return changed;
  }

  /** The message with more bytes and one more command, and a header that matches. */
  private static byte[] resized(byte[] message, int more) {
    byte[] longer = Arrays.copyOf(message, message.length + more);
    return with(
        longer, b -> b.putInt(0, longer.length - ControlHeader.BYTES).putInt(8, b.getInt(8) + 1));
  }

  private static byte[] error(byte[] reason) {
    return TestPeer.message(ControlType.ERROR, 1, payload -> payload.put(reason));
  }

  private static byte[] random(byte[] message) {
    byte[] bytes = new byte[message.length];
    new SplittableRandom(message.length).nextBytes(bytes);
    return bytes;
  }

  private static byte[] randomPayload(byte[] message) {
    byte[] bytes = random(message);
    System.arraycopy(message, 0, bytes, 0, ControlHeader.BYTES);
    return bytes;
  }
}
