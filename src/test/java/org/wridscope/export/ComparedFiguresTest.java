// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Figure.Better;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.WholeFile;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;

/** The figures of two migrations, and their file. */
final class ComparedFiguresTest {
  private static FakeSession session(Role role, long writes, long downtime) {
    var session = new FakeSession("f", "rdma:127.0.0.1:4444", role, true);
    session.telemetry().metrics().set(Metric.WRITES_POSTED, writes);
    session.telemetry().metrics().set(Metric.DOWNTIME, downtime);
    session.telemetry().metrics().set(Metric.QUEUE_PAIR_NUMBER, 17);
    return session;
  }

  private static ComparedFigures compared(SessionPair one, SessionPair other) {
    return ComparedFigures.of("one", one, "=other", other);
  }

  @Test
  void rows_haveDifferencesAndRatios_ofWhatIsKnown() {
    ComparedFigures figures =
        compared(
            new SessionPair(session(Role.SOURCE, 100, 40_000_000), null),
            new SessionPair(session(Role.SOURCE, 150, 0), session(Role.DESTINATION, 7, 0)));
    assertThat(figures.rows())
        .containsExactly(
            new ComparedFigures.Row(
                Figure.DOWNTIME.title(),
                Role.SOURCE,
                Metric.Unit.NANOSECONDS,
                40_000_000L,
                null,
                Better.LESS),
            new ComparedFigures.Row(
                Figure.WRITES_POSTED.title(),
                Role.SOURCE,
                Metric.Unit.COUNT,
                100L,
                150L,
                Better.NEITHER));
    ComparedFigures.Row downtime = figures.rows().getFirst();
    assertThat(downtime.difference()).as("it is not known, not 0").isNull();
    assertThat(downtime.ratio()).isNull();
    assertThat(figures.rows().getLast().difference()).isEqualTo(50);
    assertThat(figures.rows().getLast().ratio()).isEqualTo(1.5);
  }

  @Test
  void theBetterOne_isSaid_whereThereIsOne() {
    for (Better more : Better.values()) {
      assertThat(row(more, 1L, 1L).better()).isEmpty();
      assertThat(row(more, null, 1L).better()).as("one is not known").isEmpty();
    }
    assertThat(row(Better.NEITHER, 1L, 2L).better()).isEmpty();
    assertThat(row(Better.MORE, 1L, 2L).better()).isEqualTo("right");
    assertThat(row(Better.MORE, 2L, 1L).better()).isEqualTo("left");
    assertThat(row(Better.LESS, 1L, 2L).better()).isEqualTo("left");
    assertThat(row(Better.LESS, 2L, 1L).better()).isEqualTo("right");
  }

  private static ComparedFigures.Row row(Better more, @Nullable Long left, @Nullable Long right) {
    return new ComparedFigures.Row("x", Role.SOURCE, Metric.Unit.COUNT, left, right, more);
  }

  @Test
  void endsThatOnlyOneHas_areLeftOut() {
    ComparedFigures figures =
        compared(
            new SessionPair(session(Role.SOURCE, 1, 1), null),
            new SessionPair(null, session(Role.DESTINATION, 1, 1)));
    assertThat(figures.rows()).isEmpty();
  }

  @Test
  void file_hasOneLineForEachFigure_andNoFormula(@TempDir Path directory) throws Exception {
    ComparedFigures figures =
        compared(
            new SessionPair(session(Role.SOURCE, 3, 0), null),
            new SessionPair(session(Role.SOURCE, 2, 0), null));
    Path path = directory.resolve("figures.csv");
    try (WholeFile file = WholeFile.create(Output.of("Export", path, FileKind.CSV))) {
      figures.write(file);
    }
    List<String> lines = Files.readAllLines(path);
    assertThat(lines)
        .containsExactly(
            "figure,end,unit,left: one,right: =other,difference,ratio,better",
            Figure.WRITES_POSTED.title() + ",source,,3,2,-1,0.6666667,");
  }
}
