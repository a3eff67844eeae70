// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import static org.assertj.core.api.Assertions.assertThat;

import javafx.scene.Scene;
import javafx.scene.control.TableView;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.framework.junit5.Start;
import org.wridscope.control.FakeSession;
import org.wridscope.recording.SessionPair;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;

@ExtendWith(ApplicationExtension.class)
final class LogViewTest {
  private static final int EVENTS = 60_000;

  private final FakeSession source =
      new FakeSession("l source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("l destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final Selection selection = new Selection();
  private final TimeRange range = new TimeRange();
  private final Analyses analyses = new Analyses();
  private final Search search = new Search(range, selection, analyses);
  private LogView view;
  private long now = 1;

  @Start
  void start(Stage stage) {
    view = new LogView(range, selection, search);
    stage.setScene(new Scene(new StackPane(view.node()), 700, 400));
    stage.show();
  }

  private void pulse(FxRobot robot) {
    robot.interact(() -> {
      now += 200_000_000;
      search.advance();
      view.pulse(now);
    });
  }

  private TableView<?> table() {
    return (TableView<?>) view.node().lookup("#log-table");
  }

  @Test
  void eventChosenElsewhere_isShownWhateverTheEndAndTheFilter(FxRobot robot) {
    for (int i = 0; i < EVENTS; i++) {
      destination.telemetry().log().add(i, EventKind.POST_RECEIVE, 0, i, 4000, 0);
    }
    var pair = new SessionPair(source, destination);
    robot.interact(() -> {
      search.show(pair);
      view.show(pair);
    });
    pulse(robot);
    robot.interact(() -> {
      search.find("nothing");
      search.onlyProperty().set(true);
    });
    pulse(robot);
    assertThat(table().getItems()).isEmpty();
    Event early = destination.telemetry().log().read(1_234, 1).getFirst();
    robot.interact(() -> {
      range.followProperty().set(false);
      selection.select(new Selected.LoggedEvent(destination, early));
    });
    pulse(robot);
    assertThat(table().getSelectionModel().getSelectedItem()).isEqualTo(early);
    Event late = destination.telemetry().log().read(EVENTS - 7, 1).getFirst();
    robot.interact(() -> selection.select(new Selected.LoggedEvent(destination, late)));
    pulse(robot);
    assertThat(table().getSelectionModel().getSelectedItem()).isEqualTo(late);
    assertThat(selection.get()).isEqualTo(new Selected.LoggedEvent(destination, late));
  }
}
