// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.protocol.ProtocolException;

/** Streams of any source, in particular a complete one of QEMU 7.2. */
final class OpaqueStreamReaderTest {
  private static final String HEADER = "5145564d 00000003";
  private static final String CONFIGURATION = "07 00000002 7063";
  private static final String START = "01 00000007 03 72616d 00000000 00000004";
  private static final String LIST = "0000000000001004 01 61 0000000000001000";
  private static final String HOOK = "0000000000000080";
  private static final String EOS = "0000000000000010";
  private static final String FOOTER = "7e 00000007";
  private static final String PART = "02 00000007";
  private static final String END = "03 00000007";

  /** End of the recording's prefix, and beginning of its tail. */
  private static final int PREFIX = 26;

  private static final int TAIL = 115686;

  /** Records its calls. */
  private static final class Recording implements OpaqueStreamHandler {
    private final List<String> calls = new ArrayList<>();
    private final ByteArrayOutputStream tail = new ByteArrayOutputStream();
    private @Nullable StreamEnvelope envelope;

    @Override
    public void ramBlocks(@Nullable String machineType, List<BlockListing> blocks) {
      calls.add(machineType + " with " + blocks.size());
    }

    @Override
    public void hook(RamPhase phase) {
      calls.add("hook " + phase);
    }

    @Override
    public void ramComplete(StreamEnvelope surrounding) {
      calls.add("complete");
      envelope = surrounding;
    }

    @Override
    public void tail(InputStream rest) throws IOException {
      rest.transferTo(tail);
      calls.add("tail of " + tail.size());
    }

    StreamEnvelope envelope() {
      return Objects.requireNonNull(envelope);
    }
  }

  static byte[] recording() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            OpaqueStreamReaderTest.class.getResourceAsStream("qemu-7.2-pc-whole.stream"))) {
      return in.readAllBytes();
    }
  }

  private static Recording read(byte[] stream) throws IOException {
    var handler = new Recording();
    new OpaqueStreamReader(input(stream, 0)).read(handler);
    return handler;
  }

  /**
   * A stream that arrives in pieces, and does not report how much is left.
   *
   * @param seed of the lengths of the pieces; 0 for as many bytes as requested
   */
  private static InputStream input(byte[] bytes, long seed) {
    var random = new SplittableRandom(seed);
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int available() {
        return 0;
      }

      @Override
      public synchronized int read(byte[] into, int offset, int length) {
        return super.read(
            into, offset, seed == 0 || length == 0 ? length : 1 + random.nextInt(length));
      }
    };
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  @Test
  void recordedStream_isTakenApart() throws IOException {
    byte[] stream = recording();
    for (long seed = 0; seed < 20; seed++) {
      var handler = new Recording();
      new OpaqueStreamReader(input(stream, seed)).read(handler);

      assertThat(handler.calls)
          .startsWith("pc-i440fx-7.2 with 8", "hook SETUP")
          .endsWith("hook FINISH", "complete", "tail of " + TAIL);
      assertThat(handler.calls.subList(2, handler.calls.size() - 3)).containsOnly("hook ROUND");
      assertThat(handler.tail.toByteArray())
          .isEqualTo(Arrays.copyOfRange(stream, stream.length - TAIL, stream.length));
      assertThat(handler.envelope().prefix()).isEqualTo(Arrays.copyOf(stream, PREFIX));
      assertThat(handler.envelope().ramSection()).isEqualTo(2);
      assertThat(handler.envelope().hasFooters()).isTrue();
    }
  }

  @Test
  void recordedStream_cutOffBeforeItsDevices_isRefused() throws IOException {
    byte[] stream = recording();
    for (int length = 0; length < stream.length - TAIL; length++) {
      byte[] cut = Arrays.copyOf(stream, length);
      assertThat(catchThrowableOfType(ProtocolException.class, () -> read(cut)))
          .as("%d bytes", length)
          .isNotNull()
          .hasMessageContaining("cut off after");
    }
  }

  /** If any byte is changed, the stream is read differently or rejected with a sentence. */
  @Test
  void recordedStream_withOtherBytes_isReadOrRefused() throws IOException {
    byte[] stream = Arrays.copyOf(recording(), 800);
    var random = new SplittableRandom(9);
    for (int i = 0; i < 3000; i++) {
      byte[] changed = stream.clone();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      try {
        read(changed);
      } catch (ProtocolException e) {
        assertThat(e.getMessage())
            .matches("[^\\p{Cntrl}]+ is [^\\p{Cntrl}]* must be [^\\p{Cntrl}]+");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void machineTypesOfAnyAge_areUnderstood(boolean configured, boolean footers) throws IOException {
    String footer = footers ? FOOTER : "";
    String prefix = HEADER + (configured ? CONFIGURATION : "");
    String stream =
        prefix + START + LIST + HOOK + EOS + footer + PART + HOOK + EOS + footer + END + HOOK + EOS
            + footer + "00";
    Recording handler = read(hex(stream));
    assertThat(handler.calls)
        .containsExactly(
            (configured ? "pc" : "null") + " with 1",
            "hook SETUP",
            "hook ROUND",
            "hook FINISH",
            "complete",
            "tail of 1");
    assertThat(handler.envelope().prefix()).isEqualTo(hex(prefix));
    assertThat(handler.envelope().ramSection()).isEqualTo(7);
    assertThat(handler.envelope().hasFooters()).isEqualTo(footers);
    assertThat(handler.envelope().needsDescription()).isEqualTo(configured || footers);
  }

  @Test
  void uuidAndPageBits_arePassedOn() throws IOException {
    String prefix =
        HEADER
            + CONFIGURATION
            + "05 1e" // configuration/target-page-bits
            + HexFormat.of()
                .formatHex("configuration/target-page-bits".getBytes(StandardCharsets.US_ASCII))
            + "00000001 0000000c"
            + "05 12"
            + HexFormat.of().formatHex("configuration/uuid".getBytes(StandardCharsets.US_ASCII))
            + "00000001 000102030405060708090a0b0c0d0e0f";
    Recording handler = read(hex(prefix + START + LIST + HOOK + EOS + END + HOOK + EOS + "00"));
    assertThat(handler.envelope().prefix()).isEqualTo(hex(prefix));
  }

  /** Else a source could fill the memory of a destination before it says what guest it has. */
  @ParameterizedTest
  @CsvSource({
    "configuration/uuid, 000102030405060708090a0b0c0d0e0f",
    "configuration/target-page-bits, 0000000c",
    "configuration/capabilities, 00000000"
  })
  void subsectionThatIsRepeated_isRefusedAtOnce(String name, String content) throws IOException {
    String subsection =
        "05 %02x %s 00000001 %s"
            .formatted(
                name.length(),
                HexFormat.of().formatHex(name.getBytes(StandardCharsets.US_ASCII)),
                content);
    byte[] stream = hex(HEADER + CONFIGURATION + subsection.repeat(1000));
    InputStream in = input(stream, 0);
    assertThat(
            catchThrowableOfType(
                ProtocolException.class, () -> new OpaqueStreamReader(in).read(new Recording())))
        .isNotNull()
        .hasMessageContaining("two of " + name);
    assertThat(stream.length - in.readAllBytes().length).isLessThan(200);
  }

  @ParameterizedTest
  @CsvSource({
    "08 0001 0000, switch the capabilities return-path",
    "08 0003 0010, switch the capabilities postcopy-ram and dirty-bitmaps off",
    "08 0008 0000, switch the capability x-colo off",
    "08 000b 0000, absent here",
    "01 00000002 05 626c6f636b 00000000 00000001, migrate without disks",
    "01 00000002 0c 64697274792d6269746d6170 00000000 00000001, capability dirty-bitmaps off",
    "01 00000002 04 76666e6f 00000000 00000001, must be ram",
    "04 00000002, must be 0x01 (START)",
    "05 1a 636f6e66696775726174696f6e2f6361706162696c6974696573 00000001 00000001"
        + " 0f 782d69676e6f72652d736861726564, x-ignore-shared",
    "05 1e 636f6e66696775726174696f6e2f7461726765742d706167652d62697473 00000001 00000010,"
        + " only machines with pages of 4096 bytes",
  })
  void whatCannotBeCaptured_isRefusedWithAdvice(String then, String advice) {
    assertThat(
            catchThrowableOfType(
                ProtocolException.class, () -> read(hex(HEADER + CONFIGURATION + then))))
        .isNotNull()
        .hasMessageContaining(advice);
  }

  @Test
  void pagesInTheStream_areRefused() {
    assertThat(
            catchThrowableOfType(
                ProtocolException.class,
                () -> read(hex(HEADER + CONFIGURATION + START + LIST + "0000000000000002"))))
        .isNotNull()
        .hasMessageContaining("HOOK");
  }
}
