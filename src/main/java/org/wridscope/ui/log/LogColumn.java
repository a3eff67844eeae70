// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.SearchField;

/** A column that the log can show, in the order in which they are shown. */
enum LogColumn {
  NUMBER("#", 68, 68, true, null),
  END("End", 84, 78, false, SearchField.END),
  TIME("Time", 134, 134, true, null),
  SINCE_PREVIOUS("Since previous", 124, 124, true, null),
  EVENT("Event", 128, 112, false, null),
  WRID("wrid", 136, 136, true, SearchField.WRID),
  CHUNK("Chunk", 70, 70, true, SearchField.CHUNK),
  BLOCK("Block", 100, 100, false, SearchField.BLOCK),
  MESSAGE("Message", 140, 140, false, SearchField.MESSAGE),
  QUEUE("QP", 70, 70, true, SearchField.QP),
  OPCODE("Opcode", 110, 110, false, SearchField.OPCODE),
  STATUS("Status", 120, 120, false, SearchField.STATUS),
  KEY("Key", 96, 96, true, SearchField.KEY),
  WHAT("What happened", 420, 420, false, null);

  private final String title;
  private final double width;
  private final double leastWidth;
  private final boolean number;
  private final @Nullable SearchField field;

  LogColumn(
      String title, double width, double leastWidth, boolean number, @Nullable SearchField field) {
    this.title = title;
    this.width = width;
    this.leastWidth = leastWidth;
    this.number = number;
    this.field = field;
  }

  String title() {
    return title;
  }

  /**
   * Its width until the user chooses another.
   *
   * @param narrow whether the table has little room, most of which is for what happened
   */
  double width(boolean narrow) {
    return narrow ? leastWidth : width;
  }

  /** Whether its texts are numbers, which stand at the right. */
  boolean isNumber() {
    return number;
  }

  /** The field that it shows; null if it is no field of a search. */
  @Nullable SearchField field() {
    return field;
  }

  /**
   * Whether it is shown until the user chooses.
   *
   * @param narrow whether the table has little room
   */
  boolean isUsual(boolean narrow) {
    return switch (this) {
      case NUMBER -> !narrow;
      case END, TIME, EVENT, WRID, WHAT -> true;
      default -> false;
    };
  }
}
