// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.completions;

import static org.assertj.core.api.Assertions.assertThat;

import javafx.scene.layout.Region;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.ScriptedMigration;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.ViewStage;
import org.wridscope.ui.registrations.RegistrationCharts;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class ChartViewsTest {
  private final ScriptedMigration migration = new ScriptedMigration(1).run(6);
  private final TimeRange range = new TimeRange();
  private ViewStage shown;

  @Start
  void start(Stage stage) {
    shown = new ViewStage(stage, CompletionCharts.view(range), 1000, 700);
    range.reset(migration.origin());
    range.update(migration.origin() + 6_000_000_000L);
  }

  private void show(FxRobot robot, View view) {
    robot.interact(() -> {
      shown.show(view);
      view.show(migration.pair());
    });
    shown.pulse(robot);
  }

  @Test
  void completions_ofBothEnds_haveFactsDepthAndFailures(FxRobot robot) {
    SessionTelemetry telemetry = migration.source().telemetry();
    telemetry.event(EventKind.COMPLETION_SEND_QUEUE, 10, 0, 1, 0);
    telemetry.metrics().set(Metric.FAILED_COMPLETIONS, 1);
    try (var sampler = new Sampler()) {
      sampler.add(telemetry);
      sampler.remove(telemetry);
    }
    var view = CompletionCharts.view(range);
    show(robot, view);
    assertThat(shown.texts())
        .contains("Send queue", "Receive queue", "depth 512", "× failed 1")
        .anyMatch(text -> text.startsWith("lab 1 source   failed in both queues 1 "))
        .anyMatch(text -> text.startsWith("lab 1 destination"));
    assertThat(robot.lookup(".chart-view").queryAllAs(Region.class))
        .anyMatch(chart -> chart.getAccessibleText().startsWith("Send queue, outstanding: WRITE "));
    robot.interact(() -> ((Region) view.node()).setMaxSize(400, 120));
    shown.pulse(robot);
    // If failures take the room, the title goes before the names of the series.
    assertThat(shown.texts())
        .contains("SEND", "WRITE", "× 1")
        .doesNotContain("Receive queue, outstanding");
    robot.interact(() -> view.show(null));
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("Select a migration to see the completions of its send and receive queue.");
  }

  @Test
  void completions_ofASharedQueue_areStackedInOneChart_andDroppedOnesAreCounted(FxRobot robot) {
    SessionTelemetry telemetry = migration.source().telemetry();
    var view = CompletionCharts.view(range);
    show(robot, view);
    assertThat(shown.texts()).contains("Receive queue");
    telemetry.metrics().set(Metric.COMPLETION_QUEUE_SHARED, 1);
    telemetry.metrics().set(Metric.COMPLETIONS_DROPPED, 1);
    telemetry.completionDropped(4000, 2000);
    try (var sampler = new Sampler()) {
      sampler.add(telemetry);
      sampler.remove(telemetry);
    }
    robot.interact(() -> view.show(new SessionPair(migration.source(), null)));
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("Shared queue", "Shared queue, outstanding", "× dropped 1", "RECEIVE")
        .doesNotContain("Send queue", "Receive queue", "Receive queue, outstanding")
        .anyMatch(text -> text.contains("dropped 1 · shared queue "));
  }

  @Test
  void registrations_ofOneEnd_haveFactsAndCharts(FxRobot robot) {
    var view = RegistrationCharts.view(range);
    show(robot, view);
    robot.interact(() -> view.show(new SessionPair(null, migration.destination())));
    shown.pulse(robot);
    long total = migration.destination().telemetry().metrics().get(Metric.REGISTRATIONS_TOTAL);
    assertThat(shown.texts())
        .contains("Registrations", "RAM pinned", "Rate", "Time per registration")
        .anyMatch(text ->
            text.startsWith("lab 1 destination") && text.contains("%,d in total".formatted(total)))
        .noneMatch(text -> text.startsWith("source"));
  }

  @Test
  void registrations_haveTheLimitOfTheirOwnMachine(FxRobot robot) {
    var view = RegistrationCharts.view(range);
    show(robot, view);
    assertThat(shown.texts()).noneMatch(text -> text.contains("memlock limit"));
    migration.source().telemetry().metrics().set(Metric.MEMLOCK_LIMIT, 1L << 40);
    show(robot, view);
    assertThat(shown.texts())
        .filteredOn(text -> text.startsWith("lab 1 source") || text.startsWith("lab 1 dest"))
        .anyMatch(text -> text.endsWith("memlock limit 1.00 TiB"))
        .anyMatch(text -> !text.contains("memlock limit"));
  }
}
