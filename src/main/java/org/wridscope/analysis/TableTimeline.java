// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * A timeline over the rows of a table.
 *
 * @param idColumn the column with the request, {@link #ROW} when the row number is the request
 * @param nanosColumn the column with the moment
 */
record TableTimeline(LongTable rows, int idColumn, int nanosColumn) implements Timeline {
  static final int ROW = -1;

  @Override
  public long first() {
    return rows.first();
  }

  @Override
  public long end() {
    return rows.end();
  }

  @Override
  public long id(long index) {
    return idColumn == ROW ? index : rows.get(index, idColumn);
  }

  @Override
  public long nanos(long index) {
    return rows.get(index, nanosColumn);
  }
}
