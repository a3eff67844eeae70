// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows as CSV (RFC 4180, UTF-8) after a header row. Text from a peer or a file never becomes
 * a formula.
 */
final class CsvTable<R> implements RowSink<R>, AutoCloseable {
  /** Characters that start a formula in a spreadsheet; the full-width ones do in some languages. */
  private static final String FORMULA_STARTS = "=+-@\t\r\n＝＋－＠";

  private final CsvWriter writer;
  private final List<Column<R>> columns;
  private final List<@Nullable String> fields = new ArrayList<>();

  CsvTable(OutputStream out, List<Column<R>> columns) throws IOException {
    this.columns = columns;
    writer = CsvWriter.builder().build(out, StandardCharsets.UTF_8);
    columns.forEach(column -> fields.add(column.name()));
    write();
  }

  @Override
  public void row(R row) throws IOException {
    fields.clear();
    for (Column<R> column : columns) {
      fields.add(field(column.value().apply(row)));
    }
    write();
  }

  private void write() throws IOException {
    try {
      writer.writeRecord(fields);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static @Nullable String field(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case String text -> text(text);
      case BigDecimal decimal -> decimal.toPlainString();
      default -> value.toString();
    };
  }

  /** The text, preceded by an apostrophe if it would become a formula. */
  static String text(String text) {
    return !text.isEmpty() && FORMULA_STARTS.indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
