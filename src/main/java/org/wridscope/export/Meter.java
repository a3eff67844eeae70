// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

/** Counts the processed items of an export and reports progress at intervals. */
final class Meter {
  /** Number of items between two reports. */
  private static final int STEP = 1 << 12;

  private final Progress progress;
  private final long all;
  private long done;

  /**
   * @param all total number of items
   */
  Meter(Progress progress, long all) {
    this.progress = progress;
    this.all = Math.max(1, all);
  }

  /** Counts one more item. */
  void count() throws ExportCancelledException {
    if (++done % STEP == 0 && !progress.at(Math.min(1, (double) done / all))) {
      throw new ExportCancelledException();
    }
  }
}
