// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import javafx.css.PseudoClass;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import org.wridscope.ui.Presence;
import org.wridscope.ui.overview.Stage.State;

/**
 * The stages side by side. If there is not enough room, times are left out first. What was left out
 * stays so until another migration is shown or the width changes: it does not come and go as times
 * get longer and stages more.
 */
final class StageLine extends HBox {

  private static final PseudoClass TIGHT = PseudoClass.getPseudoClass("tight");
  private static final PseudoClass EXPECTED = PseudoClass.getPseudoClass("expected");

  /** What is shown; each value leaves out more than the one before. */
  private enum Shown {
    ALL,
    TIME_OF_THE_CURRENT_STAGE,
    NO_TIMES,
    NO_STAGES_TO_COME,
    NO_ARROWS,
    /** Less space around the names. */
    TIGHT,
    /** Names are cut. */
    PARTS_OF_NAMES;

    boolean leavesOut(Shown what) {
      return compareTo(what) >= 0;
    }
  }

  /** A stage and the arrow before it. */
  private static final class StageNode {
    final Label arrow = new Label("›");
    final Label detail = new Label();
    final Label name;
    final HBox box;
    private final Tooltip tooltip = new Tooltip();
    private Stage stage;

    StageNode(Stage stage) {
      this.stage = stage;
      arrow.getStyleClass().add("stage-arrow");
      arrow.setMinWidth(Region.USE_PREF_SIZE);
      name = new Label(stage.name());
      name.getStyleClass().add("stage-name");
      detail.getStyleClass().addAll("stage-detail", "number");
      detail.setMinWidth(Region.USE_PREF_SIZE);
      box = new HBox(5, name, detail);
      String state = stage.state().name().toLowerCase(Locale.ROOT).replace('_', '-');
      box.getStyleClass().addAll("stage", "stage-" + state);
      Tooltip.install(box, tooltip);
      set(stage);
    }

    void set(Stage now) {
      stage = now;
      detail.setText(now.detail());
      tooltip.setText(name.getText() + (now.detail().isEmpty() ? "" : ": " + now.detail()));
    }

    boolean isSameBut(Stage other) {
      return stage.name().equals(other.name()) && stage.state() == other.state();
    }

    void show(Shown shown, boolean first) {
      boolean here = !shown.leavesOut(Shown.NO_STAGES_TO_COME) || stage.state() != State.TO_COME;
      Presence.set(box, here);
      Presence.set(arrow, here && !first && !shown.leavesOut(Shown.NO_ARROWS));
      if (box.getPseudoClassStates().contains(TIGHT) != shown.leavesOut(Shown.TIGHT)) {
        box.pseudoClassStateChanged(TIGHT, shown.leavesOut(Shown.TIGHT));
        box.applyCss();
      }
      boolean cut = shown.leavesOut(Shown.PARTS_OF_NAMES);
      name.setMinWidth(cut ? 0 : Region.USE_PREF_SIZE);
      box.setMinWidth(cut ? 0 : Region.USE_PREF_SIZE);
      boolean time =
          switch (shown) {
            case ALL -> true;
            case TIME_OF_THE_CURRENT_STAGE -> stage.state() == State.NOW;
            case NO_TIMES, NO_STAGES_TO_COME, NO_ARROWS, TIGHT, PARTS_OF_NAMES -> false;
          };
      Presence.set(detail, time && !stage.detail().isEmpty());
    }
  }

  private final Label none = new Label("The stages of the selected migration appear here.");
  private List<StageNode> nodes = List.of();
  private List<Stage> stages = List.of();
  private double fittedTo = -1;
  private boolean fits;
  private Shown shown = Shown.ALL;

  StageLine() {
    getStyleClass().add("stages");
    setAccessibleRole(AccessibleRole.TEXT);
    setMinWidth(0);
    none.getStyleClass().add("muted");
    getChildren().setAll(none);
  }

  /** Shows everything again that has room: another migration follows. */
  void begin() {
    fittedTo = -1;
    requestLayout();
  }

  /**
   * @param expected whether a stage that failed should have failed
   */
  void set(List<Stage> list, boolean expected) {
    pseudoClassStateChanged(EXPECTED, expected);
    if (list.equals(stages)) {
      return;
    }
    stages = list;
    if (!update(list)) {
      nodes = list.stream().map(StageNode::new).toList();
      var children = new ArrayList<Node>();
      nodes.forEach(node -> children.addAll(List.of(node.arrow, node.box)));
      getChildren().setAll(children.isEmpty() ? List.of(none) : children);
    }
    fits = false;
    requestLayout();
    var spoken = new StringBuilder();
    list.forEach(
        stage -> spoken.append(stage.name()).append(' ').append(stage.detail()).append(", "));
    setAccessibleText(spoken.toString());
  }

  /** Updates the nodes if they fit the stages. Returns whether they do. */
  private boolean update(List<Stage> list) {
    if (list.size() != nodes.size()) {
      return false;
    }
    for (int i = 0; i < list.size(); i++) {
      if (!nodes.get(i).isSameBut(list.get(i))) {
        return false;
      }
    }
    for (int i = 0; i < list.size(); i++) {
      nodes.get(i).set(Objects.requireNonNull(list.get(i)));
    }
    return true;
  }

  @Override
  protected void layoutChildren() {
    if (fittedTo != getWidth()) {
      fittedTo = getWidth();
      fits = false;
      shown = Shown.ALL;
    }
    if (!fits) {
      fits = true;
      show();
      // Not prefWidth: this layout is just filling the cache of preferred sizes.
      while (computePrefWidth(-1) > getWidth() && shown != Shown.PARTS_OF_NAMES) {
        shown = Shown.values()[shown.ordinal() + 1];
        show();
      }
    }
    super.layoutChildren();
  }

  private void show() {
    for (int i = 0; i < nodes.size(); i++) {
      nodes.get(i).show(shown, i == 0);
    }
  }
}
