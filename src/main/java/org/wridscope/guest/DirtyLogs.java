// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.List;
import org.wridscope.memory.DirtyBitmap;

/** The dirty logs of a guest, combined. */
record DirtyLogs(List<WriteLog> logs) implements DirtyLog {

  @Override
  public void start() {
    logs.forEach(WriteLog::start);
  }

  @Override
  public void stop() {
    logs.forEach(WriteLog::stop);
  }

  @Override
  public void fetchAndClear(int block, DirtyBitmap into) {
    logs.forEach(log -> log.fetchAndClear(block, into));
  }
}
