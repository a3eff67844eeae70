// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.protocol.ProtocolException;

final class MigrationStreamReaderTest {
  private static final long SEED = 20_260_520;

  // The parts of a valid stream, from which invalid ones are made.
  private static final String HEADER = "5145564d 00000003";
  private static final String CONFIGURATION = "07 00000002 7063";
  private static final String START = "01 00000002 03 72616d 00000000 00000004";
  private static final String BLOCK_A = "01 61 0000000000001000";
  private static final String BLOCK_B = "01 62 0000000000002000";
  private static final String LIST = "0000000000003004" + BLOCK_A + BLOCK_B;
  private static final String HOOK = "0000000000000080";
  private static final String EOS = "0000000000000010";
  private static final String FOOTER = "7e 00000002";
  private static final String PART = "02 00000002";
  private static final String END = "03 00000002";
  private static final String DEVICE = "04 00000003 01 64 00000000 00000001 00000001 2a";
  private static final String DEVICE_FOOTER = "7e 00000003";
  private static final String DESCRIPTION = "06 00000002 7b7d";

  private static final String UP_TO_LIST = HEADER + CONFIGURATION + START;
  private static final String SETUP = UP_TO_LIST + LIST + HOOK + EOS + FOOTER;
  private static final String RAM = SETUP + END + HOOK + EOS + FOOTER;
  private static final String WHOLE = RAM + DEVICE + DEVICE_FOOTER + "00" + DESCRIPTION;

  @Test
  void read_wholeStream_tellsTheHandlerInOrder() throws IOException {
    assertThat(read(hex(WHOLE)).calls)
        .containsExactly(
            "machine pc",
            "blocks 2",
            "hook SETUP",
            "hook FINISH",
            RecordingHandler.deviceCall("d", 0, 1, new byte[] {42}));
  }

  @Test
  void read_whatTheWriterWrites_comesBack() throws IOException {
    RandomGenerator random = new SplittableRandom(SEED);
    for (int i = 0; i < 200; i++) {
      List<String> expected = new ArrayList<>();
      List<BlockListing> blocks = blocks(random, random.nextInt(1, 20));
      Messages messages =
          Messages.written(writer -> {
            expected.add("machine pc-q35-7.2");
            expected.add("blocks " + blocks.size());
            expected.add("hook SETUP");
            writer.header("pc-q35-7.2");
            writer.ramStart(blocks);
            writer.ramEos();
            for (int round = random.nextInt(4); round > 0; round--) {
              expected.add("hook ROUND");
              writer.ramPart();
              writer.ramEos();
            }
            expected.add("hook FINISH");
            writer.ramEnd();
            writer.ramEos();
            for (int device = random.nextInt(4); device > 0; device--) {
              byte[] body = new byte[random.nextInt(40_000)];
              random.nextBytes(body);
              String name = name(random);
              int instance = random.nextInt();
              int version = random.nextInt();
              expected.add(RecordingHandler.deviceCall(name, instance, version, body));
              writer.device(name, instance, version, body);
            }
            writer.end(writer.vmDescription());
          });
      RecordingHandler handler = new RecordingHandler();

      new MigrationStreamReader(messages.input()).read(handler);

      assertThat(handler.calls).as("seed %d, round %d", SEED, i).isEqualTo(expected);
      assertThat(handler.blocks).as("seed %d, round %d", SEED, i).isEqualTo(blocks);
    }
  }

  /** At a HOOK no more of the stream is requested until the registration loop has ended. */
  @Test
  void read_atAHook_hasNotAskedForTheNextMessage() throws IOException {
    Messages messages =
        Messages.written(writer -> {
          writer.header("m");
          writer.ramStart(List.of(new BlockListing("a", 4096)));
          writer.ramEos();
          writer.ramPart();
          writer.ramEos();
          writer.ramEnd();
          writer.ramEos();
          writer.device("d", 0, 1, new byte[10]);
          writer.end("{}");
        });
    Messages.Input input = messages.input();
    List<Integer> opened = new ArrayList<>();

    new MigrationStreamReader(input)
        .read(
            new StreamHandler() {
              @Override
              public void machine(String machineType) {}

              @Override
              public void ramBlocks(List<BlockListing> blocks) {}

              @Override
              public void hook(RamPhase phase) {
                opened.add(input.opened());
                assertThat(input.available()).as("left at %s", phase).isZero();
              }

              @Override
              public void device(String idstr, int instance, int version, byte[] body) {}
            });

    assertThat(opened).containsExactly(1, 2, 3);
    assertThat(input.opened()).isEqualTo(4);
  }

  @Test
  void read_asManyBlocksAsFit_areListed() throws IOException {
    List<BlockListing> blocks = new ArrayList<>();
    for (int i = 0; i < 16_383; i++) {
      blocks.add(new BlockListing("block" + i, 4096));
    }
    Messages messages =
        Messages.written(writer -> {
          writer.header("m");
          writer.ramStart(blocks);
          writer.ramEos();
          writer.ramEnd();
          writer.ramEos();
          writer.end("{}");
        });
    RecordingHandler handler = new RecordingHandler();

    new MigrationStreamReader(messages.input()).read(handler);

    assertThat(handler.blocks).isEqualTo(blocks);
  }

  @Test
  void read_oneBlockTooMany_isRejected() {
    StringBuilder list = new StringBuilder("%016x".formatted(16_384L * 4096 | 4));
    for (int i = 0; i < 16_384; i++) {
      list.append("05")
          .append(HexFormat.of().formatHex(utf8("%05d".formatted(i))))
          .append("0000000000001000");
    }
    assertRejected(UP_TO_LIST + list, "number of RAM blocks", "more than 16383", "1 to 16383");
  }

  @Test
  void read_largestDevice_comesBack() throws IOException {
    byte[] body = new byte[16 << 20];
    Arrays.fill(body, (byte) 7);
    Messages messages =
        Messages.written(writer -> {
          MigrationStreamWriterTest.upToDevices(writer);
          writer.device("d", 0, 1, body);
          writer.end(writer.vmDescription());
        });
    assertThat(read(messages.bytes()).calls)
        .last()
        .isEqualTo(RecordingHandler.deviceCall("d", 0, 1, body));
  }

  /** A length of four bytes must not make the reader allocate sixteen million. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        RAM + "04 00000003 01 64 00000000 00000001 01000000 2a",
        RAM + "00 06 01000000 7b",
      })
  void read_lengthWithoutBytes_allocatesNothingOfThatSize(String stream) {
    byte[] bytes = hex(stream);
    assertThat(rejection(bytes)).isNotNull();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long before = threads.getCurrentThreadAllocatedBytes();
    ProtocolException e = rejection(bytes);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(e.value())
        .isEqualTo("cut off after %d bytes of the migration stream".formatted(bytes.length));
    assertThat(allocated).isLessThan(1 << 20);
  }

  @Test
  void read_streamCutOffAnywhere_isRejected() throws IOException {
    byte[] whole = hex(WHOLE);
    for (int cut = 0; cut < whole.length; cut++) {
      ProtocolException e = rejection(Arrays.copyOf(whole, cut));
      assertThat(e.value())
          .as("field %s", e.field())
          .isEqualTo("cut off after %d bytes of the migration stream".formatted(cut));
      assertThat(e.field()).isNotBlank();
    }
    read(whole);
  }

  @Test
  void read_changedStream_isReadOrRejected() {
    RandomGenerator random = new SplittableRandom(SEED);
    byte[] whole = hex(WHOLE);
    int accepted = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = whole.clone();
      for (int change = random.nextInt(1, 5); change > 0; change--) {
        byte[] extremes = {0, 1, -1, 127, -128, (byte) random.nextInt()};
        changed[random.nextInt(changed.length)] = extremes[random.nextInt(extremes.length)];
      }
      accepted += readsOrRejects(changed, i) ? 1 : 0;
    }
    assertThat(accepted).as("seed %d: accepted", SEED).isPositive();
  }

  @Test
  void read_noiseFromAnyByteOn_isReadOrRejected() {
    RandomGenerator random = new SplittableRandom(SEED);
    byte[] whole = hex(WHOLE);
    int rejected = 0;
    for (int i = 0; i < 5_000; i++) {
      byte[] noise = new byte[random.nextInt(1, 300)];
      random.nextBytes(noise);
      int valid = random.nextInt(whole.length);
      byte[] stream = Arrays.copyOf(whole, valid + noise.length);
      System.arraycopy(noise, 0, stream, valid, noise.length);
      rejected += readsOrRejects(stream, i) ? 0 : 1;
    }
    assertThat(rejected).as("seed %d: rejected", SEED).isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "00000000 00000003, magic of the migration stream, 0x00000000, 0x5145564d",
    "5145564d 00000002, version of the migration stream, 2, 3",
    "5145564d ffffffff, version of the migration stream, 4294967295, 3",
  })
  void read_otherHeader_isRejected(String stream, String field, String value, String limit) {
    assertRejected(stream, field, value, limit);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "01, section tag, 0x01 (START), 0x07 (CONFIGURATION)",
        "07 00000000, length of the machine type, 0, 1 to 255",
        "07 00000100, length of the machine type, 256, 1 to 255",
        "07 ffffffff, length of the machine type, 4294967295, 1 to 255",
        "07 00000002 7000, machine type, 'p\\x00', 1 to 255 characters of printable ASCII",
      })
  void read_otherConfiguration_isRejected(
      String configuration, String field, String value, String limit) {
    assertRejected(HEADER + configuration, field, value, limit);
  }

  @Test
  void read_capabilitiesInTheConfiguration_areRefusedByName() {
    String name = "configuration/capabilities";
    String hexName = HexFormat.of().formatHex(name.getBytes(StandardCharsets.US_ASCII));
    assertRejected(
        HEADER + CONFIGURATION + "05 1a" + hexName + "00000001",
        "subsection of the configuration",
        name,
        "absent: switch the capabilities x-ignore-shared and validate-uuid off at the source");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "04, section tag, 0x04 (FULL), 0x01 (START)",
        "99, section tag, 0x99 (unknown), 0x01 (START)",
        "01 00000002 05 626c6f636b 00000000 00000001, name of a section with parts, block,"
            + " `ram: migrate without disks (no blk, no inc, capability block off)`",
        "01 00000002 00, section name, '', 1 to 255 characters of printable ASCII",
        "01 00000002 03 72616d 00000001 00000004, instance of the ram section, 1, 0",
        "01 00000002 03 72616d 00000000 00000003, version of the ram section, 3, 4",
      })
  void read_otherStart_isRejected(String start, String field, String value, String limit) {
    assertRejected(HEADER + CONFIGURATION + start, field, value, limit);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "0000000000001008, record of the ram section, 0x1008, `MEM_SIZE, 0x4`",
        "0000000000001084, record of the ram section, 0x1084, `MEM_SIZE, 0x4`",
        "0000000000000080, record of the ram section, 0x80, `MEM_SIZE, 0x4`",
        "0000000000000004, sum of all RAM blocks, 0, 4096 to 9223372036854775807",
        "8000000000000004, sum of all RAM blocks, 9223372036854775808, 4096 to 9223372036854775807",
        "0000000000001004 00, name of RAM block 0, '', 1 to 255 characters of printable ASCII",
        "0000000000001004 01 80, name of RAM block 0, '\\x80', 1 to 255 characters of printable"
            + " ASCII",
        "0000000000001004 01 61 0000000000000000, length of RAM block a, 0, a positive multiple of"
            + " 4096",
        "0000000000001004 01 61 0000000000000fff, length of RAM block a, 4095,"
            + " a positive multiple of 4096",
        "0000000000001004 01 61 fffffffffffff000, length of RAM block a, 18446744073709547520,"
            + " a positive multiple of 4096",
        "0000000000001004 01 61 0000000000002000, length of RAM block a, 8192,"
            + " `at most 4096, the rest of the sum of all RAM blocks`",
        "0000000000003004 01 61 0000000000001000 01 61 0000000000002000, name of RAM block 1, a,"
            + " unique",
      })
  void read_otherList_isRejected(String list, String field, String value, String limit) {
    assertRejected(UP_TO_LIST + list, field, value, limit);
  }

  /** A page, a zero page, XBZRLE, the flush of multifd, and no record. */
  @ParameterizedTest
  @ValueSource(strings = {"8", "1002", "48", "200", "10", "1080"})
  void read_otherRecordThanHook_isRejected(String record) {
    String padded = "0".repeat(16 - record.length()) + record;
    assertRejected(
        UP_TO_LIST + LIST + padded, "record of the ram section", "0x" + record, "HOOK, 0x80");
    assertRejected(SETUP + PART + padded, "record of the ram section", "0x" + record, "HOOK, 0x80");
  }

  @Test
  void read_otherRecordThanEos_isRejected() {
    assertRejected(
        UP_TO_LIST + LIST + HOOK + HOOK, "record of the ram section", "0x80", "EOS, 0x10");
  }

  @ParameterizedTest
  @CsvSource({
    "02 00000003, section id, 3, '2, that of the ram section'",
    "03 fffffffe, section id, 4294967294, '2, that of the ram section'",
    "00, section tag, 0x00 (EOF), PART or END of the ram section",
    "01, section tag, 0x01 (START), PART or END of the ram section",
    "04, section tag, 0x04 (FULL), PART or END of the ram section",
  })
  void read_otherPart_isRejected(String part, String field, String value, String limit) {
    assertRejected(SETUP + part, field, value, limit);
  }

  @ParameterizedTest
  @CsvSource({
    "02, tag of the footer of the ram section, 0x02 (PART), 0x7e (FOOTER)",
    "7e 00000003, section id in the footer of the ram section, 3, 2",
  })
  void read_otherFooter_isRejected(String footer, String field, String value, String limit) {
    assertRejected(UP_TO_LIST + LIST + HOOK + EOS + footer, field, value, limit);
    assertRejected(SETUP + PART + HOOK + EOS + footer, field, value, limit);
  }

  @ParameterizedTest
  @CsvSource({
    "02, section tag, 0x02 (PART), a FULL section or EOF",
    "04 00000002, section id of a device, 2, different from that of the ram section",
    "04 00000003 01 64 00000000 00000001 01000001, length of the state of device d, 16777217,"
        + " '0 to 16777216, and QEMU''s device states have none'",
    "04 00000003 01 64 00000000 00000001 ffffffff, length of the state of device d, 4294967295,"
        + " '0 to 16777216, and QEMU''s device states have none'",
    "04 00000003 01 64 00000000 00000001 00000000 00, tag of the footer of device d, 0x00 (EOF),"
        + " 0x7e (FOOTER)",
    "04 00000003 01 64 00000000 00000001 00000000 7e 00000004,"
        + " section id in the footer of device d, 4, 3",
  })
  void read_otherDevice_isRejected(String device, String field, String value, String limit) {
    assertRejected(RAM + device, field, value, limit);
  }

  @ParameterizedTest
  @CsvSource({
    "00 00, section tag, 0x00 (EOF), 0x06 (VMDESCRIPTION)",
    "00 06 01000001, length of the description of the machine, 16777217, 0 to 16777216",
    "00 06 80000000, length of the description of the machine, 2147483648, 0 to 16777216",
  })
  void read_otherEnd_isRejected(String end, String field, String value, String limit) {
    assertRejected(RAM + end, field, value, limit);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{}{}",
        "[]",
        "1",
        "{\"a\"}",
        "{'a': 1}",
        "{a: 1}",
        "{} x",
        "{\"a\":1,}",
        "null"
      })
  void read_descriptionThatIsNoJsonObject_isRejected(String json) {
    ProtocolException e = rejection(hex(RAM + "00" + description(utf8(json))));
    assertThat(e.field()).isEqualTo("description of the machine");
    assertThat(e.limit()).isEqualTo("one JSON object");
  }

  @Test
  void read_descriptionThatIsNoUtf8_isRejected() {
    byte[] json = {'{', '"', (byte) 0xc3, '"', ':', '1', '}'};
    ProtocolException e = rejection(hex(RAM + "00" + description(json)));
    assertThat(e.field()).isEqualTo("description of the machine");
  }

  @Test
  void read_descriptionNestedWithoutEnd_isRejected() {
    byte[] json = utf8("{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}");
    ProtocolException e = rejection(hex(RAM + "00" + description(json)));
    assertThat(e.field()).isEqualTo("description of the machine");
  }

  @Test
  void read_bytesBehindTheEnd_areRejected() {
    ProtocolException e =
        catchThrowableOfType(
            ProtocolException.class,
            () ->
                new MigrationStreamReader(input(hex(WHOLE + "0000"), hex(RAM).length))
                    .read(new RecordingHandler()));
    assertThat(e).isNotNull();
    assertThat(e.field()).isEqualTo("number of bytes after the end of the migration stream");
    assertThat(e.value()).isEqualTo("2");
  }

  @Test
  void read_bytesBehindAHook_areRejected() {
    RecordingHandler handler = new RecordingHandler();
    ProtocolException e =
        catchThrowableOfType(
            ProtocolException.class,
            () -> new MigrationStreamReader(new ByteArrayInputStream(hex(WHOLE))).read(handler));
    assertThat(e).isNotNull();
    assertThat(e.field()).isEqualTo("number of bytes after HOOK");
    assertThat(handler.calls).containsExactly("machine pc", "blocks 2");
  }

  @Test
  void read_handlerThatThrows_endsThere() {
    IOException refusal = new IOException("other RAM");
    RecordingHandler calls = new RecordingHandler();
    IOException e =
        catchThrowableOfType(
            IOException.class,
            () ->
                new MigrationStreamReader(input(hex(WHOLE)))
                    .read(
                        new StreamHandler() {
                          @Override
                          public void machine(String machineType) {
                            calls.machine(machineType);
                          }

                          @Override
                          public void ramBlocks(List<BlockListing> blocks) throws IOException {
                            throw refusal;
                          }

                          @Override
                          public void hook(RamPhase phase) {
                            fail("was called after a refusal");
                          }

                          @Override
                          public void device(String idstr, int instance, int version, byte[] body) {
                            fail("was called after a refusal");
                          }
                        }));
    assertThat(e).isSameAs(refusal);
    assertThat(calls.calls).containsExactly("machine pc");
  }

  private static RecordingHandler read(byte[] stream) throws IOException {
    RecordingHandler handler = new RecordingHandler();
    new MigrationStreamReader(input(stream)).read(handler);
    return handler;
  }

  private static ProtocolException rejection(byte[] stream) {
    ProtocolException e = catchThrowableOfType(ProtocolException.class, () -> read(stream));
    if (e == null) {
      throw new AssertionError("was not rejected: " + HexFormat.of().formatHex(stream));
    }
    return e;
  }

  private static void assertRejected(String stream, String field, String value, String limit) {
    ProtocolException e = rejection(hex(stream));
    assertThat(e.field()).isEqualTo(field);
    assertThat(e.value()).isEqualTo(value);
    assertThat(e.limit()).isEqualTo(limit);
    assertThat(e).hasMessage("%s is %s; it must be %s", field, value, limit);
  }

  private static boolean readsOrRejects(byte[] stream, int round) {
    try {
      read(stream);
      return true;
    } catch (ProtocolException e) {
      return false;
    } catch (IOException | RuntimeException e) {
      throw new AssertionError(
          "seed %d, round %d: %s".formatted(SEED, round, HexFormat.of().formatHex(stream)), e);
    }
  }

  private static InputStream input(byte[] bytes) {
    return input(bytes, bytes.length);
  }

  /** As if each byte before that position were the last of its message. */
  private static InputStream input(byte[] bytes, int from) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int available() {
        return pos < from ? 0 : super.available();
      }
    };
  }

  private static List<BlockListing> blocks(RandomGenerator random, int count) {
    List<BlockListing> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      // The number keeps names unique.
      String name = i + name(random);
      blocks.add(
          new BlockListing(
              name.substring(0, Math.min(name.length(), 255)),
              random.nextLong(1, 1L << 38) * 4096));
    }
    return blocks;
  }

  private static String name(RandomGenerator random) {
    return random
        .ints(random.nextInt(1, 256), 0x20, 0x7f)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static String description(byte[] json) {
    return "06%08x".formatted(json.length) + HexFormat.of().formatHex(json);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits.replace(" ", ""));
  }
}
