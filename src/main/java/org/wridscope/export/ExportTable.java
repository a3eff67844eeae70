// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.wridscope.units.Parse;

/** The tables of an export: a CSV file holds one, a JSON document any number. */
public enum ExportTable {
  /** Every event, in the order of writing, the source's first. */
  EVENTS("events"),
  /** Every work request from its post to its completion. */
  REQUESTS("requests"),
  /** All metrics over time. */
  SAMPLES("samples"),
  /** The control messages of both directions in the order of time. */
  MESSAGES("messages"),
  /** The virtqueues of the guest over time. */
  VIRTIO("virtio"),
  /** Posts, completions, messages, registrations and waits, as a log that can be opened again. */
  LOG("log");

  private final String text;

  ExportTable(String text) {
    this.text = text;
  }

  /** Its name. */
  public String text() {
    return text;
  }

  /**
   * The table with this name.
   *
   * @param field its name in the user interface, for messages
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static ExportTable of(String field, String name) {
    for (ExportTable table : values()) {
      if (table.text.equalsIgnoreCase(name)) {
        return table;
      }
    }
    throw new IllegalArgumentException(
        "%s: %s is no table; there are %s."
            .formatted(
                field,
                Parse.quoted(name),
                Arrays.stream(values()).map(ExportTable::text).collect(Collectors.joining(", "))));
  }
}
