// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.protocol.ProtocolException;

/** The commands of a stream, in every reader of streams. */
final class StreamCommandTest {
  private static final String SWITCHOVER = "08 000b 0000";
  private static final String SECTION = "00000007";
  private static final String BEGIN = "5145564d 00000003" + "07 00000002 7063";
  private static final String START = "01" + SECTION + "03 72616d 00000000 00000004";
  private static final String LIST = "0000000000001004 01 61 0000000000001000";
  private static final String EOS = "0000000000000010" + "7e" + SECTION;
  private static final String PART = "02" + SECTION;
  private static final String END = "03" + SECTION;
  private static final String REST = "00" + "06 00000002 7b7d";

  @TempDir private Path folder;

  /** A reader, and what its streams have in their ram section. */
  enum Reader {
    OPAQUE("", LIST, "0000000000000080") {
      @Override
      void read(byte[] stream, Path folder) throws IOException {
        StreamInputs.readOpaque(stream);
      }
    },
    OURS("", LIST, "0000000000000080") {
      @Override
      void read(byte[] stream, Path folder) throws IOException {
        StreamInputs.read(stream);
      }
    },
    SAVED("", LIST, "") {
      @Override
      void read(byte[] stream, Path folder) throws IOException {
        StreamInputs.readSaved(Files.write(folder.resolve("saved"), stream));
      }
    },
    MACHINE(
        "05 1a"
            + HexFormat.of()
                .formatHex("configuration/capabilities".getBytes(StandardCharsets.US_ASCII))
            + "00000001 00000001 0f"
            + HexFormat.of().formatHex("x-ignore-shared".getBytes(StandardCharsets.US_ASCII)),
        LIST + "0000000000000000",
        "") {
      @Override
      void read(byte[] stream, Path folder) throws IOException {
        var reader = new MachineStreamReader(new ByteArrayInputStream(stream), (_, _, _) -> {});
        var _ = reader.readBeginning();
        reader.readRam();
      }
    };

    private final String capabilities;
    private final String list;
    private final String hook;

    Reader(String capabilities, String list, String hook) {
      this.capabilities = capabilities;
      this.list = list;
      this.hook = hook;
    }

    abstract void read(byte[] stream, Path folder) throws IOException;

    /**
     * A stream with three parts and an end.
     *
     * @param commands what is inserted: before START, before each PART, and before END
     */
    byte[] stream(String... commands) {
      var text = new StringBuilder(BEGIN).append(capabilities).append(commands[0]);
      text.append(START).append(list).append(hook).append(EOS);
      for (int part = 1; part <= 3; part++) {
        text.append(commands[part]).append(PART).append(hook).append(EOS);
      }
      text.append(commands[4]).append(END).append(hook).append(EOS).append(REST);
      return HexFormat.of().parseHex(text.toString().replace(" ", ""));
    }
  }

  /** A stream of our own format with the command. */
  static byte[] told() {
    return Reader.OURS.stream("", "", "", "", SWITCHOVER);
  }

  private @Nullable String refusal(Reader reader, byte[] stream) {
    Throwable thrown = catchThrowable(() -> reader.read(stream, folder));
    if (thrown != null) {
      assertThat(thrown).isInstanceOf(ProtocolException.class);
      return thrown.getMessage();
    }
    return null;
  }

  @ParameterizedTest
  @EnumSource
  void switchoverStart_isAcceptedBeforeTheEndOfRam_andOnlyThereAndOnce(Reader reader) {
    for (int places = 0; places < 1 << 5; places++) {
      String[] commands = new String[5];
      for (int place = 0; place < commands.length; place++) {
        commands[place] = (places >> place & 1) == 0 ? "" : SWITCHOVER;
      }
      String why = refusal(reader, reader.stream(commands));
      if (places == 0 || places == 1 << 4) {
        assertThat(why).as("%s %s", reader, Arrays.toString(commands)).isNull();
      } else {
        assertThat(why)
            .as("%s %s", reader, Arrays.toString(commands))
            .containsAnyOf("11 (SWITCHOVER_START)", "END of the ram section");
      }
    }
    String twice = refusal(reader, reader.stream("", "", "", "", SWITCHOVER + SWITCHOVER));
    assertThat(twice).contains("11 (SWITCHOVER_START)");
  }

  /** QEMU sends no PART if nothing is left after the list of blocks. */
  @ParameterizedTest
  @EnumSource
  void switchoverStart_isAcceptedWithoutAnyPart(Reader reader) {
    String text =
        BEGIN
            + reader.capabilities
            + START
            + reader.list
            + reader.hook
            + EOS
            + SWITCHOVER
            + END
            + reader.hook
            + EOS
            + REST;
    assertThat(refusal(reader, HexFormat.of().parseHex(text.replace(" ", "")))).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void switchoverStart_withALength_isRefused(Reader reader) {
    assertThat(refusal(reader, reader.stream("", "", "", "", "08 000b 0001 00")))
        .isEqualTo("length of the command SWITCHOVER_START is 1; it must be 0");
  }

  /** What follows the device states belongs to no reader but ours. */
  @ParameterizedTest
  @ValueSource(strings = {SWITCHOVER, "08 0001 0000"})
  void commandAmongOurDevices_isRefused(String command) {
    String stream =
        HexFormat.of().formatHex(Reader.OURS.stream("", "", "", "", "")).replace(" ", "");
    String rest = REST.replace(" ", "");
    String with = stream.replace(rest, command.replace(" ", "") + rest);
    assertThat(refusal(Reader.OURS, HexFormat.of().parseHex(with)))
        .startsWith("command in the migration stream is ");
  }

  @ParameterizedTest
  @EnumSource
  void streamThatEndsInTheCommand_isCutOff(Reader reader) {
    byte[] whole = reader.stream("", "", "", "", SWITCHOVER);
    byte[] command = HexFormat.of().parseHex(SWITCHOVER.replace(" ", ""));
    int at =
        IntStream.range(0, whole.length)
            .filter(i -> Arrays.mismatch(whole, i, whole.length, command, 0, 5) == 5)
            .findFirst()
            .orElseThrow();
    for (int length = at; length <= at + command.length; length++) {
      assertThat(refusal(reader, Arrays.copyOf(whole, length)))
          .contains("cut off after " + length + " bytes");
    }
  }

  /** Numbers and names: {@code enum qemu_vm_cmd}, migration/savevm.h. */
  @ParameterizedTest
  @CsvSource({
    "0000, 0 (INVALID), damaged",
    "0001, 1 (OPEN_RETURN_PATH), 'the capabilities return-path, postcopy-ram and switchover-ack'",
    "0002, 2 (PING), 'the capabilities return-path, postcopy-ram and switchover-ack off'",
    "0003, 3 (POSTCOPY_ADVISE), the capabilities postcopy-ram and dirty-bitmaps off",
    "0004, 4 (POSTCOPY_LISTEN), the capabilities postcopy-ram and dirty-bitmaps off",
    "0005, 5 (POSTCOPY_RUN), the capabilities postcopy-ram and dirty-bitmaps off",
    "0006, 6 (POSTCOPY_RAM_DISCARD), the capabilities postcopy-ram and dirty-bitmaps off",
    "0007, 7 (PACKAGED), the capabilities postcopy-ram and dirty-bitmaps off",
    "0008, 8 (ENABLE_COLO), the capability x-colo off",
    "0009, 9 (POSTCOPY_RESUME), the capabilities postcopy-ram and dirty-bitmaps off",
    "000a, 10 (RECV_BITMAP), the capabilities postcopy-ram and dirty-bitmaps off",
    "000c, 12 (unknown), no QEMU up to 11.1 sends",
    "ffff, 65535 (unknown), no QEMU up to 11.1 sends",
  })
  void otherCommands_areRefusedByNameAndNumber_whereverTheyCome(
      String number, String name, String advice) {
    for (Reader reader : Reader.values()) {
      for (int place = 0; place < 5; place++) {
        String[] commands = {"", "", "", "", ""};
        commands[place] = "08" + number + "0000";
        assertThat(refusal(reader, reader.stream(commands)))
            .as("%s at %d", reader, place)
            .startsWith("command in the migration stream is " + name)
            .contains(advice)
            .doesNotContain("\n");
      }
    }
  }

  /**
   * The streams of QEMU 10.0 and 11.1, {@code -machine pc} with shared RAM and x-ignore-shared, for
   * their own machine types; most pages and the end are left out.
   */
  @ParameterizedTest
  @ValueSource(strings = {"10.0", "11.1"})
  void streamsOfNewQemus_areRead(String version) throws IOException {
    byte[] stream = recorded(version);
    var in = new ByteArrayInputStream(stream);
    var reader = new MachineStreamReader(in, (_, _, _) -> {});
    MachineStreamReader.Beginning beginning = reader.readBeginning();
    assertThat(beginning.envelope().machineType()).isEqualTo("pc-i440fx-" + version);
    assertThat(beginning.blocks())
        .extracting(BlockListing::name)
        .startsWith("ram0", "0000:00:02.0/vga.vram")
        .hasSize(8);
    reader.readRam();
    byte[] rest = in.readAllBytes();
    assertThat(rest).hasSize(200).startsWith(StreamFormat.SECTION_FULL);
  }

  /** What a destination gets has no command: QEMU loads a stream without it. */
  @Test
  void command_isNotPartOfTheEnvelope() throws IOException {
    for (String version : List.of("10.0", "11.1")) {
      StreamEnvelope envelope =
          new MachineStreamReader(new ByteArrayInputStream(recorded(version)), (_, _, _) -> {})
              .readBeginning()
              .envelope();
      assertThat(envelope.prefix()).isEqualTo(StreamEnvelope.of("pc-i440fx-" + version).prefix());
    }
    var tail = new byte[1][];
    new OpaqueStreamReader(
            new ByteArrayInputStream(Reader.OPAQUE.stream("", "", "", "", SWITCHOVER)) {
              @Override
              public synchronized int available() {
                return 0;
              }
            })
        .read(
            new OpaqueStreamHandler() {
              @Override
              public void ramBlocks(@Nullable String machineType, List<BlockListing> blocks) {}

              @Override
              public void hook(RamPhase phase) {}

              @Override
              public void ramComplete(StreamEnvelope envelope) {}

              @Override
              public void tail(InputStream rest) throws IOException {
                tail[0] = rest.readAllBytes();
                rest.transferTo(OutputStream.nullOutputStream());
              }
            });
    assertThat(tail[0]).isEqualTo(HexFormat.of().parseHex(REST.replace(" ", "")));
  }

  private static byte[] recorded(String version) throws IOException {
    String name = "qemu-%s-pc-ignore-shared.stream".formatted(version);
    try (InputStream in =
        Objects.requireNonNull(StreamCommandTest.class.getResourceAsStream(name), name)) {
      return in.readAllBytes();
    }
  }
}
