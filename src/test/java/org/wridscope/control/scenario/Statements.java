// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Endings;
import org.wridscope.control.Lab;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.time.Time;
import org.wridscope.ui.overview.OverviewModel;
import org.wridscope.ui.overview.Tile;
import org.wridscope.ui.sessions.Migration;

/** Checks that views and reports of a lab migration that has ended do not contradict each other. */
public final class Statements {
  private Statements() {}

  /** Checks them, whether the migration completed or failed. */
  public static void check(String run, Lab lab) {
    Ending ending = Endings.of(lab.source(), lab.destination());
    assertThat(ending).as("%s ended", run).isNotNull();
    arrived(run, lab.source());
    explanation(run, lab, ending);
    for (Session session : List.of(lab.source(), lab.destination())) {
      registrations(run, session);
    }
  }

  private static void arrived(String run, Session source) {
    Metrics metrics = source.telemetry().metrics();
    MigrationReport report = source.report();
    long remaining = metrics.get(Metric.RAM_REMAINING);
    assertThat(remaining).as(run).isBetween(0L, metrics.get(Metric.RAM_TOTAL));
    assertThat(report.ram().remaining()).as(run).isEqualTo(remaining);
    assertThat(metrics.get(Metric.ROUND_PROCESSED))
        .as("%s: of its last round", run)
        .isBetween(0L, metrics.get(Metric.ROUND_BYTES));
    var overview = new OverviewModel(Session::reading);
    overview.show(new SessionPair(source, null));
    Tile arrived = overview.progressTile();
    if (source.status() == MigrationStatus.COMPLETED) {
      assertThat(remaining).as(run).isZero();
      assertThat(arrived.value()).isEqualTo("100 %");
    } else if (remaining == 0 && metrics.get(Metric.RAM_TOTAL) > 0) {
      assertThat(arrived.detail()).as(run).startsWith("all RAM, but ");
    } else {
      assertThat(Migration.progress(source, source.reading())).as(run).isLessThan(1);
      assertThat(arrived.value()).as(run).isNotEqualTo("100 %");
      assertThat(overview.convergenceTile().mood()).as(run).isNotEqualTo(Tile.Mood.GOOD);
    }
  }

  private static void explanation(String run, Lab lab, Ending ending) {
    Explanation explanation =
        Explainer.explain(
            new Requests(lab.source().telemetry()).readAll(),
            new Requests(lab.destination().telemetry()).readAll(),
            Time.nanos(),
            ending);
    assertThat(explanation.state()).as(run).isEqualTo(ending.state());
    if (!explanation.headline().equals(ending.sentence())) {
      assertThat(explanation.summary()).as(run).startsWith(ending.sentence());
    }
    assertThat(ending.sentence()).as(run).doesNotContain("flush");
    MigrationStatus status = lab.source().status();
    if (ending.state() == State.UNSOUND) {
      assertThat(status).as(run).isEqualTo(MigrationStatus.COMPLETED);
    } else {
      assertThat(ending.state()).as(run).isEqualTo(State.of(status));
    }
    boolean sound =
        lab.source().report().verified()
            && lab.source().report().requestsSound()
            && lab.destination().report().requestsSound()
            && lab.destination().status() == MigrationStatus.COMPLETED;
    assertThat(ending.state() == State.COMPLETED)
        .as("%s: %s", run, ending)
        .isEqualTo(sound && status == MigrationStatus.COMPLETED);
    if (status == MigrationStatus.FAILED) {
      assertThat(ending.sentence())
          .as(run)
          .contains(lab.source().guestRunning() ? "keeps running at the source" : "guest");
    }
  }

  private static void registrations(String run, Session session) {
    Metrics metrics = session.telemetry().metrics();
    assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).as(run).isZero();
    assertThat(metrics.get(Metric.REGISTERED_BYTES)).as(run).isZero();
    for (ChunkTable table : session.telemetry().blocks()) {
      assertThat(table.count(ChunkState.REGISTERED)).as("%s, %s", run, table.name()).isZero();
      assertThat(table.count(ChunkState.IN_TRANSIT)).as("%s, %s", run, table.name()).isZero();
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        assertThat(table.localKey(chunk) | table.remoteKey(chunk)).as(run).isZero();
      }
    }
  }
}
