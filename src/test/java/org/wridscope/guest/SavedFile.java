// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.wridscope.memory.RamBlock;

/** The bytes of a small saved guest. */
public final class SavedFile {
  private static final int PAGE = RamBlock.PAGE_SIZE;
  private static final int SECTION = 9;

  private SavedFile() {}

  /** The stream of a machine type whose streams end in a description. */
  public static byte[] whole() {
    return bytes(true);
  }

  /** The stream of an old machine type, which does not mark its end. */
  public static byte[] old() {
    return bytes(false);
  }

  /** A stream that is cut off in the device states. */
  public static byte[] cut() {
    return Arrays.copyOf(whole(), whole().length - 8);
  }

  private static byte[] bytes(boolean described) {
    ByteBuffer out = ByteBuffer.allocate(2 * PAGE).putInt(0x5145564d).putInt(3);
    if (described) {
      text(out, "\7\0\0\0\2pc");
    }
    out.put((byte) 1).putInt(SECTION);
    text(out, "\3ram").putInt(0).putInt(4).putLong(PAGE | 4);
    text(out, "\1a").putLong(PAGE);
    end(out, described).put((byte) 3).putInt(SECTION).putLong(8);
    text(out, "\1a").put(new byte[PAGE]);
    text(end(out, described), described ? "\4device\0\6\0\0\0\2{}" : "\4device\0");
    return Arrays.copyOf(out.array(), out.position());
  }

  private static ByteBuffer end(ByteBuffer out, boolean footer) {
    out.putLong(0x10);
    return footer ? out.put((byte) 0x7e).putInt(SECTION) : out;
  }

  private static ByteBuffer text(ByteBuffer out, String text) {
    return out.put(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
