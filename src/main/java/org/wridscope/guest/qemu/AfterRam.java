// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.wridscope.guest.GuestException;
import org.wridscope.stream.GlobalState;
import org.wridscope.stream.VmDescription;
import org.wridscope.text.Format;

/** What follows the RAM in a stream that a QEMU loads: the states of its devices. */
final class AfterRam {
  /** More than the device states of any machine. */
  private static final int MAX = 256 << 20;

  /** The name of the section, its instance and its version. */
  private static final byte[] GLOBAL_STATE = section(GlobalState.NAME);

  private byte[] bytes = new byte[1 << 20];
  private int length;

  private static byte[] section(String name) {
    return ByteBuffer.allocate(1 + name.length() + 2 * Integer.BYTES)
        .put((byte) name.length())
        .put(name.getBytes(StandardCharsets.US_ASCII))
        .putInt(0)
        .putInt(GlobalState.VERSION)
        .array();
  }

  /**
   * Adds bytes.
   *
   * @throws GuestException if there are too many
   */
  void add(byte[] more, int offset, int count) throws GuestException {
    if (count > MAX - length) {
      throw new GuestException(
          "The source sent more than %s of device states; they seem endless"
              .formatted(Format.bytes(MAX)));
    }
    if (length + count > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + count, Math.min(MAX, 2 * bytes.length)));
    }
    System.arraycopy(more, offset, bytes, length, count);
    length += count;
  }

  /** Whether the description of the machine, which ends a stream, has been added. */
  boolean isDescribed() throws IOException {
    return length > 0
        && bytes[length - 1] == '}'
        && VmDescription.isAtEnd(Arrays.copyOf(bytes, length));
  }

  /**
   * Whether the guest ran at the source. A machine type without this state (pc-2.3 and older)
   * starts any guest, as QEMU does with it.
   */
  boolean ran() {
    int end = length - GLOBAL_STATE.length - GlobalState.LENGTH;
    for (int at = 0; at <= end; at++) {
      if (Arrays.equals(
          bytes, at, at + GLOBAL_STATE.length, GLOBAL_STATE, 0, GLOBAL_STATE.length)) {
        return GlobalState.ran(bytes, at + GLOBAL_STATE.length);
      }
    }
    return true;
  }
}
