// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.wridscope.protocol.WorkRequestId;

/** What the bits of a program's wr_ids mean. Only the program itself knows that. */
public sealed interface WridLayout {
  /** Nobody said what they mean. */
  WridLayout UNKNOWN = new Fields(List.of());

  /** Those of QEMU's migration. */
  WridLayout QEMU = new OfQemu();

  /** A wr_id in words; empty if nobody said what it means. */
  String text(long wrid);

  /** See {@link WorkRequestId}. */
  record OfQemu() implements WridLayout {
    @Override
    public String text(long wrid) {
      return WorkRequestId.describe(wrid);
    }
  }

  /** Groups of bits, in the order in which they are told. */
  record Fields(List<Field> fields) implements WridLayout {
    /** Copies the list. */
    public Fields {
      fields = List.copyOf(fields);
    }

    @Override
    public String text(long wrid) {
      return fields.stream().map(field -> field.text(wrid)).collect(Collectors.joining(", "));
    }
  }

  /**
   * A group of bits.
   *
   * @param from its lowest bit, from 0
   * @param bits how many, so that it ends with bit 63 at the latest
   * @param values names of some of its values
   */
  record Field(String name, int from, int bits, Map<Long, String> values) {
    /** Copies the map. */
    public Field {
      if (from < 0 || bits < 1 || from + bits > Long.SIZE) {
        throw new IllegalArgumentException("%d bits from %d".formatted(bits, from));
      }
      values = Map.copyOf(values);
    }

    /** Its bits that are one. */
    public long mask() {
      return (-1L >>> (Long.SIZE - bits)) << from;
    }

    private String text(long wrid) {
      long value = (wrid & mask()) >>> from;
      return name + " " + values.getOrDefault(value, Long.toUnsignedString(value));
    }
  }
}
