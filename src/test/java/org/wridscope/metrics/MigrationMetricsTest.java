// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.control.attach.RecordedPrograms;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Observation;
import org.wridscope.telemetry.DeviceCounts;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.ProgramCounts;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.DeviceCounter;
import org.wridscope.verbs.WorkCompletionStatus;

final class MigrationMetricsTest {
  private static final Pattern NAME = Pattern.compile("\\bwridscope_[a-z_]+");

  /** A source that has ended, of which everything is known. */
  static FakeSession source() {
    return end(Role.SOURCE);
  }

  private static FakeSession end(Role role) {
    FakeSession session = FakeSession.withSampleReport("lab 1 " + role.text(), "rdma:h:4444", role);
    for (Metric metric : Metric.values()) {
      session.telemetry().metrics().set(metric, 1_000_000_000L + metric.ordinal());
    }
    count(session);
    return session;
  }

  private static void count(Session session) {
    session
        .telemetry()
        .counted(
            new DeviceCounter("mlx5_0", 1, "out_of_buffer"), new DeviceCounts.Count(-2, false));
  }

  private static String text(Session... sessions) {
    return PrometheusTextFormatWriter.create()
        .toDebugString(new MigrationMetrics().of(List.of(sessions)));
  }

  private static Set<String> names(String text) {
    Matcher matcher = NAME.matcher(text);
    var names = new TreeSet<String>();
    while (matcher.find()) {
      names.add(matcher.group());
    }
    return names;
  }

  /** Everything that is exported, of both ends, in both states of a session, and of programs. */
  static String allText() {
    FakeSession ended = source();
    ended.end(MigrationStatus.COMPLETED, "Completed.");
    Session program = RecordedPrograms.running(1, 1);
    count(program);
    return text(source(), ended, end(Role.DESTINATION), program);
  }

  /** The names of everything that is exported. */
  private static Set<String> names() {
    return allText()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.replaceAll("[ {].*", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Those of migrations. */
  static List<Figure> exported() {
    return Stream.of(Figure.values())
        .filter(figure -> figure.exported().isPresent())
        .filter(figure -> figure.observations().contains(Observation.ENGINE))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("exported")
  void everyFigure_isExported_inBaseUnits(Figure figure) {
    FakeSession session = end(figure.ends().iterator().next());
    long value = figure.in(session.reading()).orElseThrow();
    double number = figure.unit() == Metric.Unit.NANOSECONDS ? value / 1e9 : value;
    assertThat(text(session)).contains("} " + number + "\n");
  }

  @Test
  void whatWasNeverTouched_isAllButWhatIsInUse() {
    FakeSession session = new FakeSession("source 1", "rdma:h:4444", Role.SOURCE, true);
    assertThat(text(session)).doesNotContain("ram_in_use").doesNotContain("ram_never");
    Metrics metrics = session.telemetry().metrics();
    metrics.set(Metric.RAM_TOTAL, 1000);
    metrics.setInUse(Metric.RAM_IN_USE_BEFORE, 0);
    metrics.setInUse(Metric.RAM_IN_USE_AFTER, 300);
    assertThat(text(session))
        .containsPattern("ram_in_use_bytes\\{.*when=\"before\".*\\} 0.0\n")
        .containsPattern("ram_never_touched_bytes\\{.*when=\"before\".*\\} 1000.0\n")
        .containsPattern("ram_in_use_bytes\\{.*when=\"after\".*\\} 300.0\n")
        .containsPattern("ram_never_touched_bytes\\{.*when=\"after\".*\\} 700.0\n");
  }

  @Test
  void names_areThoseOfKubeVirt_asFarAsItHasThem() {
    assertThat(names())
        .contains(
            "wridscope_migration_data_total_bytes",
            "wridscope_migration_data_processed_bytes_total",
            "wridscope_migration_data_remaining_bytes",
            "wridscope_migration_dirty_memory_rate_bytes",
            "wridscope_migration_memory_transfer_rate_bytes",
            "wridscope_migration_start_time_seconds",
            "wridscope_migration_end_time_seconds");
  }

  @Test
  void thePage_namesEachMetric_andNoOther() throws IOException {
    assertThat(names(Files.readString(Path.of("docs", "metrics.md")))).isEqualTo(names());
  }

  @Test
  void deviceCounters_areNamedByDeviceAndPort() {
    Session program = RecordedPrograms.running(1, 1);
    count(program);
    // 2^64 - 2, as near as a double comes to it.
    assertThat(text(source(), program))
        .contains(
            "wridscope_migration_device_counted_total{counter=\"out_of_buffer\",device=\"mlx5_0\","
                + "port=\"1\",role=\"source\",session=\"lab 1 source\"} 1.8446744073709552E19\n")
        .containsPattern("wridscope_program_device_counted_total\\{.*\\} 1.8446744073709552E19\n");
  }

  @Test
  void completions_areCounted_byQueueAndStatus() {
    FakeSession session = source();
    for (WorkCompletionStatus status :
        List.of(
            WorkCompletionStatus.SUCCESS,
            WorkCompletionStatus.SUCCESS,
            WorkCompletionStatus.RETRY_EXC_ERR)) {
      session.telemetry().event(EventKind.COMPLETION_SEND_QUEUE, status.value(), 0, 0, 0);
    }
    session
        .telemetry()
        .event(
            EventKind.COMPLETION_RECEIVE_QUEUE, WorkCompletionStatus.WR_FLUSH_ERR.value(), 0, 0, 0);
    assertThat(completions(session))
        .containsExactlyInAnyOrder(
            "receive success 0.0",
            "receive wr_flush_err 1.0",
            "send success 2.0",
            "send retry_exc_err 1.0");
  }

  private static List<String> completions(Session session) {
    return text(session)
        .lines()
        .filter(line -> line.startsWith("wridscope_migration_completions_total{"))
        .map(line -> line.replaceAll(".*queue=\"(\\w+)\".*status=\"(\\w+)\"} (.*)", "$1 $2 $3"))
        .toList();
  }

  @Test
  void whatIsNotKnownYet_isAbsent() {
    var session = new FakeSession("source 1", "rdma:h:4444", Role.SOURCE, true);
    assertThat(text(session))
        .contains("wridscope_migration_data_processed_bytes_total")
        .doesNotContain("wridscope_migration_rounds_total")
        .doesNotContain("downtime_seconds{")
        .doesNotContain("end_time_seconds")
        .contains("peer=\"unknown\"");
  }

  @Test
  void theLimitsOfADestination_areAbsent_becauseTheSourceDecides() {
    FakeSession session =
        FakeSession.withSampleReport("destination 1", "rdma:h:4444", Role.DESTINATION);
    session.telemetry().metrics().set(Metric.DOWNTIME_LIMIT, TimeUnit.DAYS.toNanos(1));
    assertThat(text(session))
        .doesNotContain("migration_downtime_limit")
        .doesNotContain("migration_bandwidth_limit");
  }

  /** The values of a metric, with its labels but that of the session. */
  private static List<String> values(String metric, Session session) {
    return text(session)
        .lines()
        .filter(line -> line.startsWith(metric + "{"))
        .map(line -> line.substring(metric.length()).replaceAll(",?session=\"[^\"]*\",?", ","))
        .map(line -> line.replaceAll("[{}\"]", "").replaceAll("[, ]+", " ").strip())
        .toList();
  }

  /** Each queue pair posts three requests and a receive in each round, and one fails at the end. */
  @Test
  void aProgram_isCounted_byQueuePair_queueAndStatus() {
    Session program = RecordedPrograms.running(2, 10);
    assertThat(values("wridscope_program_requests_posted_total", program))
        .containsExactlyInAnyOrder(
            "queue=receive queue_pair=QP 17 10.0",
            "queue=send queue_pair=QP 17 30.0",
            "queue=receive queue_pair=QP 18 10.0",
            "queue=send queue_pair=QP 18 31.0");
    assertThat(values("wridscope_program_completions_total", program))
        .containsExactlyInAnyOrder(
            "queue=receive queue_pair=QP 17 status=success 10.0",
            "queue=send queue_pair=QP 17 status=success 20.0",
            "queue=receive queue_pair=QP 18 status=success 10.0",
            "queue=send queue_pair=QP 18 status=success 20.0",
            "queue=unknown queue_pair=QP 18 status=retry_exc_err 1.0");
    assertThat(values("wridscope_program_attached", program)).containsExactly("1.0");
  }

  @Test
  void aProgram_hasNothingOfAMigration_andNoZeroInPlaceOfWhatIsNotSeen() {
    assertThat(text(RecordedPrograms.running(1, 1)))
        .doesNotContain("wridscope_migration_", "wridscope_sessions");
  }

  @Test
  void queuePairsBeyondTheMost_areCountedTogether() {
    assertThat(
            values(
                "wridscope_program_requests_posted_total",
                RecordedPrograms.running(ProgramCounts.MOST_QUEUES + 3, 1)))
        .hasSize(2 * (ProgramCounts.MOST_QUEUES + 1))
        .contains("queue=send queue_pair=others 10.0", "queue=receive queue_pair=others 3.0");
  }

  @Test
  void theStatus_isOneOfAll() {
    FakeSession session = source();
    session.end(MigrationStatus.FAILED, "The peer has gone.");
    assertThat(text(session).lines())
        .filteredOn(line -> line.startsWith("wridscope_migration_status{"))
        .hasSize(MigrationStatus.values().length)
        .filteredOn(line -> line.endsWith(" 1.0"))
        .singleElement()
        .asString()
        .contains("status=\"failed\"");
  }

  @Test
  void namesOfOthers_areShort_andDoNotEndTheLine() {
    String name = "a\"} 1\nwridscope_forged 1\n" + "x".repeat(10_000);
    var session = new FakeSession(name, "rdma:h:4444", Role.SOURCE, false);
    session.setDevice("b\\\u001b[31m", "");
    String text = text(session);
    assertThat(text.lines()).noneMatch(line -> line.startsWith("wridscope_forged"));
    assertThat(text.lines()).allMatch(line -> line.length() < 600);
    assertThat(text).doesNotContain("\u001b");
  }

  @Test
  void namesThatAreEqualWhenCutOff_areToldApart() {
    String name = "x".repeat(1000);
    var first = new FakeSession(name + "1", "rdma:h:4444", Role.SOURCE, false);
    var second = new FakeSession(name + "2", "rdma:h:4444", Role.SOURCE, false);
    assertThat(text(first, second)).contains("wridscope_sessions 2.0\n").contains("x... (2)\"");
  }

  @Test
  void moreSessionsThanAreExported_areCounted() {
    var sessions = new ArrayList<Session>();
    for (int i = 0; i < MigrationMetrics.MAX_SESSIONS + 3; i++) {
      sessions.add(new FakeSession("source " + i, "rdma:h:4444", Role.SOURCE, false));
    }
    String text = text(sessions.toArray(Session[]::new));
    assertThat(text)
        .contains("wridscope_sessions 103.0\n")
        .contains("wridscope_sessions_left_out 3.0\n")
        .doesNotContain("session=\"source 2\"")
        .contains("session=\"source 3\"")
        .contains("session=\"source 102\"");
  }

  @Test
  void promtool_hasNoObjections() throws IOException, InterruptedException {
    Promtool.assumeInstalled();
    MetricSnapshots snapshots =
        new MigrationMetrics().of(List.of(source(), RecordedPrograms.running(2, 3)));
    assertThat(
            Promtool.run(
                out -> PrometheusTextFormatWriter.create().write(out, snapshots),
                "check",
                "metrics"))
        .isEmpty();
  }
}
