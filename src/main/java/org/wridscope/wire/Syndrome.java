// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The syndrome of an acknowledgement: a positive one, or why it is negative (IBTA 9.7.5.2, tables
 * 45 and 46).
 *
 * @param value 8 bits
 */
public record Syndrome(int value) {
  /** Bits 5 and 6 are the type, the lower ones a timer, a code or credits. */
  private static final int TYPE_MASK = 0x60;

  private static final int LOW_MASK = 0x1f;
  private static final int TYPE_POSITIVE = 0x00;
  private static final int TYPE_NOT_READY = 0x20;
  private static final int TYPE_NEGATIVE = 0x60;

  /** What a receiver that is not ready asks for, in units of 10 µs. */
  private static final int[] TIMERS = {
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
  };

  private static final long TIMER_NANOS = 10_000;

  /** What an acknowledgement says. */
  public enum Answer {
    POSITIVE("acknowledgement", null),
    /** No receive was posted. */
    NOT_READY("RNR NAK", null),
    SEQUENCE_ERROR("NAK, PSN sequence error", null),
    INVALID_REQUEST("NAK, invalid request", WorkCompletionStatus.REM_INV_REQ_ERR),
    REMOTE_ACCESS_ERROR("NAK, remote access error", WorkCompletionStatus.REM_ACCESS_ERR),
    REMOTE_OPERATIONAL_ERROR("NAK, remote operational error", WorkCompletionStatus.REM_OP_ERR),
    /** Also code 4, an invalid request of the reliable datagram service. */
    RESERVED("reserved syndrome", null);

    private final String text;
    private final @Nullable WorkCompletionStatus status;

    Answer(String text, @Nullable WorkCompletionStatus status) {
      this.text = text;
      this.status = status;
    }

    /** In the words of the specification. */
    public String text() {
      return text;
    }

    /** How the request completes at its requester; null when it is sent again, or succeeds. */
    public @Nullable WorkCompletionStatus status() {
      return status;
    }
  }

  /** What it says. */
  public Answer answer() {
    return switch (value & TYPE_MASK) {
      case TYPE_POSITIVE -> Answer.POSITIVE;
      case TYPE_NOT_READY -> Answer.NOT_READY;
      case TYPE_NEGATIVE ->
          switch (value & LOW_MASK) {
            case 0 -> Answer.SEQUENCE_ERROR;
            case 1 -> Answer.INVALID_REQUEST;
            case 2 -> Answer.REMOTE_ACCESS_ERROR;
            case 3 -> Answer.REMOTE_OPERATIONAL_ERROR;
            default -> Answer.RESERVED;
          };
      default -> Answer.RESERVED;
    };
  }

  /** After how many nanoseconds a receiver that is not ready may be tried again. */
  public long timerNanos() {
    return TIMERS[value & LOW_MASK] * TIMER_NANOS;
  }
}
