// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.function.Function;
import javafx.beans.property.ObjectProperty;
import javafx.scene.control.Menu;
import javafx.scene.control.RadioMenuItem;
import javafx.scene.control.ToggleGroup;

/** A menu of the values of an enum, one of which is chosen. */
public final class ChoiceMenu<E extends Enum<E>> extends Menu {
  /**
   * @param choice shared with other controls
   * @param text of a value
   */
  public ChoiceMenu(String title, ObjectProperty<E> choice, Function<E, String> text) {
    super(title);
    var group = new ToggleGroup();
    for (E value : choice.get().getDeclaringClass().getEnumConstants()) {
      var item = new RadioMenuItem(text.apply(value));
      item.setToggleGroup(group);
      item.setOnAction(_ -> choice.set(value));
      choice.subscribe(now -> item.setSelected(now == value));
      getItems().add(item);
    }
  }
}
