// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;

/**
 * The report of a session as JSON, with the member names of QEMU's {@code query-migrate}; of a
 * migration with both ends here, that of the source, with that of the destination as its member
 * {@code destination}. As in QMP, an optional member that has no value is left out.
 */
final class ReportJson {
  static final Gson GSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_DASHES)
          .setPrettyPrinting()
          .disableHtmlEscaping()
          .create();

  private ReportJson() {}

  static String of(MigrationReport session, @Nullable MigrationReport destination) {
    JsonObject report = GSON.toJsonTree(session).getAsJsonObject();
    if (destination != null) {
      report.add("destination", GSON.toJsonTree(destination));
    }
    return GSON.toJson(report) + "\n";
  }
}
