// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.SearchField;
import org.wridscope.telemetry.Event;
import org.wridscope.text.Format;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Search;
import org.wridscope.ui.TimeRange;

/** The texts of the log's cells, and of rows that are copied. */
final class LogTexts {
  /** From here on a request's ID is written in one notation. */
  private static final long LARGE = 1_000_000;

  /** What tells an event from others; the kind and the end alone would find too many. */
  private static final List<SearchField> TELLING =
      List.of(
          SearchField.WRID,
          SearchField.QP,
          SearchField.MESSAGE,
          SearchField.STATUS,
          SearchField.KEY,
          SearchField.EVENT);

  private final TimeRange range;
  private final Analyses analyses;
  private final Search search;
  private final LogRows rows;

  LogTexts(TimeRange range, Analyses analyses, Search search, LogRows rows) {
    this.range = range;
    this.analyses = analyses;
    this.search = search;
    this.rows = rows;
  }

  /** The text of a cell. */
  String of(LogColumn column, LogRow row) {
    Event event = row.event();
    if (column == LogColumn.NUMBER) {
      return (search.has(row.session(), row.number()) ? "▸ " : "") + Format.count(row.number());
    }
    if (event == null) {
      return column == LogColumn.WHAT ? "This event has been discarded since." : "";
    }
    return switch (column) {
      case TIME -> Format.moment(event.nanos() - range.originNanos());
      case SINCE_PREVIOUS -> sincePrevious(row, event);
      case EVENT -> EventText.kind(event.kind());
      case WHAT -> EventText.summary(event, row.session().telemetry());
      case END -> row.session().migrates() ? row.session().role().text() : "";
      case WRID ->
          SearchField.WRID.valueOf(event, requests(row)).isEmpty() ? "" : wrid(event.wrid());
      default -> Objects.requireNonNull(column.field()).valueOf(event, requests(row));
    };
  }

  private String sincePrevious(LogRow row, Event event) {
    int index = rows.indexOf(row.session(), row.number());
    Event previous = index <= 0 ? null : rows.get(index - 1).event();
    return previous == null ? "" : Format.duration(event.nanos() - previous.nanos());
  }

  private Requests requests(LogRow row) {
    return analyses.of(row.session());
  }

  /** The term of a search that finds what has the same field as a row; empty if it has none. */
  String term(SearchField field, LogRow row) {
    return row.event() == null ? "" : field.termOf(row.event(), requests(row));
  }

  /** A search that finds a row, and what has the same fields. */
  String filter(LogRow row) {
    return TELLING.stream()
        .map(field -> term(field, row))
        .filter(term -> !term.isEmpty())
        .collect(Collectors.joining(" "));
  }

  /** A search that finds each of some rows. */
  String filter(List<LogRow> chosen) {
    List<String> filters =
        chosen.stream().map(this::filter).filter(text -> !text.isEmpty()).distinct().toList();
    return filters.size() == 1
        ? filters.getFirst()
        : filters.stream().map(text -> "(" + text + ")").collect(Collectors.joining(" or "));
  }

  /** Rows as lines with tabs between the cells, as spreadsheets read them. */
  String lines(List<LogColumn> columns, Stream<LogRow> chosen) {
    return chosen
        .map(row ->
            columns.stream()
                .map(column -> of(column, row).replace("▸ ", ""))
                .collect(Collectors.joining("\t")))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /** Large ones, as those of a migration, in one notation only: both are in the inspector. */
  private static String wrid(long wrid) {
    return Long.compareUnsigned(wrid, LARGE) < 0
        ? Format.wrid(wrid)
        : "0x" + Long.toHexString(wrid);
  }
}
