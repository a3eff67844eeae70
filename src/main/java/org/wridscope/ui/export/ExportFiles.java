// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import java.io.File;
import java.nio.file.Path;
import javafx.stage.FileChooser;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.wridscope.export.Export;
import org.wridscope.export.ExportFormat;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;

/** How files of exports and pictures are chosen and called. */
public final class ExportFiles {
  private ExportFiles() {}

  /**
   * Asks where an export is to go.
   *
   * @param migration its name
   * @return null when it was cancelled
   */
  public static @Nullable Output ask(Window owner, Export export, String migration) {
    String table =
        export.format() == ExportFormat.CSV ? "-" + export.tables().iterator().next().text() : "";
    return ask(
        owner,
        "Export the " + export.text(),
        legal(migration) + table,
        "." + export.format().text(),
        export.format().kind());
  }

  /**
   * Asks where a picture is to go.
   *
   * @param migration its name
   * @param view title of the view
   * @return null when it was cancelled
   */
  public static @Nullable Output askForPicture(Window owner, String migration, String view) {
    return ask(
        owner,
        "Save a picture of the view",
        legal(migration + "-" + view),
        ".png",
        FileKind.PICTURE);
  }

  private static @Nullable Output ask(
      Window owner, String title, String name, String suffix, FileKind kind) {
    var chooser = new FileChooser();
    chooser.setTitle(title);
    chooser
        .getExtensionFilters()
        .setAll(
            new FileChooser.ExtensionFilter("Files " + suffix, "*" + suffix),
            new FileChooser.ExtensionFilter("All files", "*"));
    chooser.setInitialFileName(name + suffix);
    File chosen = chooser.showSaveDialog(owner);
    return chosen == null ? null : output(chosen.toPath(), suffix, kind);
  }

  /**
   * The file that was chosen, with the end of its name, which people leave out. About a file of a
   * whole name the chooser has asked; about another one nobody has.
   */
  static Output output(Path chosen, String suffix, FileKind kind) {
    String name = String.valueOf(chosen.getFileName());
    return name.endsWith(suffix)
        ? Output.of("Export", chosen, kind).replacing()
        : Output.of("Export", chosen.resolveSibling(name + suffix), kind).onlyNew();
  }

  /** A name that every file system takes. */
  static String legal(String name) {
    return name.replaceAll("[^A-Za-z0-9._-]+", "-");
  }
}
