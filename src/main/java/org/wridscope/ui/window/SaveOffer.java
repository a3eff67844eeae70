// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import javafx.beans.property.BooleanProperty;
import javafx.beans.property.SimpleBooleanProperty;
import org.wridscope.ui.remembered.StoredJson;

/** Whether migrations that were not recorded are offered for saving at the end; stored. */
final class SaveOffer {
  private static final String KEY = "offer-saving";

  private final BooleanProperty wanted;

  /**
   * Starts with the stored choice; at first, they are offered.
   *
   * @param store keeps the choice
   */
  SaveOffer(StoredJson store) {
    wanted =
        new SimpleBooleanProperty(
            this, "wanted", !Boolean.FALSE.equals(store.get(KEY, Boolean.class)));
    wanted.subscribe((_, now) -> store.put(KEY, now));
  }

  BooleanProperty wantedProperty() {
    return wanted;
  }
}
