// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Evidence;
import org.wridscope.analysis.Finding;
import org.wridscope.control.FakeSession;
import org.wridscope.control.MigrationReport;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

final class ReportJsonTest {
  private static final List<Finding> FINDINGS =
      List.of(
          new Finding(
              Finding.Severity.WARNING,
              "a title",
              "it was seen.",
              "Why.",
              "Do.",
              new Evidence.Whole()));

  private final FakeSession source =
      FakeSession.withSampleReport("source", "rdma:h:1", Role.SOURCE);
  private final FakeSession destination =
      FakeSession.withSampleReport("destination", "rdma:h:1", Role.DESTINATION);

  @Test
  void of_completed_hasTheNamesOfQueryMigrate() {
    source.endVerified("The guest was migrated.");
    destination.endVerified("The guest was migrated.");
    JsonObject json = json();
    assertThat(json.keySet())
        .containsExactly(
            "status",
            "total-time",
            "downtime",
            "setup-time",
            "ram",
            "role",
            "uri",
            "device",
            "peer",
            "pin-all",
            "verified",
            "uncompared",
            "unconfirmed",
            "downtime-phases",
            "completions",
            "registrations",
            "control-messages",
            "digests",
            "virtio",
            "events-left-out",
            "findings",
            "destination");
    assertThat(json.getAsJsonObject("ram").keySet())
        .containsExactly(
            "transferred",
            "remaining",
            "total",
            "duplicate",
            "normal",
            "normal-bytes",
            "dirty-pages-rate",
            "mbps",
            "dirty-sync-count",
            "page-size",
            "pages-per-second");
    assertThat(json.getAsJsonObject("registrations").keySet())
        .containsExactly(
            "alive", "peak", "total", "bytes", "round-trips", "hinted", "unregistered", "deferred");
    assertThat(json.getAsJsonObject("virtio").keySet())
        .containsExactly("completed", "in-flight", "map-changes", "resets");
    assertThat(json.get("downtime").getAsString()).isEqualTo("38");
  }

  @Test
  void of_findings_areMembersOfTheEndThatTheyAreAbout() {
    source.endVerified("The guest was migrated.");
    JsonObject finding = json().getAsJsonArray("findings").get(0).getAsJsonObject();
    assertThat(finding.keySet()).containsExactly("severity", "title", "seen", "why", "advice");
    assertThat(finding.get("severity").getAsString()).isEqualTo("warning");
    assertThat(json().getAsJsonObject("destination").getAsJsonArray("findings")).isEmpty();
  }

  @Test
  void of_keysOfMaps_stayAsTheyAre() {
    source.endVerified("The guest was migrated.");
    JsonObject json = json();
    assertThat(json.getAsJsonObject("downtime-phases").keySet()).containsExactly("last pages");
    assertThat(json.getAsJsonObject("digests").getAsJsonObject("source").keySet())
        .containsExactly("pc.ram");
  }

  @Test
  void of_failed_leavesOutWhatHasNoValue() {
    source.end(MigrationStatus.FAILED, "It's <broken>.");
    assertThat(json().keySet()).contains("error-desc").doesNotContain("downtime");
    assertThat(text()).contains("It's <broken>.");
  }

  @Test
  void roundTrip_bothEnds_areEqual() {
    source.endVerified("The guest was migrated.");
    destination.end(MigrationStatus.FAILED, "Broken.");
    assertThat(ReportJson.GSON.fromJson(text(), MigrationReport.class)).isEqualTo(source.report());
    assertThat(ReportJson.GSON.fromJson(json().get("destination"), MigrationReport.class))
        .isEqualTo(destination.report());
  }

  private String text() {
    return ReportJson.of(source.report(), FINDINGS, destination.report(), List.of());
  }

  private JsonObject json() {
    return JsonParser.parseString(text()).getAsJsonObject();
  }
}
