// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * A request that a device sent again, because no acknowledgement had come.
 *
 * @param request how many requests were posted to the send queue before it
 * @param length bytes of its message
 */
public record SentAgain(long request, long wrid, int length, Data data) {
  private static final Data[] DATA = Data.values();

  /** What was sent. */
  public enum Data {
    /** The same as the first time. */
    SAME,
    /** Other data: its memory was changed before it completed. */
    OTHER,
    /** Nothing: its memory was not registered any more. */
    NONE;

    /** From the detail of an event; {@link #SAME} if it is unknown. */
    public static Data of(int detail) {
      return detail < DATA.length ? DATA[detail] : SAME;
    }
  }
}
