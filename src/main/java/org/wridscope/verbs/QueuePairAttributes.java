// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the numbers mean that {@code ibv_modify_qp(3)} sets; see IBTA chapter 9 and 11.2.5. */
public final class QueuePairAttributes {
  // enum ibv_qp_attr_mask
  public static final int STATE = 1;
  public static final int ACCESS_FLAGS = 1 << 3;
  public static final int PORT = 1 << 5;
  public static final int ADDRESS = 1 << 7;
  public static final int PATH_MTU = 1 << 8;
  public static final int TIMEOUT = 1 << 9;
  public static final int RETRY_COUNT = 1 << 10;
  public static final int RNR_RETRY = 1 << 11;
  public static final int RECEIVE_PSN = 1 << 12;
  public static final int MIN_RNR_TIMER = 1 << 15;
  public static final int SEND_PSN = 1 << 16;
  public static final int DESTINATION_QP = 1 << 20;

  /** The number of RNR retries that means: without limit. */
  public static final int WITHOUT_LIMIT = 7;

  /** From the lowest bit; empty for bits without a name. */
  private static final List<String> MASK_NAMES =
      List.of(
          "STATE",
          "CUR_STATE",
          "EN_SQD_ASYNC_NOTIFY",
          "ACCESS_FLAGS",
          "PKEY_INDEX",
          "PORT",
          "QKEY",
          "AV",
          "PATH_MTU",
          "TIMEOUT",
          "RETRY_CNT",
          "RNR_RETRY",
          "RQ_PSN",
          "MAX_QP_RD_ATOMIC",
          "ALT_PATH",
          "MIN_RNR_TIMER",
          "SQ_PSN",
          "MAX_DEST_RD_ATOMIC",
          "PATH_MIG_STATE",
          "CAP",
          "DEST_QPN",
          "",
          "",
          "",
          "",
          "RATE_LIMIT");

  /** {@code enum ibv_access_flags}, from the lowest bit. */
  private static final List<String> ACCESS_NAMES =
      List.of("local write", "remote write", "remote read", "remote atomic", "bind");

  /** IBTA table 45, "Encoding for RNR NAK Timer Field", in units of 10 µs. */
  private static final int[] RNR_TIMERS = {
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
  };

  private static final long RNR_UNIT_NANOS = 10_000;

  /** IBTA 9.7.6.1.3: 4.096 µs. */
  private static final long TIMEOUT_UNIT_NANOS = 4096;

  private static final int MAX_TIMEOUT = 31;
  private static final int MAX_MTU = 5;
  private static final int SMALLEST_MTU = 128;

  private QueuePairAttributes() {}

  /** A state of {@code enum ibv_qp_state}; empty for a number that is none. */
  public static Optional<QueuePairState> state(int value) {
    QueuePairState[] all = QueuePairState.values();
    return value >= 0 && value < all.length ? Optional.of(all[value]) : Optional.empty();
  }

  /**
   * How long a requester waits for an acknowledgement, at least; the device may wait up to four
   * times as long.
   *
   * @param timeout from 1 to 31
   */
  public static long timeoutNanos(int timeout) {
    if (timeout < 1 || timeout > MAX_TIMEOUT) {
      throw new IllegalArgumentException("a timeout of " + timeout);
    }
    return TIMEOUT_UNIT_NANOS << timeout;
  }

  /** Whether a timeout has a meaning; 0 is to wait without end. */
  public static boolean isTimeout(int timeout) {
    return timeout >= 0 && timeout <= MAX_TIMEOUT;
  }

  /**
   * How long the peer is asked to wait, at least, before it sends again what found no receive.
   *
   * @param code from 0 to 31
   */
  public static long rnrTimerNanos(int code) {
    return RNR_TIMERS[code] * RNR_UNIT_NANOS;
  }

  /** Whether a minimum RNR timer has a meaning. */
  public static boolean isRnrTimer(int code) {
    return code >= 0 && code < RNR_TIMERS.length;
  }

  /** The bytes of a number of {@code enum ibv_mtu}; 0 for a number that is none. */
  public static int mtuBytes(int mtu) {
    return mtu >= 1 && mtu <= MAX_MTU ? SMALLEST_MTU << mtu : 0;
  }

  /** The names of attributes that are in a mask, from the lowest bit, without their prefix. */
  public static List<String> names(int mask) {
    return named(mask, MASK_NAMES);
  }

  /** The accesses that flags allow, from the lowest bit. */
  public static List<String> access(int flags) {
    return named(flags, ACCESS_NAMES);
  }

  /** One without a name is told as its number. */
  private static List<String> named(int bits, List<String> names) {
    var found = new ArrayList<String>();
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      if ((bits >>> bit & 1) != 0) {
        String name = bit < names.size() ? names.get(bit) : "";
        found.add(name.isEmpty() ? "0x" + Integer.toHexString(1 << bit) : name);
      }
    }
    return found;
  }
}
