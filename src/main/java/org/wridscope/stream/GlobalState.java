// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.wridscope.protocol.ProtocolException;

/**
 * The section that says whether the guest ran at the source (QEMU 7.2, migration/global_state.c):
 * u32 length of the name of a state with its 0, and the name in {@value #NAME_BYTES} bytes.
 */
public final class GlobalState {
  /** Name of the section; its instance is 0. */
  public static final String NAME = "globalstate";

  public static final int VERSION = 1;

  private static final int NAME_BYTES = 100;

  /** Bytes of the state. */
  public static final int LENGTH = Integer.BYTES + NAME_BYTES;

  private static final byte[] RUNNING = "running\0".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PAUSED = "paused\0".getBytes(StandardCharsets.US_ASCII);

  private GlobalState() {}

  /** Of a guest that its operator has paused. */
  public static byte[] paused() {
    return ByteBuffer.allocate(LENGTH).putInt(PAUSED.length).put(PAUSED).array();
  }

  /**
   * Whether the guest ran.
   *
   * @param bytes that contain a state
   * @param at where it begins; {@link #LENGTH} bytes follow
   */
  public static boolean ran(byte[] bytes, int at) {
    int name = at + Integer.BYTES;
    return Arrays.equals(bytes, name, name + RUNNING.length, RUNNING, 0, RUNNING.length);
  }

  /**
   * Whether the guest ran.
   *
   * @throws ProtocolException if that is no state
   */
  public static boolean ran(byte[] body) throws ProtocolException {
    if (body.length != LENGTH) {
      throw ProtocolException.of("length of section " + NAME, body.length, "" + LENGTH);
    }
    return ran(body, 0);
  }
}
