// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.wridscope.protocol.ProtocolException;

/**
 * The stream of a QEMU 7.2, {@code -machine pc -m 64 -vga std}, migrated over RDMA while its guest
 * ran: everything up to the end of the {@code ram} section, and the first device.
 */
final class RecordedStreamTest {
  /** Bytes up to the footer of the last part of the ram section. */
  private static final int RAM_END = 705;

  /** A part has 26 bytes; 263 bytes precede the first one, and the last one is the END. */
  private static final int ROUNDS = (RAM_END - 263) / 26 - 1;

  static final List<BlockListing> BLOCKS =
      List.of(
          new BlockListing("pc.ram", 67108864),
          new BlockListing("0000:00:02.0/vga.vram", 16777216),
          new BlockListing("/rom@etc/acpi/tables", 131072),
          new BlockListing("pc.bios", 262144),
          new BlockListing("pc.rom", 131072),
          new BlockListing("0000:00:02.0/vga.rom", 65536),
          new BlockListing("/rom@etc/table-loader", 4096),
          new BlockListing("/rom@etc/acpi/rsdp", 4096));

  static byte[] recording() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            RecordedStreamTest.class.getResourceAsStream("qemu-7.2-pc.stream"))) {
      return in.readAllBytes();
    }
  }

  @Test
  void machineBlocksAndRounds_areFound() throws IOException {
    RecordingHandler handler = new RecordingHandler();
    byte[] ram = Arrays.copyOf(recording(), RAM_END);

    ProtocolException e =
        catchThrowableOfType(
            ProtocolException.class, () -> new MigrationStreamReader(input(ram)).read(handler));

    assertThat(handler.blocks).isEqualTo(BLOCKS);
    assertThat(handler.calls).startsWith("machine pc-i440fx-7.2", "blocks 8", "hook SETUP");
    assertThat(handler.calls).endsWith("hook FINISH").hasSize(3 + ROUNDS + 1);
    assertThat(handler.calls.subList(3, 3 + ROUNDS))
        .isEqualTo(Collections.nCopies(ROUNDS, "hook ROUND"));
    assertThat(e).isNotNull();
    assertThat(e.field()).isEqualTo("section tag");
    assertThat(e.value()).isEqualTo("cut off after 705 bytes of the migration stream");
  }

  @Test
  void device_ofAQemu_isRefusedByName() throws IOException {
    RecordingHandler handler = new RecordingHandler();
    byte[] recording = recording();

    ProtocolException e =
        catchThrowableOfType(
            ProtocolException.class,
            () -> new MigrationStreamReader(input(recording)).read(handler));

    assertThat(e).isNotNull();
    assertThat(e.getMessage()).contains("device timer");
    assertThat(handler.calls).last().isEqualTo("hook FINISH");
  }

  /** Appends what a QEMU with Wridscope's device would send. */
  @Test
  void rest_asWridscopeWritesIt_isRead() throws IOException {
    byte[] recording = recording();
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    stream.write(recording, 0, RAM_END);
    stream.writeBytes(
        HexFormat.of()
            .parseHex(
                "04" + "00000000" + "0164" + "0000000000000001" + "000000012a" + "7e00000000"));
    stream.writeBytes(HexFormat.of().parseHex("00" + "06" + "000000027b7d"));
    RecordingHandler handler = new RecordingHandler();

    new MigrationStreamReader(input(stream.toByteArray())).read(handler);

    assertThat(handler.calls)
        .last()
        .isEqualTo(RecordingHandler.deviceCall("d", 0, 1, new byte[] {42}));
  }

  /** An input that does not report how much is left, as if all bytes were in one message. */
  private static InputStream input(byte[] bytes) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int available() {
        return 0;
      }
    };
  }
}
