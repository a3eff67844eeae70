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
import java.util.HexFormat;
import java.util.Objects;
import org.wridscope.memory.RamBlock;
import org.wridscope.text.Format;

/**
 * A guest for QEMU's machines {@code pc} and {@code q35} that counts a hundred times a second: in
 * its RAM, on its screen, and in a line of its serial port. At its start it fills its RAM, so that
 * no page is zero. It fits in a boot sector, whose source is {@code counter-guest.lst}.
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

  /** Physical address of the count, which begins at 0: four bytes, little-endian. */
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

  /** The content of a floppy disk from which QEMU boots the guest. */
  public byte[] floppy() {
    ByteBuffer sector = ByteBuffer.wrap(image()).order(ByteOrder.LITTLE_ENDIAN);
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

  private static byte[] image() {
    String name = "counter-guest.lst";
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
   * @param ram its memory from address 0
   */
  public static int count(MemorySegment ram) {
    return ram.get(INT, COUNT);
  }

  /**
   * How often the guest's loop ran, modulo 2^32.
   *
   * @param ram its memory from address 0
   */
  public static int loops(MemorySegment ram) {
    return ram.get(INT, LOOPS);
  }
}
