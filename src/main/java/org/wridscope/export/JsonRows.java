// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import com.google.gson.FormattingStyle;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes rows as objects with a member for each column that has a value. */
final class JsonRows<R> implements RowSink<R> {
  private static final FormattingStyle ONE_LINE =
      FormattingStyle.COMPACT.withSpaceAfterSeparators(true);

  private final JsonWriter json;
  private final List<Column<R>> columns;

  JsonRows(JsonWriter json, List<Column<R>> columns) {
    this.json = json;
    this.columns = columns;
  }

  @Override
  public void row(R row) throws IOException {
    json.beginObject();
    // One row per line, so that other programs can search and compare.
    json.setFormattingStyle(ONE_LINE);
    for (Column<R> column : columns) {
      member(json, column.name(), column.value().apply(row));
    }
    json.endObject();
    json.setFormattingStyle(FormattingStyle.PRETTY);
  }

  static void member(JsonWriter json, String name, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> {
        // omitted
      }
      case String text -> json.name(name).value(text);
      case Boolean flag -> json.name(name).value(flag);
      case BigDecimal decimal -> json.name(name).jsonValue(decimal.toPlainString());
      case Number number -> json.name(name).value(number);
      default -> throw new IllegalArgumentException(name + " is a " + value.getClass());
    }
  }
}
