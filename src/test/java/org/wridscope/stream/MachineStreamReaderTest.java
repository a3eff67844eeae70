// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;

final class MachineStreamReaderTest {
  private static final int SECTION = 2;

  private final List<String> pages = new ArrayList<>();

  @Test
  void readsRamThatIsNotShared_andLeavesTheRest() throws IOException {
    var in = new ByteArrayInputStream(stream("x-ignore-shared", "rest"));
    MachineStreamReader reader = reader(in);

    MachineStreamReader.Beginning beginning = reader.readBeginning();
    reader.readRam();

    assertThat(beginning.blocks())
        .containsExactly(new BlockListing("m", 1 << 20), new BlockListing("vga.vram", 8192));
    assertThat(beginning.envelope().machineType()).isEqualTo("pc-i440fx-7.2");
    assertThat(beginning.envelope().hasFooters()).isTrue();
    assertThat(pages).containsExactly("1 0 0", "1 4096 7", "1 0 9");
    assertThat(in.readAllBytes()).asString(StandardCharsets.US_ASCII).isEqualTo("rest");
  }

  /** A destination without the capability must not be told of it. */
  @Test
  void envelope_isThatOfAStreamWithoutTheCapability() throws IOException {
    byte[] prefix =
        reader(new ByteArrayInputStream(stream("x-ignore-shared", "")))
            .readBeginning()
            .envelope()
            .prefix();
    assertThat(prefix).isEqualTo(StreamEnvelope.of("pc-i440fx-7.2").prefix());
  }

  @Test
  void anotherCapability_isNamed() {
    assertThatThrownBy(
            () -> reader(new ByteArrayInputStream(stream("multifd", ""))).readBeginning())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("multifd");
  }

  @Test
  void streamThatIsCutOffAnywhere_isRefused() throws IOException {
    byte[] whole = stream("x-ignore-shared", "");
    for (int length = 0; length < whole.length; length++) {
      var in = new ByteArrayInputStream(whole, 0, length);
      assertThatThrownBy(
              () -> {
                MachineStreamReader reader = reader(in);
                var _ = reader.readBeginning();
                reader.readRam();
              })
          .as("%d bytes", length)
          .isInstanceOf(ProtocolException.class);
    }
  }

  private MachineStreamReader reader(ByteArrayInputStream in) {
    return new MachineStreamReader(
        in,
        (block, offset, content) ->
            pages.add(
                "%d %d %d".formatted(block, offset, content.get(ValueLayout.JAVA_BYTE, 100))));
  }

  private static byte[] stream(String capability, String rest) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    out.write(StreamEnvelope.of("pc-i440fx-7.2").prefix());
    out.writeByte(StreamFormat.SUBSECTION);
    name(out, "configuration/capabilities");
    out.writeInt(1);
    out.writeInt(1);
    name(out, capability);
    out.writeByte(StreamFormat.SECTION_START);
    out.writeInt(SECTION);
    name(out, StreamFormat.RAM);
    out.writeInt(StreamFormat.RAM_INSTANCE);
    out.writeInt(StreamFormat.RAM_VERSION);
    out.writeLong((1 << 20) + 8192 | StreamFormat.FLAG_MEM_SIZE);
    name(out, "m");
    out.writeLong(1 << 20);
    out.writeLong(0);
    name(out, "vga.vram");
    out.writeLong(8192);
    out.writeLong(0xe0000000L);
    end(out);
    out.writeByte(StreamFormat.SECTION_PART);
    out.writeInt(SECTION);
    out.writeLong(StreamFormat.FLAG_ZERO);
    name(out, "vga.vram");
    out.writeByte(0);
    page(out, 4096 | StreamFormat.FLAG_CONTINUE, 7);
    end(out);
    out.writeByte(StreamFormat.SECTION_END);
    out.writeInt(SECTION);
    page(out, StreamFormat.FLAG_CONTINUE, 9);
    end(out);
    out.writeBytes(rest);
    return bytes.toByteArray();
  }

  private static void page(DataOutputStream out, long record, int content) throws IOException {
    out.writeLong(record | StreamFormat.FLAG_PAGE);
    byte[] page = new byte[RamBlock.PAGE_SIZE];
    page[100] = (byte) content;
    out.write(page);
  }

  private static void end(DataOutputStream out) throws IOException {
    out.writeLong(StreamFormat.FLAG_EOS);
    out.writeByte(StreamFormat.FOOTER);
    out.writeInt(SECTION);
  }

  private static void name(DataOutputStream out, String name) throws IOException {
    out.writeByte(name.length());
    out.writeBytes(name);
  }
}
