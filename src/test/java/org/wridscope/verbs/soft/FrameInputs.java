// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads any bytes as the stream of a software device: a greeting, then frames. */
public final class FrameInputs {
  private FrameInputs() {}

  /** All types of frames. */
  public static List<byte[]> seeds() {
    var seeds = new ArrayList<byte[]>();
    for (Frame.Type type : Frame.Type.values()) {
      byte[] frame =
          switch (type) {
            case REQUEST, ACCEPT, REJECT -> RawPeer.managing(type);
            case RDMA_WRITE -> RawPeer.frame(type, 8, 3, 1L << 40, 77);
            case SEND -> RawPeer.frame(type, 8, 3, 0, 0);
            default -> RawPeer.frame(type);
          };
      seeds.add(
          ByteBuffer.allocate(Frame.GREETING_BYTES + frame.length)
              .put(RawPeer.greeting(Frame.VERSION))
              .put(frame)
              .array());
    }
    return seeds;
  }

  /** Reads frames one after the other, like a link. */
  public static void read(byte[] input) throws IOException {
    ByteBuffer greeting = ByteBuffer.wrap(input);
    greeting.position(Math.min(input.length, Frame.GREETING_BYTES));
    if (!Frame.mayBeGreeting(greeting)) {
      String quoted = Frame.quote(greeting);
      if (!quoted.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
        throw new AssertionError(quoted);
      }
      return;
    }
    if (input.length < Frame.GREETING_BYTES || Frame.version(greeting) != Frame.VERSION) {
      return;
    }
    var frame = new Frame();
    long at = Frame.GREETING_BYTES;
    while (at + Frame.HEADER_BYTES <= input.length) {
      frame.decode(ByteBuffer.wrap(input, (int) at, Frame.HEADER_BYTES).slice());
      at += Frame.HEADER_BYTES + frame.length();
      switch (frame.type()) {
        case ACKNOWLEDGE -> {
          var _ = frame.response();
        }
        case REQUEST, ACCEPT -> {
          if (frame.rnrRetries() < 0 || frame.rnrRetries() > 7) {
            throw new AssertionError(frame.rnrRetries());
          }
        }
        default -> {
          if (frame.length() < 0 || frame.length() > SoftDevice.MAX_MESSAGE_SIZE) {
            throw new AssertionError(frame.length());
          }
        }
      }
    }
  }
}
