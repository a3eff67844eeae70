// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.input.DragEvent;
import javafx.scene.input.TransferMode;

/** Opens files that are dropped into the window. */
final class FileDrop {
  private static final PseudoClass DROPPING = PseudoClass.getPseudoClass("dropping");

  private FileDrop() {}

  /**
   * @param frame is marked while files are over the window
   * @param open receives the files
   */
  static void install(Scene scene, Node frame, Consumer<List<Path>> open) {
    scene.setOnDragOver(event -> {
      if (event.getDragboard().hasFiles()) {
        event.acceptTransferModes(TransferMode.COPY);
        frame.pseudoClassStateChanged(DROPPING, true);
      }
      event.consume();
    });
    scene.addEventHandler(
        DragEvent.DRAG_EXITED, _ -> frame.pseudoClassStateChanged(DROPPING, false));
    scene.setOnDragDropped(event -> {
      List<Path> files = event.getDragboard().getFiles().stream().map(File::toPath).toList();
      frame.pseudoClassStateChanged(DROPPING, false);
      event.setDropCompleted(!files.isEmpty());
      event.consume();
      if (!files.isEmpty()) {
        open.accept(files);
      }
    });
  }
}
