// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.messages;

import java.util.List;
import java.util.function.Supplier;
import javafx.scene.control.CheckBox;
import javafx.scene.control.MenuItem;
import javafx.scene.control.Tooltip;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.HBox;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ladder;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.TitledView;

/**
 * The control messages between source and destination as a ladder: time runs downwards, each
 * message is an arrow from the end that sent it to the other one. A click selects a message, and
 * the arrow keys go from message to message.
 */
public final class MessagesView extends TitledView<BorderPane> {
  private final TimeRange range;
  private final Selection selection;
  private final Analyses analyses;
  private final Search search;
  private final LadderPlot picture;
  private final CheckBox heartbeats = new CheckBox("Heartbeats");

  private @Nullable SessionPair pair;
  private @Nullable Ladder ladder;
  private long drawnNext = -1;

  /**
   * Makes an empty view that shows and changes the selection.
   *
   * @param menu what can be done with it
   */
  public MessagesView(
      TimeRange range,
      Selection selection,
      Analyses analyses,
      Search search,
      Supplier<List<MenuItem>> menu) {
    super("Messages", new BorderPane());
    this.search = search;
    this.range = range;
    this.selection = selection;
    this.analyses = analyses;
    picture =
        new LadderPlot(
            range, this::select, this::step, this::isFound, heartbeats::isSelected, menu);
    heartbeats.setId("message-heartbeats");
    heartbeats.setTooltip(
        new Tooltip("Show also the messages that only say that their sender is there"));
    heartbeats.selectedProperty().subscribe(_ -> picture.plot().renew());
    var bar = new HBox(heartbeats);
    bar.getStyleClass().add("view-bar");
    root.setTop(bar);
    root.setCenter(picture.plot().node());
    root.setId("messages");
    selection.selectedProperty().subscribe(_ -> picture.plot().renew());
    theme(true);
    show(null);
  }

  LadderPlot picture() {
    return picture;
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    ladder =
        newPair == null
            ? null
            : new Ladder(requests(newPair.source()), requests(newPair.destination()));
    drawnNext = -1;
    picture.show(newPair, ladder);
  }

  private @Nullable Requests requests(@Nullable Session session) {
    return session == null ? null : analyses.of(session);
  }

  @Override
  public void theme(boolean dark) {
    picture.theme(dark);
  }

  @Override
  public void pulse(long nowNanos) {
    long next = 0;
    SessionPair of = pair;
    if (of != null) {
      picture.setComplete(analyses.advance(of));
      for (Session session : of.sessions()) {
        next += analyses.of(session).next();
      }
    }
    boolean changed = next != drawnNext;
    drawnNext = next;
    picture.setChosen(chosen());
    picture.plot().pulse(nowNanos, changed || picture.plot().hasMoved());
  }

  /** Whether the event in which a message was sent or received was found. */
  private boolean isFound(Ladder.Rung rung) {
    return pair != null
        && (isFound(rung.from(), rung.sentEvent())
            || isFound(rung.from().other(), rung.receivedEvent()));
  }

  private boolean isFound(Role end, long event) {
    Session session = pair == null ? null : end == Role.SOURCE ? pair.source() : pair.destination();
    return session != null && search.has(session, event);
  }

  /** The message that is selected, or the one that the selected request carries. */
  private Ladder.@Nullable Rung chosen() {
    Ladder of = ladder;
    Selected selected = selection.get();
    if (of == null || selected == null || pair == null) {
      return null;
    }
    if (!pair.sessions().contains(selected.session())) {
      return null;
    }
    Role role = selected.session().role();
    return switch (selected) {
      case Selected.LoggedEvent logged -> of.ofEvent(role, logged.event().number());
      case Selected.WorkRequest request -> {
        for (var station : request.facts().history()) {
          Ladder.Rung rung = of.ofEvent(role, station.event());
          if (rung != null) {
            yield rung;
          }
        }
        yield null;
      }
      default -> null;
    };
  }

  /** Selects the event in which a message was sent, or the one in which it was received. */
  private void select(Ladder.Rung rung) {
    if (pair == null) {
      return;
    }
    boolean sent = rung.sentEvent() >= 0;
    boolean atSource = (rung.from() == Role.SOURCE) == sent;
    Session session = atSource ? pair.source() : pair.destination();
    if (session != null) {
      selection.selectEvent(session, sent ? rung.sentEvent() : rung.receivedEvent());
    }
  }

  /** Selects the message after the selected one, or the one before. */
  private boolean step(KeyEvent event) {
    boolean later = event.getCode() == KeyCode.DOWN;
    Ladder.Rung chosen = chosen();
    if (ladder == null || chosen == null || !(later || event.getCode() == KeyCode.UP)) {
      return false;
    }
    Ladder.Rung rung = LadderModel.neighbour(ladder, chosen, later, picture::isShown);
    if (rung != null) {
      select(rung);
      if (rung.firstNanos() < range.leftNanos() || rung.lastNanos() > range.rightNanos()) {
        long half = range.shownNanos() / 2;
        range.hold(rung.firstNanos() - half, rung.firstNanos() + half);
      }
    }
    return true;
  }
}
