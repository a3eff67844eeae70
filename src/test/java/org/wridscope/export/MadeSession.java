// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * A session that never ran; whoever makes it writes its telemetry.
 *
 * @param name what everything about it is called, too
 */
record MadeSession(String name, SessionTelemetry telemetry, @Nullable String outcome)
    implements Session {
  static final int EVENTS_KEPT = 1 << 20;

  /** A session with blocks of three chunks each. */
  static MadeSession of(Role role, String name, List<String> blocks) {
    var telemetry = new SessionTelemetry(role, true, EVENTS_KEPT);
    var tables = new ArrayList<ChunkTable>();
    for (String block : blocks) {
      tables.add(new ChunkTable(tables.size(), block, 3 * ChunkTable.CHUNK_SIZE, 0x7000_0000L));
    }
    telemetry.setBlocks(tables);
    return new MadeSession(name, telemetry, name);
  }

  @Override
  public String uri() {
    return name;
  }

  @Override
  public String device() {
    return name;
  }

  @Override
  public String deviceReason() {
    return name;
  }

  @Override
  public boolean guestRunning() {
    return false;
  }

  @Override
  public void cancel() {}

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {}

  @Override
  public void setDowntimeLimit(Duration limit) {}

  @Override
  public MigrationReport report() {
    return Reports.ofTelemetry(this, System.nanoTime());
  }

  @Override
  public boolean await(Duration timeout) {
    return true;
  }

  @Override
  public void close() {}
}
