// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.function.Function;
import javafx.util.StringConverter;
import org.jspecify.annotations.Nullable;

/** What the choices of a box are called that nobody can type into. */
public final class ChoiceText<T> extends StringConverter<T> {
  private final Function<T, String> text;

  /**
   * @param text of a choice; no choice has no text
   */
  public ChoiceText(Function<T, String> text) {
    this.text = text;
  }

  @Override
  public String toString(@Nullable T choice) {
    return choice == null ? "" : text.apply(choice);
  }

  @Override
  public T fromString(String typed) {
    throw new UnsupportedOperationException("the choice cannot be typed");
  }
}
