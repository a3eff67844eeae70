// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SeparatorMenuItem;
import org.wridscope.text.Legible;
import org.wridscope.ui.remembered.RecentFiles;

/** A menu of the files that were opened last. */
final class RecentMenu {
  private final Menu menu = new Menu("Open recent");
  private final RecentFiles files;
  private final Consumer<List<Path>> open;

  /**
   * @param open opens files
   */
  RecentMenu(RecentFiles files, Consumer<List<Path>> open) {
    this.files = files;
    this.open = open;
    menu.setId("open-recent");
    files.onChange(this::refresh);
    refresh();
  }

  Menu menu() {
    return menu;
  }

  private void refresh() {
    var items = new ArrayList<MenuItem>();
    for (Path file : files.list()) {
      // Underscores are part of the name.
      var item =
          new MenuItem(Legible.of("%s  ·  %s".formatted(file.getFileName(), file.getParent())));
      item.setMnemonicParsing(false);
      item.setOnAction(_ -> open.accept(List.of(file)));
      items.add(item);
    }
    menu.setDisable(items.isEmpty());
    var clear = new MenuItem("Clear this list");
    clear.setId("clear-recent");
    clear.setOnAction(_ -> files.clear());
    items.add(new SeparatorMenuItem());
    items.add(clear);
    menu.getItems().setAll(items);
  }
}
