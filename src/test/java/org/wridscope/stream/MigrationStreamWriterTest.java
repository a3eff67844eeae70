// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.stream.Messages.Script;

final class MigrationStreamWriterTest {
  private static final List<BlockListing> ONE = List.of(new BlockListing("pc.ram", 4096));

  /** The same bytes as QEMU 7.2 for the same machine, up to the HOOK of the first round. */
  @Test
  void setUp_sameMachine_isWhatQemuSends() throws IOException {
    byte[] recorded = RecordedStreamTest.recording();

    List<byte[]> messages =
        Messages.written(
                writer -> {
                  writer.header("pc-i440fx-7.2");
                  writer.ramStart(RecordedStreamTest.BLOCKS);
                  writer.ramEos();
                  writer.ramPart();
                })
            .asList();

    assertThat(messages).hasSize(2);
    assertThat(messages.get(0)).hasSize(250).isEqualTo(Arrays.copyOf(recorded, 250));
    assertThat(messages.get(1)).isEqualTo(Arrays.copyOfRange(recorded, 250, 276));
  }

  @Test
  void lastRound_andDevices_areLaidOutAsQemuDoes() throws IOException {
    List<byte[]> messages =
        Messages.written(
                writer -> {
                  writer.header("m");
                  writer.ramStart(ONE);
                  writer.ramEos();
                  writer.ramEnd();
                  writer.ramEos();
                  writer.device("dev", 1, 7, new byte[] {42, 43});
                  writer.end("{}");
                })
            .asList();

    assertThat(messages).hasSize(3);
    assertThat(messages.get(1))
        .isEqualTo(hex("0000000000000010 7e 00000002 03 00000002 0000000000000080"));
    assertThat(messages.get(2))
        .isEqualTo(
            hex(
                "0000000000000010 7e 00000002"
                    + "04 00000003 03 646576 00000001 00000007 00000002 2a2b 7e 00000003"
                    + "00 06 00000002 7b7d"));
  }

  /** QEMU starts a guest also if the description after EOF is lost. */
  @ParameterizedTest
  @CsvSource({
    "2a2b00, 3",
    "2a2b 00 06 00000002 7b7d, 3",
    "2a2b 00 06 00000003 7b7d, 10",
    "00 00 06 00000002 7b7d, 2"
  })
  void loadable_isUpToEof(String rest, int expected) throws IOException {
    MigrationStreamWriter writer = writer();
    upToDevices(writer);
    long before = writer.loadable();
    writer.rest(hex(rest));

    byte[] ram =
        Messages.written(
                like -> {
                  upToDevices(like);
                  like.rest(new byte[0]);
                })
            .bytes();
    assertThat(before).isEqualTo(Long.MAX_VALUE);
    assertThat(writer.loadable()).isEqualTo(ram.length + expected);
  }

  @Test
  void device_severalOfThem_haveSectionIdsOfTheirOwn() throws IOException {
    ByteBuffer tail =
        ByteBuffer.wrap(
            Messages.written(
                    writer -> {
                      upToDevices(writer);
                      writer.device("a", 0, 1, new byte[0]);
                      writer.device("b", 0, 1, new byte[0]);
                      writer.end("{}");
                    })
                .asList()
                .getLast());

    assertThat(tail.getInt(13 + 1)).isEqualTo(3);
    assertThat(tail.getInt(13 + 24 + 1)).isEqualTo(4);
  }

  /** The members that QEMU's scripts/analyze-migration.py reads. */
  @Test
  void vmDescription_ofTheDevices_hasQemusShape() throws IOException {
    String[] json = new String[1];
    Messages.written(writer -> {
      upToDevices(writer);
      writer.device("wridscope/guest", 0, 3, new byte[100]);
      writer.device("a \"quoted\" <name>", -1, 1, new byte[0]);
      json[0] = writer.vmDescription();
    });

    JsonObject description = JsonParser.parseString(json[0]).getAsJsonObject();
    assertThat(description.keySet()).containsExactly("page_size", "devices");
    assertThat(description.get("page_size").getAsInt()).isEqualTo(4096);
    JsonArray devices = description.getAsJsonArray("devices");
    assertThat(devices.get(0))
        .hasToString(
            "{\"name\":\"wridscope/guest\",\"instance_id\":0,\"vmsd_name\":\"wridscope/guest\","
                + "\"version\":3,\"fields\":[{\"name\":\"length\",\"type\":\"uint32\",\"size\":4},"
                + "{\"name\":\"body\",\"type\":\"buffer\",\"size\":100}]}");
    JsonObject second = devices.get(1).getAsJsonObject();
    assertThat(second.get("name").getAsString()).isEqualTo("a \"quoted\" <name>");
    assertThat(second.get("instance_id").getAsLong()).isEqualTo(0xffff_ffffL);
    assertThat(devices).hasSize(2);
  }

  @Test
  void end_otherThanAscii_countsBytes() throws IOException {
    byte[] last =
        Messages.written(
                writer -> {
                  upToDevices(writer);
                  writer.end("{\"\u00e4\":1}");
                })
            .asList()
            .getLast();

    assertThat(ByteBuffer.wrap(last).getInt(13 + 2)).isEqualTo(8).isEqualTo(last.length - 19);
    assertThat(new String(last, 19, 8, StandardCharsets.UTF_8)).isEqualTo("{\"\u00e4\":1}");
  }

  @Test
  void calls_outOfOrder_throw() {
    assertIllegal(writer -> writer.ramStart(ONE));
    assertIllegal(writer -> writer.ramEos());
    assertIllegal(writer -> {
      writer.header("m");
      writer.header("m");
    });
    assertIllegal(writer -> {
      writer.header("m");
      writer.ramStart(ONE);
      writer.ramPart();
    });
    assertIllegal(writer -> {
      writer.header("m");
      writer.ramStart(ONE);
      writer.ramEos();
      writer.device("d", 0, 1, new byte[0]);
    });
    assertIllegal(writer -> {
      upToDevices(writer);
      writer.ramPart();
    });
    assertIllegal(writer -> {
      upToDevices(writer);
      writer.end("{}");
      writer.end("{}");
    });
  }

  @Test
  void ramStart_listThatNobodyCouldRead_throws() {
    assertThatIllegalArgumentException().isThrownBy(() -> start(List.of()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start(Collections.nCopies(2, ONE.getFirst())))
        .withMessageContaining("pc.ram");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start(Collections.nCopies(16_384, ONE.getFirst())))
        .withMessageContaining("16383");
  }

  @ParameterizedTest
  @CsvSource({"'', 4096", "r\u00e4m, 4096", "ram, 0", "ram, 4095", "ram, -4096"})
  void blockListing_badNameOrLength_throws(String name, long length) {
    assertThatIllegalArgumentException().isThrownBy(() -> new BlockListing(name, length));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 256})
  void names_tooShortOrTooLong_throw(int length) {
    String name = "x".repeat(length);
    assertThatIllegalArgumentException().isThrownBy(() -> new BlockListing(name, 4096));
    assertThatIllegalArgumentException().isThrownBy(() -> writer().header(name));
    assertThatIllegalArgumentException().isThrownBy(() -> writer().device(name, 0, 0, new byte[0]));
  }

  @Test
  void device_tooLong_throws() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> writer().device("d", 0, 0, new byte[(16 << 20) + 1]))
        .withMessageContaining("16777217");
  }

  static void upToDevices(MigrationStreamWriter writer) throws IOException {
    writer.header("m");
    writer.ramStart(ONE);
    writer.ramEos();
    writer.ramEnd();
    writer.ramEos();
  }

  private static void start(List<BlockListing> blocks) throws IOException {
    MigrationStreamWriter writer = writer();
    writer.header("m");
    writer.ramStart(blocks);
  }

  private static MigrationStreamWriter writer() {
    return new MigrationStreamWriter(OutputStream.nullOutputStream());
  }

  private static void assertIllegal(Script script) {
    assertThatIllegalStateException().isThrownBy(() -> Messages.written(script));
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits.replace(" ", ""));
  }
}
