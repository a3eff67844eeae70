// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.stepping;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.schedule.HangStep;
import org.wridscope.control.schedule.Standing;

/** What can happen next at a choice, each with a button that lets it happen. */
final class OptionList {
  /** Marks what a tour points at. */
  static final PseudoClass POINTED = PseudoClass.getPseudoClass("pointed");

  private static final PseudoClass PROPOSED = PseudoClass.getPseudoClass("proposed");
  private static final int NONE = -1;

  private final VBox rows = new VBox(1);
  private final ScrollPane root = new ScrollPane(rows);
  private final IntConsumer take;
  private final Consumer<String> explain;
  private final Runnable kept;
  private List<Standing.Possibility> options = List.of();
  private final List<Row> shown = new ArrayList<>();

  /** The option that is kept back, whose index may be another one at each choice. */
  private Standing.@Nullable Possibility keptBack;

  private record Row(Button take, @Nullable ToggleButton keep) {}

  /**
   * @param take lets an option happen
   * @param explain receives the rule that allows the option at which the user looks
   * @param kept runs when another option is kept back, or none
   */
  OptionList(IntConsumer take, Consumer<String> explain, Runnable kept) {
    this.take = take;
    this.explain = explain;
    this.kept = kept;
    root.setId("step-options");
    root.setFitToWidth(true);
    root.setMinWidth(0);
    root.getStyleClass().add("step-options");
  }

  Node node() {
    return root;
  }

  /**
   * Shows the options of a choice.
   *
   * @param rare whether also what does not happen by itself
   */
  void show(Standing.AtChoice choice, boolean rare) {
    options = choice.possibilities().stream().filter(option -> rare || !option.rare()).toList();
    if (keptBack != null && keptBackIndex() == NONE) {
      keptBack = null;
    }
    boolean focused = shown.stream().anyMatch(row -> row.take.isFocused());
    shown.clear();
    rows.getChildren().clear();
    boolean rareBegun = false;
    for (int i = 0; i < options.size(); i++) {
      if (options.get(i).rare() && !rareBegun) {
        rareBegun = true;
        var heading = new Label("Does not happen by itself");
        heading.getStyleClass().addAll("muted", "step-rare");
        rows.getChildren().add(heading);
      }
      rows.getChildren().add(row(i, i == choice.proposed()));
    }
    root.setVvalue(0);
    if (focused) {
      shown.get(choice.proposed()).take.requestFocus();
    }
    explain.accept(options.get(choice.proposed()).rule());
  }

  /** Shows sentences, and nothing to choose. */
  void show(List<String> sentences) {
    options = List.of();
    keptBack = null;
    shown.clear();
    rows.getChildren().setAll(sentences.stream().map(OptionList::sentence).toList());
    root.setVvalue(0);
    explain.accept("");
  }

  private static Node sentence(String text) {
    var sentence = new Label(text);
    sentence.setWrapText(true);
    sentence.setMinHeight(Region.USE_PREF_SIZE);
    return sentence;
  }

  private Node row(int index, boolean proposed) {
    Standing.Possibility option = options.get(index);
    String text = "%d   %s %s".formatted(index, option.who(), option.what());
    var button = new Button(text);
    button.setId("step-option-" + index);
    button.setMaxWidth(Double.MAX_VALUE);
    button.setMinWidth(0);
    button.getStyleClass().addAll("flat", "step-option");
    button.pseudoClassStateChanged(PROPOSED, proposed);
    button.setAccessibleHelp(option.rule());
    button.setOnAction(_ -> take.accept(index));
    button.hoverProperty().subscribe(on -> lookedAt(on, option));
    button.focusedProperty().subscribe(on -> lookedAt(on, option));
    HBox.setHgrow(button, Priority.ALWAYS);
    var row = new HBox(2, button);
    ToggleButton keep = option.rare() ? null : keep(index, option);
    if (keep != null) {
      row.getChildren().add(keep);
    }
    shown.add(new Row(button, keep));
    return row;
  }

  private ToggleButton keep(int index, Standing.Possibility option) {
    var keep = new ToggleButton("Keep back", new FontIcon(Feather.PAUSE));
    keep.setId("step-keep-" + index);
    keep.getStyleClass().addAll("flat", "small", "step-keep");
    keep.setMinWidth(Region.USE_PREF_SIZE);
    keep.setTooltip(
        new Tooltip("Keep it back when going on, as long as something else can happen"));
    keep.setAccessibleText("Keep back: %s".formatted(option.who() + " " + option.what()));
    keep.setSelected(index == keptBackIndex());
    keep.setOnAction(_ -> {
      keptBack = keep.isSelected() ? option : null;
      for (Row other : shown) {
        if (other.keep != null && !other.keep.equals(keep)) {
          other.keep.setSelected(false);
        }
      }
      kept.run();
    });
    return keep;
  }

  private void lookedAt(boolean on, Standing.Possibility option) {
    if (on) {
      explain.accept(option.rule());
    }
  }

  /** The index of the option that is kept back; negative for none. */
  int keptBackIndex() {
    for (int i = 0; i < options.size(); i++) {
      Standing.Possibility option = options.get(i);
      if (keptBack != null
          && option.who().equals(keptBack.who())
          && option.what().equals(keptBack.what())) {
        return i;
      }
    }
    return NONE;
  }

  /** Keeps nothing back any more. */
  void release() {
    keptBack = null;
  }

  /** Whether what a step of a tour is about is kept back. */
  boolean keeps(HangStep step) {
    int kept = keptBackIndex();
    return kept >= 0 && step.isAbout(options.get(kept));
  }

  /**
   * Points at what a step of a tour wants to be clicked.
   *
   * @param step null for nothing
   * @return what it points at
   */
  Optional<Node> point(@Nullable HangStep step) {
    Node pointed = null;
    for (int i = 0; i < shown.size(); i++) {
      HangStep.Act meant = step != null && step.isAbout(options.get(i)) ? step.act() : null;
      Row row = shown.get(i);
      row.take.pseudoClassStateChanged(POINTED, meant == HangStep.Act.TAKE);
      if (row.keep != null) {
        row.keep.pseudoClassStateChanged(POINTED, meant == HangStep.Act.KEEP_BACK);
      }
      if (meant == HangStep.Act.TAKE) {
        pointed = row.take;
      } else if (meant == HangStep.Act.KEEP_BACK) {
        pointed = row.keep;
      }
    }
    return Optional.ofNullable(pointed);
  }
}
