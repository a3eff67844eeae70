// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import org.wridscope.protocol.RemoteBlock;

/** Constants of the migration stream: QEMU 7.2 migration/savevm.h, migration/ram.c. */
final class StreamFormat {
  /** {@code QEVM}. */
  static final int MAGIC = 0x5145564d;

  static final int VERSION = 3;

  static final int EOF = 0x00;
  static final int SECTION_START = 0x01;
  static final int SECTION_PART = 0x02;
  static final int SECTION_END = 0x03;
  static final int SECTION_FULL = 0x04;
  static final int SUBSECTION = 0x05;
  static final int VMDESCRIPTION = 0x06;
  static final int CONFIGURATION = 0x07;
  static final int COMMAND = 0x08;
  static final int FOOTER = 0x7e;

  static final String RAM = "ram";
  static final int RAM_INSTANCE = 0;
  static final int RAM_VERSION = 4;

  /** Flags in the low bits of a record of the ram section, below an address or a size. */
  static final long FLAG_MASK = 0xfff;

  static final long FLAG_ZERO = 0x02;
  static final long FLAG_MEM_SIZE = 0x04;
  static final long FLAG_PAGE = 0x08;
  static final long FLAG_EOS = 0x10;

  /** The page is of the same block as the previous one, whose name is not repeated. */
  static final long FLAG_CONTINUE = 0x20;

  static final long FLAG_XBZRLE = 0x40;
  static final long FLAG_HOOK = 0x80;
  static final long FLAG_COMPRESS_PAGE = 0x100;

  /** Newer than QEMU 7.2. */
  static final long FLAG_MULTIFD_FLUSH = 0x200;

  /** Most blocks in a RAM BLOCKS RESULT. */
  static final int MAX_BLOCKS = RemoteBlock.MAX_BLOCKS;

  /** Wridscope's own limits, which no device state or description of a machine comes near. */
  static final int MAX_DEVICE_BODY = 16 << 20;

  static final int MAX_VM_DESCRIPTION = 16 << 20;

  static final int MAX_NAME = 255;

  static final String NAMES = "1 to 255 characters of printable ASCII";

  private StreamFormat() {}

  /** Whether this can be the name of a machine type, RAM block or device. */
  static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME
        && name.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
  }
}
