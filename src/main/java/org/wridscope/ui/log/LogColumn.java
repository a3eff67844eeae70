// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.SearchField;

/** A column that the log can show, in the order in which they are shown. */
enum LogColumn {
  NUMBER("#", 68, true, null),
  END("End", 84, false, SearchField.END),
  TIME("Time", 134, true, null),
  SINCE_PREVIOUS("Since previous", 124, true, null),
  EVENT("Event", 128, false, null),
  WRID("wrid", 136, true, SearchField.WRID),
  CHUNK("Chunk", 70, true, SearchField.CHUNK),
  BLOCK("Block", 100, false, SearchField.BLOCK),
  MESSAGE("Message", 140, false, SearchField.MESSAGE),
  QUEUE("QP", 70, true, SearchField.QP),
  OPCODE("Opcode", 110, false, SearchField.OPCODE),
  STATUS("Status", 120, false, SearchField.STATUS),
  KEY("Key", 96, true, SearchField.KEY),
  WHAT("What happened", 420, false, null);

  private final String title;
  private final double width;
  private final boolean number;
  private final @Nullable SearchField field;

  LogColumn(String title, double width, boolean number, @Nullable SearchField field) {
    this.title = title;
    this.width = width;
    this.number = number;
    this.field = field;
  }

  String title() {
    return title;
  }

  double width() {
    return width;
  }

  /** Whether its texts are numbers, which stand at the right. */
  boolean isNumber() {
    return number;
  }

  /** The field that it shows; null if it is no field of a search. */
  @Nullable SearchField field() {
    return field;
  }

  /** Whether it is shown until the user chooses. */
  boolean isUsual() {
    return switch (this) {
      case NUMBER, END, TIME, EVENT, WRID, WHAT -> true;
      default -> false;
    };
  }
}
