// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.wridscope.control.qemu.CounterGuest;

/**
 * Firmware of a QEMU for tests that do nothing but run {@link CounterGuest}: SeaBIOS takes more
 * than half of the time that this guest needs until it counts, which are seconds in an emulated
 * machine.
 */
public final class QuickFirmware {
  private static final int SIZE = 1 << 16;

  /** Where the processor begins. */
  private static final int RESET = SIZE - 16;

  /** {@code ljmp $0xf000, $0x200}. */
  private static final String JUMP = "ea000200f0";

  private static final int CODE = 0x200;
  private static final int BYTES_COLUMN = 20;

  /**
   * Bytes, and the line for the GNU assembler from which they come. It copies the guest to where a
   * BIOS would, lets the interrupts of the timer through the local APIC, and maps them to vector 8.
   */
  private static final String SOURCE =
      """
                           .code16
      fa                   start: cli
      fc                   cld
      8cc8                 movw %cs, %ax
      8ed8                 movw %ax, %ds
      31c0                 xorw %ax, %ax
      8ec0                 movw %ax, %es
      31f6                 xorw %si, %si
      bf007c               movw $0x7c00, %di
      b90001               movw $0x100, %cx
      f3a5                 rep movsw
      660f01167b02         lgdtl gdtr - start + 0x200
      0f20c0               movl %cr0, %eax
      0c01                 orb $1, %al
      0f22c0               movl %eax, %cr0
      bb0800               movw $8, %bx
      8edb                 movw %bx, %ds
      24fe                 andb $0xfe, %al
      0f22c0               movl %eax, %cr0
      66bb0000e0fe         movl $0xfee00000, %ebx
      6766c783f0000000ff01
      0000                 movl $0x1ff, 0xf0(%ebx)
      6766c783500300000007
      0000                 movl $0x700, 0x350(%ebx)
      b011                 movb $0x11, %al
      e620                 outb %al, $0x20
      e6a0                 outb %al, $0xa0
      b008                 movb $0x08, %al
      e621                 outb %al, $0x21
      b070                 movb $0x70, %al
      e6a1                 outb %al, $0xa1
      b004                 movb $0x04, %al
      e621                 outb %al, $0x21
      b002                 movb $0x02, %al
      e6a1                 outb %al, $0xa1
      b001                 movb $0x01, %al
      e621                 outb %al, $0x21
      e6a1                 outb %al, $0xa1
      ea007c0000           ljmp $0, $0x7c00
      0000000000000000     gdt: .quad 0
      ffff000000928f00     .quad 0x008f92000000ffff
      0f00                 gdtr: .word 15
      6b020f00             .long gdt - start + 0xf0200
      """;

  private QuickFirmware() {}

  /**
   * Writes it.
   *
   * @param file a new file
   * @return QEMU's arguments with which it runs the guest
   */
  public static List<String> write(Path file, CounterGuest guest) throws IOException {
    ByteBuffer rom = ByteBuffer.allocate(SIZE).put(guest.floppy()).position(CODE);
    SOURCE
        .lines()
        .map(line -> line.substring(0, Math.min(BYTES_COLUMN, line.length())).strip())
        .forEach(bytes -> rom.put(HexFormat.of().parseHex(bytes)));
    rom.put(RESET, HexFormat.of().parseHex(JUMP));
    return List.of("-bios", Files.write(file, rom.array()).toString());
  }
}
