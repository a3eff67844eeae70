// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.concurrent.Executor;
import javafx.scene.Node;
import javafx.scene.SnapshotParameters;
import javafx.scene.image.Image;
import javafx.scene.transform.Transform;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.wridscope.export.Ends;
import org.wridscope.export.Export;
import org.wridscope.files.Output;
import org.wridscope.ui.Palette;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.View;
import org.wridscope.ui.export.ExportBar;
import org.wridscope.ui.export.ExportFiles;
import org.wridscope.ui.sessions.Migration;

/** Writes migrations and pictures of their views to files that the user chooses. */
final class Exporting {
  private final Stage stage;
  private final Theme theme;
  private final Notices notices;
  private final ExportBar bar;

  Exporting(Stage stage, Theme theme, Executor background, Notices notices) {
    this.stage = stage;
    this.theme = theme;
    this.notices = notices;
    bar = new ExportBar(background, notices::tell);
  }

  /** Shows how far it is, and ends it. */
  Node node() {
    return bar.node();
  }

  /** Gives up what is being written. */
  void cancel() {
    bar.cancel();
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

  /** Exports a migration, all of it, as far as it has come. */
  void export(SessionPair pair, Export export, Output output) {
    notices.tell("");
    bar.export(export, new Ends(pair.source(), pair.destination()), output);
  }

  /** Asks where to save a picture of a view of a migration. */
  void savePicture(@Nullable Migration migration, @Nullable View view) {
    if (migration == null || migration.pair() == null || view == null) {
      notices.tell("Start a migration, or select one that was, to save a picture of a view.");
      return;
    }
    // What is seen now, and not when the file has been chosen.
    Image image = picture(view);
    Output output = ExportFiles.askForPicture(stage, migration.name(), view.title());
    if (output != null) {
      savePicture(image, output);
    }
  }

  /** The view as it is seen, in the screen's own pixels. */
  Image picture(View view) {
    var how = new SnapshotParameters();
    how.setFill(Palette.GROUND.color(theme.darkProperty().get()));
    how.setTransform(Transform.scale(stage.getRenderScaleX(), stage.getRenderScaleY()));
    return view.node().snapshot(how, null);
  }

  void savePicture(Image image, Output output) {
    notices.tell("");
    bar.picture(image, output);
  }
}
