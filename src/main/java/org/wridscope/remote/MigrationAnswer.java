// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.telemetry.MigrationStatus;

/** QEMU's {@code MigrationInfo}, the answer to {@code query-migrate}. */
final class MigrationAnswer {
  /** Members that QEMU always tells, of what Wridscope does not do. */
  private static final List<String> ALWAYS_ZERO =
      List.of(
          "skipped",
          "postcopy-requests",
          "multifd-bytes",
          "precopy-bytes",
          "downtime-bytes",
          "postcopy-bytes",
          "dirty-sync-missed-zero-copy");

  private MigrationAnswer() {}

  /**
   * That of QEMU's statuses which, as {@link MigrationStatus#UNDECIDED}, is no outcome: the source
   * must not run its guest, since the destination may run it, and the operator has to find out.
   */
  private static final String UNDECIDED = "postcopy-paused";

  /** The name of a status in QEMU's enumeration. */
  static String status(MigrationStatus status) {
    return status == MigrationStatus.UNDECIDED ? UNDECIDED : status.qemuName();
  }

  /** An empty object if there was no migration yet, as in QEMU. */
  static JsonObject of(Session session) {
    var answer = new JsonObject();
    MigrationStatus status = session.status();
    if (status == MigrationStatus.NONE) {
      return answer;
    }
    MigrationReport report = session.report();
    answer.addProperty("status", status(status));
    answer.addProperty("total-time", report.totalTime());
    add(answer, "expected-downtime", report.expectedDowntime());
    add(answer, "downtime", report.downtime());
    answer.addProperty("setup-time", report.setupTime());
    if (report.errorDesc() != null) {
      answer.addProperty("error-desc", report.errorDesc());
    }
    if (report.ram().total() > 0) {
      JsonObject ram = Json.GSON.toJsonTree(report.ram()).getAsJsonObject();
      ALWAYS_ZERO.forEach(member -> ram.addProperty(member, 0));
      answer.add("ram", ram);
    }
    return answer;
  }

  private static void add(JsonObject answer, String member, @Nullable Long milliseconds) {
    if (milliseconds != null) {
      answer.addProperty(member, milliseconds);
    }
  }
}
