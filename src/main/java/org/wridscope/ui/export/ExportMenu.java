// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import java.util.Locale;
import java.util.function.Consumer;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuItem;
import org.wridscope.export.Export;
import org.wridscope.text.Format;

/** A menu with an item for each kind of export. */
public final class ExportMenu extends Menu {

  /**
   * @param chosen receives the chosen export
   */
  public ExportMenu(Consumer<Export> chosen) {
    super("Export");
    for (Export export : Export.choices()) {
      var item = new MenuItem(text(export));
      item.setOnAction(_ -> chosen.accept(export));
      getItems().add(item);
    }
  }

  /** The item for a report, the first one. */
  public MenuItem report() {
    return getItems().getFirst();
  }

  /** For example {@code Report (HTML)…}. */
  private static String text(Export export) {
    String extension = export.format().extension();
    return "%s (%s)…"
        .formatted(
            Format.capitalized(export.text()),
            extension.substring(extension.lastIndexOf('.') + 1).toUpperCase(Locale.ROOT));
  }
}
