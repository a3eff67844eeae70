// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import javafx.application.Platform;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.ProgressBar;
import javafx.scene.image.Image;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.SessionPair;
import org.wridscope.export.ComparedFigures;
import org.wridscope.export.ComparedTrace;
import org.wridscope.export.Export;
import org.wridscope.export.ExportCancelledException;
import org.wridscope.export.Progress;
import org.wridscope.files.Output;
import org.wridscope.files.Target;
import org.wridscope.files.WholeFile;
import org.wridscope.text.Format;
import org.wridscope.ui.Presence;

/**
 * Writes exports and pictures in the background, one at a time, and shows the progress. Hidden
 * while nothing is written. For the JavaFX thread only.
 */
public final class ExportBar {
  private static final Logger LOG = LoggerFactory.getLogger(ExportBar.class);

  private final Executor background;
  private final BiConsumer<Boolean, String> done;
  private final Label what = new Label();
  private final ProgressBar bar = new ProgressBar(0);
  private final Button cancel = new Button("Cancel");
  private final HBox root;
  private AtomicBoolean cancelled = new AtomicBoolean();
  private boolean busy;

  /**
   * @param background writes files
   * @param done receives whether an export succeeded, and a sentence about it
   */
  public ExportBar(Executor background, BiConsumer<Boolean, String> done) {
    this.background = background;
    this.done = done;
    what.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(what, Priority.SOMETIMES);
    bar.setMinWidth(Region.USE_PREF_SIZE);
    cancel.setId("cancel-export");
    cancel.setMinWidth(Region.USE_PREF_SIZE);
    cancel.getStyleClass().add("small");
    cancel.setOnAction(_ -> cancel());
    root = new HBox(8, what, bar, cancel);
    root.setId("export-bar");
    root.setAlignment(Pos.CENTER_LEFT);
    root.getStyleClass().add("busy");
    show(false);
  }

  public Node node() {
    return root;
  }

  /** Cancels the running export. */
  public void cancel() {
    cancelled.set(true);
  }

  private void show(boolean shown) {
    busy = shown;
    Presence.set(root, shown);
  }

  /** Writes an export of a migration to a file. */
  public void export(Export export, SessionPair ends, Output output) {
    write(
        output,
        "the %s".formatted(export.text()),
        (file, progress) -> export.write(ends, file, progress));
  }

  /** Writes a trace of two migrations to a file. */
  public void trace(ComparedTrace both, Output output) {
    write(output, "the trace of both", both::write);
  }

  /** Writes the figures of two migrations to a file. */
  public void figures(ComparedFigures figures, Output output) {
    write(output, "the figures of both", (file, _) -> figures.write(file));
  }

  /** Writes a picture to a file. */
  public void picture(Image image, Output output) {
    write(
        output,
        "the picture",
        (file, _) -> {
          try {
            file.write(out -> Png.write(image, out));
          } catch (IOException e) {
            throw new IOException(
                "%s could not be written (%s).".formatted(file.file(), Target.reason(e)), e);
          }
        });
  }

  /** Writes a file; messages of its exceptions are sentences for the user. */
  @FunctionalInterface
  private interface Writing {
    void write(WholeFile file, Progress progress) throws IOException;
  }

  private void write(Output output, String thing, Writing writing) {
    Path path = output.path();
    if (busy) {
      done.accept(false, "Another export is running; wait for it, or cancel it.");
      return;
    }
    var mine = new AtomicBoolean();
    cancelled = mine;
    what.setText("Writing %s to %s".formatted(thing, path));
    bar.setProgress(0);
    show(true);
    var percent = new AtomicInteger();
    Progress progress =
        share -> {
          int now = (int) (100 * share);
          if (percent.getAndSet(now) != now) {
            Platform.runLater(() -> bar.setProgress(now / 100.0));
          }
          return !mine.get();
        };
    background.execute(() -> {
      try (WholeFile file = WholeFile.create(output)) {
        writing.write(file, progress);
        Path written = file.file();
        String displaced = file.displaced();
        finish(
            displaced == null,
            displaced != null
                ? displaced
                : "%s is in %s.".formatted(Format.capitalized(thing), written));
      } catch (ExportCancelledException e) {
        finish(true, String.valueOf(e.getMessage()));
      } catch (IOException | IllegalArgumentException e) {
        finish(false, String.valueOf(e.getMessage()));
      } catch (RuntimeException e) {
        LOG.error("exporting to {}", path, e);
        finish(
            false, "%s was not written because of an error in this program: %s".formatted(path, e));
      }
    });
  }

  private void finish(boolean good, String sentence) {
    Platform.runLater(() -> {
      show(false);
      done.accept(good, sentence);
    });
  }
}
