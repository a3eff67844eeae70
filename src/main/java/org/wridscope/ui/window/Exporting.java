// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javafx.scene.Node;
import javafx.scene.image.Image;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.export.Export;
import org.wridscope.files.Output;
import org.wridscope.ui.View;
import org.wridscope.ui.export.ExportBar;
import org.wridscope.ui.export.ExportFiles;
import org.wridscope.ui.export.Snapshot;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.StatusText;

/** Exports migrations, and pictures of their views, to files that the user chooses. */
final class Exporting {
  private final Stage stage;
  private final Theme theme;
  private final Notices notices;
  private final Supplier<@Nullable Migration> selected;
  private final Supplier<@Nullable View> shown;
  private final ExportBar bar;

  /**
   * @param selected the selected migration
   * @param shown the current view
   */
  Exporting(
      Stage stage,
      Theme theme,
      Executor background,
      Notices notices,
      Supplier<@Nullable Migration> selected,
      Supplier<@Nullable View> shown) {
    this.stage = stage;
    this.theme = theme;
    this.notices = notices;
    this.selected = selected;
    this.shown = shown;
    bar = new ExportBar(background, notices::tell);
  }

  /** The progress of an export, with a button that cancels it. */
  Node node() {
    return bar.node();
  }

  /** Cancels the running export. */
  void cancel() {
    bar.cancel();
  }

  /** Asks where to write the selected migration. */
  void export(Export export) {
    Migration migration = selected.get();
    if (migration != null) {
      export(migration, export);
    }
  }

  /** Asks where to write a migration. */
  void export(Migration migration, Export export) {
    SessionPair pair = migration.pair();
    if (pair == null) {
      notices.tell("Start this migration, or select another one, to export it.");
      return;
    }
    Output output = ExportFiles.ask(stage, export, migration.name());
    if (output != null) {
      export(pair, export, output);
    }
  }

  /** Exports everything known of a migration so far. */
  void export(SessionPair pair, Export export, Output output) {
    notices.tell("");
    bar.export(export, pair, output);
  }

  /** Asks where to save a picture of the current view. */
  void savePicture() {
    Migration migration = selected.get();
    View view = shown.get();
    if (migration == null || migration.pair() == null || view == null) {
      notices.tell("Select a migration that has been started, to save a picture of a view.");
      return;
    }
    // Of this moment, not of when the file has been chosen.
    Image image = picture(migration, view);
    Output output = ExportFiles.askForPicture(stage, migration.name(), view.title());
    if (output != null) {
      savePicture(image, output);
    }
  }

  /** The view as it is shown, with a title, at twice the resolution of a usual screen. */
  Image picture(Migration migration, View view) {
    return Snapshot.of(
        view.node(),
        () -> view.pulse(System.nanoTime()),
        "%s: %s".formatted(migration.name(), view.title()),
        StatusText.of(migration).text(),
        theme.darkProperty().get());
  }

  void savePicture(Image image, Output output) {
    notices.tell("");
    bar.picture(image, output);
  }
}
