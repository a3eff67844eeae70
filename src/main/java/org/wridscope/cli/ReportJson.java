// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Finding;
import org.wridscope.control.MigrationReport;

/**
 * Writes the report of a session as JSON, with the member names of QEMU's {@code query-migrate} and
 * a member {@code findings}. If both ends are in this process, it is the report of the source, with
 * the report of the destination as member {@code destination}. As in QMP, optional members without
 * a value are left out.
 */
final class ReportJson {
  static final Gson GSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_DASHES)
          .setPrettyPrinting()
          .disableHtmlEscaping()
          .create();

  private ReportJson() {}

  /**
   * @param findings about the session
   * @param destinationFindings about the destination; empty if there is none
   */
  static String of(
      MigrationReport session,
      List<Finding> findings,
      @Nullable MigrationReport destination,
      List<Finding> destinationFindings) {
    JsonObject report = one(session, findings);
    if (destination != null) {
      report.add("destination", one(destination, destinationFindings));
    }
    return GSON.toJson(report) + "\n";
  }

  private static JsonObject one(MigrationReport session, List<Finding> findings) {
    JsonObject report = GSON.toJsonTree(session).getAsJsonObject();
    var all = new JsonArray();
    for (Finding finding : findings) {
      var each = new JsonObject();
      each.addProperty("severity", finding.severity().text());
      each.addProperty("title", finding.title());
      each.addProperty("seen", finding.seen());
      each.addProperty("why", finding.why());
      each.addProperty("advice", finding.advice());
      all.add(each);
    }
    report.add("findings", all);
    return report;
  }
}
