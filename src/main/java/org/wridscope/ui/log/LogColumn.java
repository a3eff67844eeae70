// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.SearchField;
import org.wridscope.ui.Texts;

/** A column that the log can show, in the order in which they are shown. */
enum LogColumn {
  NUMBER("#", 68, true, null),
  END(Texts.of("End"), 84, false, SearchField.END),
  TIME(Texts.of("Time"), 104, true, null),
  SINCE_PREVIOUS(Texts.of("Since previous"), 100, true, null),
  EVENT(Texts.of("Event"), 128, false, null),
  WRID(Texts.of("wrid"), 104, true, SearchField.WRID),
  CHUNK(Texts.of("Chunk"), 70, true, SearchField.CHUNK),
  BLOCK(Texts.of("Block"), 100, false, SearchField.BLOCK),
  MESSAGE(Texts.of("Message"), 140, false, SearchField.MESSAGE),
  QUEUE(Texts.of("QP"), 70, true, SearchField.QP),
  OPCODE(Texts.of("Opcode"), 110, false, SearchField.OPCODE),
  STATUS(Texts.of("Status"), 120, false, SearchField.STATUS),
  KEY(Texts.of("Key"), 96, true, SearchField.KEY),
  WHAT(Texts.of("What happened"), 420, false, null);

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
