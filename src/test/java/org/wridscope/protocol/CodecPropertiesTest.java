// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.wridscope.protocol.Rejections.assertNamesAllThree;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.protocol.InquiryAnswer.Outcome;

/** Properties of every codec: round trips, truncated input, and arbitrary bytes. */
final class CodecPropertiesTest {
  private static final long SEED = 20_260_519;
  private static final int ROUNDS = 2_000;

  interface Decoder<T> {
    /** The length is that of a header or a work completion, not of the buffer. */
    T decode(ByteBuffer buffer, int length) throws ProtocolException;
  }

  record Codec<T>(
      String name,
      Function<RandomGenerator, T> generator,
      BiConsumer<T, ByteBuffer> encoder,
      Decoder<T> decoder) {

    byte[] encode(T value) {
      ByteBuffer buffer = ByteBuffer.allocate(1024);
      encoder.accept(value, buffer);
      byte[] bytes = new byte[buffer.flip().remaining()];
      buffer.get(bytes);
      return bytes;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Codec<?>> codecs() {
    return Stream.of(
        new Codec<>(
            "control header",
            CodecPropertiesTest::header,
            ControlHeader::encode,
            // With the length of the header, without which most input is rejected at once.
            (b, n) -> ControlHeader.decode(b, b.remaining() < 4 ? n : b.getInt(b.position()) + 16)),
        new Codec<>(
            "capabilities",
            r -> new Capabilities(r.nextInt(), r.nextInt()),
            Capabilities::encode,
            (b, n) -> Capabilities.decode(b)),
        new Codec<>(
            "migration id",
            CodecPropertiesTest::migrationId,
            MigrationId::encode,
            (b, n) -> MigrationId.decode(b)),
        new Codec<>(
            "migration secret",
            r -> new MigrationSecret(r.nextLong() | 1, r.nextLong()),
            MigrationSecret::encode,
            (b, n) -> MigrationSecret.decode(b)),
        new Codec<>(
            "inquiry answer",
            r -> new InquiryAnswer(migrationId(r), Outcome.values()[r.nextInt(3)]),
            InquiryAnswer::encode,
            (b, n) -> InquiryAnswer.decode(b)),
        new Codec<>(
            "register",
            r -> new RegisterCommand(r.nextLong(), block(r), chunk(r)),
            RegisterCommand::encode,
            (b, n) -> RegisterCommand.decode(b)),
        new Codec<>(
            "register result",
            r -> new RegisterResult(r.nextInt() | 1, r.nextLong()),
            RegisterResult::encode,
            (b, n) -> RegisterResult.decode(b)),
        new Codec<>(
            "compress",
            r -> new CompressCommand(r.nextInt(256), block(r), r.nextLong(), length(r)),
            CompressCommand::encode,
            (b, n) -> CompressCommand.decode(b)),
        new Codec<>(
            "unregister",
            r -> new UnregisterCommand(chunk(r), block(r), chunk(r)),
            UnregisterCommand::encode,
            (b, n) -> UnregisterCommand.decode(b)),
        new Codec<>(
            "remote blocks",
            r -> Stream.generate(() -> remoteBlock(r)).limit(r.nextInt(1, 9)).toList(),
            RemoteBlock::encodeList,
            (b, n) -> RemoteBlock.decodeList(b, n, n / 32)),
        new Codec<DigestList>(
            "digests",
            r -> new DigestList(Stream.generate(() -> digest(r)).limit(r.nextInt(1, 9)).toList()),
            DigestList::encode,
            DigestList::decode));
  }

  @ParameterizedTest
  @MethodSource("codecs")
  <T> void whatIsEncodedIsDecoded(Codec<T> codec) throws ProtocolException {
    RandomGenerator random = new SplittableRandom(SEED);
    for (int i = 0; i < ROUNDS; i++) {
      T value = codec.generator().apply(random);
      int start = random.nextInt(64);
      ByteBuffer buffer = ByteBuffer.allocate(1024).position(start);

      codec.encoder().accept(value, buffer);
      int end = buffer.position();
      buffer.position(start);

      assertThat(codec.decoder().decode(buffer, end - start))
          .as("%s, seed %d, round %d", codec, SEED, i)
          .isEqualTo(value);
      assertThat(buffer.position()).as("position behind %s", codec).isEqualTo(end);
    }
  }

  @ParameterizedTest
  @MethodSource("codecs")
  <T> void whatIsCutOffIsRejected(Codec<T> codec) {
    RandomGenerator random = new SplittableRandom(SEED);
    byte[] bytes = codec.encode(codec.generator().apply(random));
    for (int cut = 0; cut < bytes.length; cut++) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, cut);
      assertThatExceptionOfType(ProtocolException.class)
          .as("%s cut off at %d, seed %d", codec, cut, SEED)
          .isThrownBy(() -> codec.decoder().decode(buffer, bytes.length))
          .satisfies(Rejections::assertNamesAllThree);
    }
  }

  @ParameterizedTest
  @MethodSource("codecs")
  <T> void anyBytesAreDecodedOrRejected(Codec<T> codec) {
    RandomGenerator random = new SplittableRandom(SEED);
    int rejected = 0;
    for (int i = 0; i < ROUNDS; i++) {
      byte[] bytes = new byte[random.nextInt(100)];
      random.nextBytes(bytes);
      int length = random.nextBoolean() ? bytes.length : random.nextInt();
      rejected += decodesOrRejects(codec, bytes, length, i) ? 0 : 1;
    }
    assertThat(rejected).as("%s, seed %d: rejected", codec, SEED).isPositive();
  }

  @ParameterizedTest
  @MethodSource("codecs")
  <T> void changedBytesAreDecodedOrRejected(Codec<T> codec) {
    RandomGenerator random = new SplittableRandom(SEED);
    int decoded = 0;
    for (int i = 0; i < ROUNDS; i++) {
      byte[] bytes = codec.encode(codec.generator().apply(random));
      for (int change = random.nextInt(1, 4); change > 0; change--) {
        // Extremes, where signs change and sums overflow.
        byte[] extremes = {0, 1, -1, 127, -128, (byte) random.nextInt()};
        bytes[random.nextInt(bytes.length)] = extremes[random.nextInt(extremes.length)];
      }
      decoded += decodesOrRejects(codec, bytes, bytes.length, i) ? 1 : 0;
    }
    assertThat(decoded).as("%s, seed %d: decoded", codec, SEED).isPositive();
  }

  /** Every decoded value must be encoded to the same bytes. */
  private static <T> boolean decodesOrRejects(Codec<T> codec, byte[] bytes, int length, int round) {
    String context =
        "%s, seed %d, round %d: %s".formatted(codec, SEED, round, HexFormat.of().formatHex(bytes));
    T value;
    try {
      value = codec.decoder().decode(ByteBuffer.wrap(bytes), length);
    } catch (ProtocolException e) {
      assertNamesAllThree(e);
      return false;
    } catch (RuntimeException e) {
      throw new AssertionError(context, e);
    }
    byte[] again = codec.encode(value);
    try {
      assertThat(codec.decoder().decode(ByteBuffer.wrap(again), again.length))
          .as(context)
          .isEqualTo(value);
    } catch (ProtocolException e) {
      throw new AssertionError(context, e);
    }
    return true;
  }

  private static ControlHeader header(RandomGenerator random) {
    List<ControlType> types =
        Stream.of(ControlType.values()).filter(t -> t != ControlType.NONE).toList();
    ControlType type = types.get(random.nextInt(types.size()));
    return new ControlHeader(
        random.nextInt(ControlHeader.MAX_PAYLOAD + 1),
        type,
        type == ControlType.QEMU_FILE ? 1 : random.nextInt(ControlHeader.MAX_REPEAT + 1));
  }

  private static MigrationId migrationId(RandomGenerator random) {
    return new MigrationId(random.nextLong(), random.nextLong() | 1);
  }

  /** An address in the lower half, so that any length fits above it. */
  private static RemoteBlock remoteBlock(RandomGenerator random) {
    return new RemoteBlock(
        random.nextLong() >>> 1, random.nextLong() >>> 1, length(random), random.nextInt());
  }

  private static DigestEntry digest(RandomGenerator random) {
    byte[] digest = new byte[32];
    random.nextBytes(digest);
    return new DigestEntry(length(random), HexFormat.of().formatHex(digest));
  }

  private static int block(RandomGenerator random) {
    return random.nextInt(RemoteBlock.MAX_BLOCKS);
  }

  private static long chunk(RandomGenerator random) {
    return random.nextLong(WorkRequestId.MAX_CHUNK + 1);
  }

  private static long length(RandomGenerator random) {
    return random.nextLong(1, Long.MAX_VALUE);
  }
}
