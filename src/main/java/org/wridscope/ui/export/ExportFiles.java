// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import javafx.stage.FileChooser;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.wridscope.export.Export;
import org.wridscope.export.ExportFormat;

/** How files of exports and pictures are chosen and called. */
public final class ExportFiles {
  private ExportFiles() {}

  /**
   * Asks where an export is to go.
   *
   * @param migration its name
   * @return null when it was cancelled
   * @throws IllegalArgumentException when the file would replace another one unasked, with one
   *     sentence for the user
   */
  public static @Nullable Path ask(Window owner, Export export, String migration) {
    String table =
        export.format() == ExportFormat.CSV ? "-" + export.tables().iterator().next().text() : "";
    return ask(
        owner,
        "Export the " + export.text(),
        legal(migration) + table,
        "." + export.format().text());
  }

  /**
   * Asks where a picture is to go.
   *
   * @param migration its name
   * @param view title of the view
   * @return null when it was cancelled
   * @throws IllegalArgumentException when the file would replace another one unasked, with one
   *     sentence for the user
   */
  public static @Nullable Path askForPicture(Window owner, String migration, String view) {
    return ask(owner, "Save a picture of the view", legal(migration + "-" + view), ".png");
  }

  private static @Nullable Path ask(Window owner, String title, String name, String suffix) {
    var chooser = new FileChooser();
    chooser.setTitle(title);
    chooser
        .getExtensionFilters()
        .setAll(
            new FileChooser.ExtensionFilter("Files " + suffix, "*" + suffix),
            new FileChooser.ExtensionFilter("All files", "*"));
    chooser.setInitialFileName(name + suffix);
    File chosen = chooser.showSaveDialog(owner);
    return chosen == null ? null : withSuffix(chosen.toPath(), suffix);
  }

  /**
   * The file with the end of its name, which people leave out.
   *
   * @throws IllegalArgumentException when there is such a file, which nobody was asked about
   */
  static Path withSuffix(Path chosen, String suffix) {
    String name = String.valueOf(chosen.getFileName());
    if (name.endsWith(suffix)) {
      return chosen;
    }
    Path whole = chosen.resolveSibling(name + suffix);
    if (Files.exists(whole)) {
      throw new IllegalArgumentException(
          "%s exists already; choose it by its whole name to replace it.".formatted(whole));
    }
    return whole;
  }

  /** A name that every file system takes. */
  static String legal(String name) {
    return name.replaceAll("[^A-Za-z0-9._-]+", "-");
  }
}
