// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

/** Counts what an export has dealt with, and tells it now and then. */
final class Meter {
  /** Things between two looks. */
  private static final int STEP = 1 << 12;

  private final Progress progress;
  private final long all;
  private long done;

  /**
   * @param all how many things there are to deal with
   */
  Meter(Progress progress, long all) {
    this.progress = progress;
    this.all = Math.max(1, all);
  }

  /** One more was dealt with. */
  void count() throws ExportCancelledException {
    if (++done % STEP == 0 && !progress.at(Math.min(1, (double) done / all))) {
      throw new ExportCancelledException();
    }
  }
}
