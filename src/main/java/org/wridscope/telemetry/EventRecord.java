// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/** How an event is packed into the longs of an {@link EventRing} or an {@link EventLog}. */
final class EventRecord {
  /** Longs of a record: time; kind, detail and length; wrid; argument. */
  static final int LONGS = 4;

  private EventRecord() {}

  /**
   * Writes a record.
   *
   * @param at index of its first long
   * @param detail only its low 16 bits are kept
   */
  static void put(
      long[] records,
      int at,
      long nanos,
      EventKind kind,
      int detail,
      int length,
      long wrid,
      long argument) {
    records[at] = nanos;
    records[at + 1] =
        (long) kind.ordinal() << 48 | (long) (detail & 0xffff) << 32 | (length & 0xffffffffL);
    records[at + 2] = wrid;
    records[at + 3] = argument;
  }

  static EventKind kind(long[] records, int at) {
    return EventKind.of((int) (records[at + 1] >>> 48));
  }

  static int detail(long[] records, int at) {
    return (int) (records[at + 1] >>> 32) & 0xffff;
  }

  static int length(long[] records, int at) {
    return (int) records[at + 1];
  }
}
