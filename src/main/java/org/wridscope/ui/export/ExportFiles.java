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

/** File choosers and file names for exports and pictures. */
public final class ExportFiles {
  private ExportFiles() {}

  /**
   * Asks for the file of an export.
   *
   * @param migration name of the migration
   * @return null if the user cancelled
   */
  public static @Nullable Output ask(Window owner, Export export, String migration) {
    String table =
        export.format() == ExportFormat.CSV ? "-" + export.tables().iterator().next().text() : "";
    return ask(
        owner,
        "Export the %s".formatted(export.text()),
        legal(migration) + table,
        "." + export.format().extension(),
        export.format().kind());
  }

  /**
   * Asks for the file of a picture.
   *
   * @param migration name of the migration
   * @param view title of the view
   * @return null if the user cancelled
   */
  public static @Nullable Output askForPicture(Window owner, String migration, String view) {
    return ask(
        owner,
        "Save a picture of the view",
        legal(migration + "-" + view),
        ".png",
        FileKind.PICTURE);
  }

  /**
   * Asks for the file of the figures of two migrations.
   *
   * @param migrations their names
   * @return null if the user cancelled
   */
  public static @Nullable Output askForFigures(Window owner, String migrations) {
    return ask(
        owner, "Save the figures of both", legal(migrations + "-figures"), ".csv", FileKind.CSV);
  }

  private static @Nullable Output ask(
      Window owner, String title, String name, String suffix, FileKind kind) {
    var chooser = new FileChooser();
    chooser.setTitle(title);
    chooser
        .getExtensionFilters()
        .setAll(
            new FileChooser.ExtensionFilter("Files %s".formatted(suffix), "*" + suffix),
            new FileChooser.ExtensionFilter("All files", "*"));
    chooser.setInitialFileName(name + suffix);
    File chosen = chooser.showSaveDialog(owner);
    return chosen == null ? null : output(chosen.toPath(), suffix, kind);
  }

  /**
   * The chosen file, with the suffix that the user may have left out. The file chooser has asked
   * before replacing a file, but only if its name was complete; otherwise none may be replaced.
   */
  static Output output(Path chosen, String suffix, FileKind kind) {
    String name = String.valueOf(chosen.getFileName());
    return name.endsWith(suffix)
        ? Output.of("Export", chosen, kind).replacing()
        : Output.of("Export", chosen.resolveSibling(name + suffix), kind).onlyNew();
  }

  /** The name with only characters that every file system allows. */
  static String legal(String name) {
    return name.replaceAll("[^A-Za-z0-9._-]+", "-");
  }
}
