// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import org.controlsfx.control.SegmentedButton;

/** Buttons for the values of an enum, one of which is selected. */
final class SegmentedChoice<E extends Enum<E>> extends SegmentedButton {
  private final Map<E, ToggleButton> buttons = new LinkedHashMap<>();
  private E chosen;

  /**
   * @param onChange receives another value that the user has chosen
   */
  SegmentedChoice(Collection<E> values, E chosen, Function<E, String> text, Consumer<E> onChange) {
    this.chosen = chosen;
    var group = new ToggleGroup();
    setToggleGroup(group);
    for (E value : values) {
      var button = new ToggleButton(text.apply(value));
      button.setId("dialog-" + value.name().toLowerCase(Locale.ROOT));
      button.setToggleGroup(group);
      buttons.put(value, button);
      getButtons().add(button);
      button.setSelected(value == chosen);
      button
          .selectedProperty()
          .subscribe((_, selected) -> {
            if (selected && value != this.chosen) {
              this.chosen = value;
              onChange.accept(value);
            }
          });
    }
    group
        .selectedToggleProperty()
        .subscribe((before, now) -> {
          if (now == null) {
            group.selectToggle(before);
          }
        });
  }

  /** Chooses a value that was found out meanwhile, without telling. */
  void select(E value) {
    chosen = value;
    getToggleGroup().selectToggle(buttons.get(value));
  }
}
