// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.wridscope.host.Processor;
import org.wridscope.memory.RamBlock;
import org.wridscope.text.Format;

/**
 * A guest that counts a hundred times a second: in its RAM, in a line of its serial port, and on
 * its screen if it has one. At its start it fills its RAM, so that no page is zero. It fits in a
 * boot sector. There is one for QEMU's machines {@code pc} and {@code q35}, whose source is {@code
 * counter-guest-x86_64.lst}, and one for {@code virt} of aarch64, {@code
 * counter-guest-aarch64.lst}.
 *
 * @param ramBytes a multiple of 1 MiB from {@link #MIN_RAM} to {@link #MAX_RAM}
 * @param dirtyRate bytes of the pages that it writes to in a second, 0 for none
 * @param workingSet bytes of RAM that it writes to in turn, a multiple of the page size; 0 for a
 *     quarter of the RAM
 * @param busy whether it computes all the time, rather than sleep until it counts again
 */
public record CounterGuest(long ramBytes, long dirtyRate, long workingSet, boolean busy) {
  public static final long MIN_RAM = 16L << 20;

  /** RAM up to this size is below 4 GiB in one piece, in bytes. */
  public static final long MAX_RAM = 2L << 30;

  /** Where the count is in RAM, which begins at 0: four bytes, little-endian. */
  public static final int COUNT = 0x1000;

  private static final int LOOPS = 0x1008;

  private static final int SECTOR = 512;
  private static final int BYTES_COLUMN = 20;
  private static final int FILL_END = 0x1e4;
  private static final int WRITE_BEGIN = 0x1e8;
  private static final int WRITE_END = 0x1ec;
  private static final int RATE = 0x1f0;
  private static final int BUSY = 0x1f4;

  /** Where the pages begin that it writes to. */
  private static final long DATA = 8L << 20;

  /** The firmware's memory at the end of RAM is not filled. */
  private static final long FIRMWARE = 1L << 20;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  public CounterGuest {
    if (ramBytes < MIN_RAM || ramBytes > MAX_RAM || ramBytes % (1 << 20) != 0) {
      throw new IllegalArgumentException(
          "RAM: the guest that counts cannot have %s; give it a multiple of 1 MiB from %s to %s."
              .formatted(
                  Format.exactBytes(ramBytes),
                  Format.exactBytes(MIN_RAM),
                  Format.exactBytes(MAX_RAM)));
    }
    if (dirtyRate < 0) {
      throw new IllegalArgumentException("dirty rate: %d is negative.".formatted(dirtyRate));
    }
    long writable = ramBytes - DATA - FIRMWARE;
    if (workingSet < 0 || workingSet % RamBlock.PAGE_SIZE != 0 || workingSet > writable) {
      throw new IllegalArgumentException(
          ("working set: the guest that counts cannot write to %s of its RAM; give it whole pages,"
                  + " at most %s.")
              .formatted(Format.exactBytes(workingSet), Format.exactBytes(writable)));
    }
  }

  /** The content of a floppy disk from which a QEMU for x86 boots the guest. */
  public byte[] floppy() {
    return image(Processor.X86_64);
  }

  /**
   * The options of a QEMU with a machine that runs the guest, which has the memory backend {@code
   * ram}.
   *
   * @param processor of the machine, {@code X86_64} or {@code AARCH64}
   * @param image the file that is written
   */
  List<String> boot(Processor processor, Path image) throws IOException {
    Files.write(image, image(processor));
    return processor == Processor.AARCH64
        ? List.of(
            "-machine",
            "virt,gic-version=2,memory-backend=ram",
            "-cpu",
            "cortex-a57",
            "-kernel",
            image.toString())
        : List.of(
            "-machine",
            "pc,memory-backend=ram",
            "-vga",
            "std",
            "-drive",
            "if=floppy,format=raw,readonly=on,file=" + image,
            "-boot",
            "a");
  }

  private byte[] image(Processor processor) {
    ByteBuffer sector = ByteBuffer.wrap(program(processor)).order(ByteOrder.LITTLE_ENDIAN);
    long written =
        workingSet == 0 ? Math.min(ramBytes / 4, ramBytes - DATA - FIRMWARE) : workingSet;
    sector.putInt(FILL_END, (int) (ramBytes - FIRMWARE));
    sector.putInt(WRITE_BEGIN, (int) DATA);
    sector.putInt(WRITE_END, (int) (DATA + written));
    // A second has this many pages; the guest adds a remainder below 100 to it.
    long pages = Math.ceilDiv(dirtyRate, RamBlock.PAGE_SIZE);
    sector.putInt(RATE, (int) Math.min(pages, Integer.MAX_VALUE - 100));
    sector.putInt(BUSY, busy ? 1 : 0);
    return sector.array();
  }

  private static byte[] program(Processor processor) {
    String name = "counter-guest-%s.lst".formatted(processor.name().toLowerCase(Locale.ROOT));
    try (InputStream in =
        Objects.requireNonNull(CounterGuest.class.getResourceAsStream(name), name)) {
      var sector = ByteBuffer.allocate(SECTOR);
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.substring(0, Math.min(BYTES_COLUMN, line.length())).strip())
          .forEach(bytes -> sector.put(HexFormat.of().parseHex(bytes)));
      return sector.array();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The guest's count.
   *
   * @param ram its memory from the beginning
   */
  public static int count(MemorySegment ram) {
    return ram.get(INT, COUNT);
  }

  /**
   * How often the guest's loop ran, modulo 2^32.
   *
   * @param ram its memory from the beginning
   */
  public static int loops(MemorySegment ram) {
    return ram.get(INT, LOOPS);
  }
}
