// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.registrations;

import java.util.List;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.layout.StackPane;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Figure;
import org.wridscope.ui.View;

/** The charts of a migration or those of a program, or why a program has none. */
final class RegistrationsView implements View {
  private static final double WIDEST_TEXT = 520;

  private final View ofMigration;
  private final View ofProgram;
  private final Label notKnown =
      new Label(
          "How much memory this program has registered is not known: what it was seen by does not"
              + " tell, calls were lost, or it ran before and the kernel did not tell.");
  private final StackPane pane;
  private @Nullable SessionPair pair;

  RegistrationsView(View ofMigration, View ofProgram) {
    this.ofMigration = ofMigration;
    this.ofProgram = ofProgram;
    notKnown.getStyleClass().add("empty-text");
    notKnown.setWrapText(true);
    notKnown.setMaxWidth(WIDEST_TEXT);
    pane = new StackPane(notKnown, ofProgram.node(), ofMigration.node());
    pane.setMinSize(0, 0);
    pane.getStyleClass().add("empty");
    choose();
  }

  /** Shows one of them, and returns the view that it is of; null for none. */
  private @Nullable View choose() {
    SessionPair of = pair;
    View chosen =
        of == null || of.leading().migrates()
            ? ofMigration
            : Figure.REGISTRATIONS_ALIVE.in(of.leading().reading()).isPresent() ? ofProgram : null;
    for (View each : List.of(ofMigration, ofProgram)) {
      each.node().setVisible(each.equals(chosen));
    }
    notKnown.setVisible(chosen == null);
    return chosen;
  }

  @Override
  public String title() {
    return RegistrationCharts.TITLE;
  }

  @Override
  public Node node() {
    return pane;
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    boolean migrates = newPair == null || newPair.leading().migrates();
    ofMigration.show(migrates ? newPair : null);
    ofProgram.show(migrates ? null : newPair);
    choose();
  }

  @Override
  public void pulse(long nowNanos) {
    View chosen = choose();
    if (chosen != null) {
      chosen.pulse(nowNanos);
    }
  }

  @Override
  public void theme(boolean dark) {
    ofMigration.theme(dark);
    ofProgram.theme(dark);
  }
}
