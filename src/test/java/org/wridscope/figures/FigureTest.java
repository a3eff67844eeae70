// SPDX-License-Identifier: Apache-2.0
package org.wridscope.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** The catalogue of figures, and its page. */
final class FigureTest {
  private static final long SECOND = 1_000_000_000;

  /** The page; a run with this property writes it. */
  private static final String WRITE = "wridscope.write.figures";

  /** Packets have only the destination's keys. */
  private static final Set<Figure> OF_REGIONS =
      EnumSet.of(
          Figure.REGISTRATIONS_ALIVE,
          Figure.REGISTRATIONS_PEAK,
          Figure.REGISTRATIONS_TOTAL,
          Figure.DEREGISTRATIONS_TOTAL,
          Figure.REGISTERED_BYTES,
          Figure.REGISTERED_BYTES_PEAK);

  private final Metrics metrics = new Metrics();

  private Reading reading(Role role, MigrationStatus status, Observation by) {
    return new Reading(role, status, by, metrics, 3 * SECOND);
  }

  private Reading source(Observation by) {
    return reading(Role.SOURCE, MigrationStatus.ACTIVE, by);
  }

  @Test
  void titlesAndNamesOfPrometheus_areUnique_withOneHelpForEachName() {
    assertThat(Figure.values()).extracting(Figure::title).doesNotHaveDuplicates();
    List<Figure.Exported> exported =
        Arrays.stream(Figure.values()).map(Figure::exported).flatMap(Optional::stream).toList();
    assertThat(exported).extracting(one -> one.name() + one.labels()).doesNotHaveDuplicates();
    var helps = new HashMap<String, String>();
    for (Figure.Exported one : exported) {
      assertThat(helps.computeIfAbsent(one.name(), _ -> one.help())).isEqualTo(one.help());
    }
    assertThat(Arrays.stream(Figure.values()).map(Figure::inQemu).filter(name -> !name.isEmpty()))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource
  void aFigure_isNotKnown_whereNothingObservesIt(Figure figure) {
    for (Metric metric : Metric.values()) {
      metrics.set(metric, 7);
    }
    for (Role role : Role.values()) {
      for (Observation by : Observation.values()) {
        Reading reading = reading(role, MigrationStatus.ACTIVE, by);
        boolean can =
            figure.ends().contains(role)
                && figure.observations().contains(by)
                && !(by == Observation.PACKETS
                    && role == Role.SOURCE
                    && OF_REGIONS.contains(figure));
        assertThat(figure.in(reading).isPresent()).as("%s %s", role, by).isEqualTo(can);
        assertThat(figure.text(reading).equals(Figure.NOT_KNOWN)).isEqualTo(!can);
      }
    }
  }

  @Test
  void ofAProgram_noFigureOfAMigrationIsKnown() {
    assertThat(Figure.values())
        .allMatch(figure -> figure.in(source(Observation.PROGRAM)).isEmpty());
  }

  /** All but what only identifies, and the total time, which a reading has itself. */
  @Test
  void everyMetric_isAFigure() {
    for (Metric metric :
        EnumSet.complementOf(
            EnumSet.of(Metric.QUEUE_PAIR_NUMBER, Metric.QUEUE_PAIR_IDS, Metric.TOTAL_TIME))) {
      var other = new Metrics();
      for (Metrics both : List.of(metrics, other)) {
        both.set(Metric.RAM_TOTAL, 1000);
        both.set(Metric.DIRTY_SYNC_COUNT, 1);
        both.set(Metric.REQUESTS_SENT_AGAIN, 1);
        both.set(Metric.REGISTRATIONS_SEEN, 1);
      }
      other.set(metric, 77);
      assertThat(Role.values())
          .as(metric.name())
          .anyMatch(role ->
              differs(role, Observation.ENGINE, other)
                  || differs(role, Observation.PROGRAM, other));
    }
  }

  private boolean differs(Role role, Observation by, Metrics other) {
    Reading without = reading(role, MigrationStatus.DEVICE, by);
    var with = new Reading(role, MigrationStatus.DEVICE, by, other, without.totalNanos());
    return Arrays.stream(Figure.values())
        .anyMatch(figure -> !figure.in(with).equals(figure.in(without)));
  }

  /** What nothing tells is not none, and what may be missing is not known. */
  @Test
  void registrations_ofAProgram_areKnown_asFarAsTheyAreSeen() {
    Reading program = source(Observation.PROGRAM);
    assertThat(Figure.REGISTRATIONS_TOTAL.in(program)).isEmpty();
    metrics.set(Metric.REGISTRATIONS_SEEN, 1);
    assertThat(Figure.REGISTRATIONS_TOTAL.in(program)).hasValue(0);
    assertThat(Figure.REGISTRATIONS_ALIVE.in(program)).isEmpty();
    metrics.set(Metric.REGISTRATIONS_SEEN, 2);
    assertThat(Figure.REGISTRATIONS_ALIVE.in(program)).hasValue(0);
  }

  @Test
  void timeOfFills_isThatOfADestination_andNotZeroIfItWasNotMeasured() {
    Reading destination = reading(Role.DESTINATION, MigrationStatus.ACTIVE, Observation.ENGINE);
    assertThat(Figure.FILL_TIME.in(destination)).as("nothing was filled").hasValue(0);
    metrics.set(Metric.DUPLICATE_PAGES, 5);
    assertThat(Figure.FILL_TIME.text(destination)).isEqualTo("not known");
    metrics.set(Metric.FILL_TIME, SECOND);
    assertThat(Figure.FILL_TIME.text(destination)).isEqualTo("1.0 s");
    assertThat(Figure.FILL_TIME.text(source(Observation.ENGINE))).isEqualTo("not known");
  }

  @Test
  void dirtyRate_isNotZero_beforeItIsMeasured() {
    metrics.set(Metric.DIRTY_SYNC_COUNT, 1);
    assertThat(Figure.DIRTY_RATE.text(source(Observation.ENGINE))).isEqualTo("not known");
    metrics.set(Metric.DIRTY_SYNC_COUNT, 2);
    assertThat(Figure.DIRTY_RATE.text(source(Observation.ENGINE))).isEqualTo("0 B/s");
    // A QEMU and its log have 0 in later rounds, too, while it is not measured.
    assertThat(Figure.DIRTY_RATE.text(source(Observation.QMP))).isEqualTo("not known");
    assertThat(Figure.DIRTY_RATE.text(source(Observation.LOG))).isEqualTo("not known");
    metrics.set(Metric.DIRTY_BYTES_RATE, 1 << 20);
    assertThat(Figure.DIRTY_RATE.text(source(Observation.LOG))).isEqualTo("1.00 MiB/s");
  }

  @Test
  void limits_areThoseOfASource_andNotOfALog() {
    metrics.set(Metric.DOWNTIME_LIMIT, 300_000_000);
    assertThat(Figure.DOWNTIME_LIMIT.text(source(Observation.ENGINE))).isEqualTo("300 ms");
    assertThat(Figure.BANDWIDTH_LIMIT.text(source(Observation.ENGINE))).isEqualTo("none");
    assertThat(
            Figure.DOWNTIME_LIMIT.text(
                reading(Role.DESTINATION, MigrationStatus.ACTIVE, Observation.ENGINE)))
        .isEqualTo("not known");
    assertThat(Figure.BANDWIDTH_LIMIT.text(source(Observation.LOG))).isEqualTo("not known");
  }

  @Test
  void registrations_ofPackets_areKnownAtTheDestination() {
    metrics.set(Metric.REGISTRATIONS_TOTAL, 3);
    assertThat(Figure.REGISTRATIONS_TOTAL.text(source(Observation.PACKETS))).isEqualTo("not known");
    assertThat(
            Figure.REGISTRATIONS_TOTAL.text(
                reading(Role.DESTINATION, MigrationStatus.ACTIVE, Observation.PACKETS)))
        .isEqualTo("3");
  }

  /** W7: zero pages are processed, but not sent. */
  @Test
  void throughput_onTheWire_isWithoutZeroPages() {
    metrics.set(Metric.SETUP_TIME, SECOND);
    metrics.set(Metric.RAM_PROCESSED, 400 << 20);
    metrics.set(Metric.RAM_TRANSFERRED, 100 << 20);
    assertThat(Figure.PROCESSED_RATE.text(source(Observation.ENGINE))).isEqualTo("200 MiB/s");
    assertThat(Figure.WIRE_RATE.text(source(Observation.ENGINE))).isEqualTo("50.0 MiB/s");
    metrics.set(Metric.SETUP_TIME, 3 * SECOND);
    assertThat(Figure.WIRE_RATE.text(source(Observation.ENGINE))).isEqualTo("not known");
  }

  /** W14: a QEMU takes zero pages from what is left only when it synchronizes. */
  @Test
  void arrived_inTheFirstRound_countsZeroPages() {
    metrics.set(Metric.RAM_TOTAL, 1000);
    metrics.set(Metric.RAM_REMAINING, 960);
    metrics.set(Metric.RAM_PROCESSED, 890);
    metrics.set(Metric.DIRTY_SYNC_COUNT, 1);
    assertThat(source(Observation.QMP).arrived()).hasValue(0.89);
    metrics.set(Metric.DIRTY_SYNC_COUNT, 2);
    assertThat(source(Observation.QMP).arrived().orElseThrow()).isBetween(0.0399, 0.0401);
    assertThat(reading(Role.DESTINATION, MigrationStatus.ACTIVE, Observation.ENGINE).arrived())
        .isEmpty();
    assertThat(reading(Role.DESTINATION, MigrationStatus.COMPLETED, Observation.QMP).arrived())
        .hasValue(1);
  }

  @Test
  void thePage_isWrittenFromTheCatalogue() throws IOException {
    Path page = Path.of("docs", "figures.md");
    String text = page();
    if (Boolean.getBoolean(WRITE)) {
      Files.writeString(page, text);
    }
    assertThat(page).as("written with -D%s=true", WRITE).hasContent(text);
  }

  private static String page() {
    var text = new StringBuilder();
    text.append(
        """
        # Figures

        What each figure of a migration means, and who knows it. Every view, report and export reads it from one catalogue
        (`figures.Figure`), from which this page is written. A figure that is not known is said to be "not known" or left out; it
        is never 0. Prometheus names have the prefix `wridscope_migration_`, and counters the suffix `_total` ([metrics](metrics.md)).

        | figure | what is measured | unit | known at | known from | better | `query-migrate` | Prometheus |
        |---|---|---|---|---|---|---|---|
        """);
    for (Figure figure : Figure.values()) {
      text.append("| ")
          .append(
              Stream.of(
                      figure.title(),
                      figure.measured(),
                      figure.unit().symbol(),
                      figure.ends().size() == Role.values().length
                          ? "both ends"
                          : figure.ends().stream().map(Role::text).collect(Collectors.joining()),
                      figure.observations().stream()
                          .map(Observation::text)
                          .collect(Collectors.joining(", ")),
                      switch (figure.better()) {
                        case MORE -> "more";
                        case LESS -> "less";
                        case NEITHER -> "";
                      },
                      code(figure.inQemu()),
                      figure.exported().map(FigureTest::exported).orElse(""))
                  .collect(Collectors.joining(" | ")))
          .append(" |\n");
    }
    return text.toString();
  }

  private static String code(String name) {
    return name.isEmpty() ? "" : "`" + name + "`";
  }

  private static String exported(Figure.Exported name) {
    var labels = new StringBuilder();
    for (int i = 0; i < name.labels().size(); i += 2) {
      labels
          .append(labels.isEmpty() ? "" : ",")
          .append(name.labels().get(i))
          .append("=\"")
          .append(name.labels().get(i + 1))
          .append('"');
    }
    return code(name.name() + (labels.isEmpty() ? "" : "{" + labels + "}"));
  }
}
