// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.util.Arrays;

/**
 * Encodes samples into blocks of {@link BlockType#SAMPLES}, as differences from the previous
 * sample.
 */
final class SampleEncoder {
  private final ByteSink rows = new ByteSink(1 << 14);
  private final ByteSink row = new ByteSink(1 << 10);
  private final long[] before = new long[Sample.COLUMNS];
  private int count;
  private long first;
  private long last;

  void add(Sample sample) {
    if (count == 0) {
      first = sample.nanos;
      last = sample.nanos;
    }
    long now = Math.max(sample.nanos, last);
    row.clear();
    int changed = 0;
    int next = 0;
    for (int column = 0; column < Sample.COLUMNS; column++) {
      long value = sample.values[column];
      if (value != before[column]) {
        row.number(column - next);
        row.signed(value - before[column]);
        before[column] = value;
        next = column + 1;
        changed++;
      }
    }
    rows.number(now - last);
    rows.number(changed);
    rows.append(row);
    last = now;
    count++;
  }

  int count() {
    return count;
  }

  boolean isFull() {
    return rows.size() >= RecordingFormat.FULL_BLOCK;
  }

  /** Writes the block and starts the next one. */
  void finish(ByteSink into) {
    into.number(count);
    into.signed(first);
    into.append(rows);
    rows.clear();
    count = 0;
    Arrays.fill(before, 0);
  }
}
