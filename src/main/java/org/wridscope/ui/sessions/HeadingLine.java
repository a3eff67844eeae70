// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import javafx.geometry.Pos;
import javafx.scene.control.Label;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.text.Format;

/** What a heading in the list shows: whether its group is folded, the title, how many there are. */
final class HeadingLine extends HBox {
  private final FontIcon fold = new FontIcon(Feather.CHEVRON_DOWN);
  private final Label title = new Label();
  private final Label count = new Label();

  HeadingLine() {
    super(6);
    title.setMinWidth(0);
    title.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(title, Priority.ALWAYS);
    count.setMinWidth(Region.USE_PREF_SIZE);
    count.getStyleClass().add("group-count");
    getStyleClass().add("group-heading");
    setAlignment(Pos.CENTER_LEFT);
    getChildren().setAll(fold, title, count);
  }

  void show(Heading heading) {
    fold.setIconCode(heading.folded() ? Feather.CHEVRON_RIGHT : Feather.CHEVRON_DOWN);
    title.setText(heading.title());
    count.setText(Format.count(heading.count()));
  }
}
