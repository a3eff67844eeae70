// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.List;
import javafx.beans.property.ObjectProperty;
import javafx.beans.property.SimpleObjectProperty;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;

/** The selection, shared by all views: what is selected in one view is marked in all. */
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

  /** Selects an event by its number; does nothing if the session's log no longer has it. */
  public void selectEvent(Session session, long number) {
    List<Event> read = session.telemetry().log().read(number, 1);
    if (!read.isEmpty() && read.getFirst().number() == number) {
      select(new Selected.LoggedEvent(session, read.getFirst()));
    }
  }
}
