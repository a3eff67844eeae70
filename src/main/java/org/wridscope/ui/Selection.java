// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.beans.property.ObjectProperty;
import javafx.beans.property.SimpleObjectProperty;
import org.jspecify.annotations.Nullable;

/** The one selection: what is chosen in one view is marked in all of them. */
public final class Selection {
  private final ObjectProperty<@Nullable Selected> selected =
      new SimpleObjectProperty<>(this, "selected", null);

  public ObjectProperty<@Nullable Selected> selectedProperty() {
    return selected;
  }

  public @Nullable Selected get() {
    return selected.get();
  }

  public void select(@Nullable Selected value) {
    selected.set(value);
  }
}
