// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.function.Consumer;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ReadOnlyDoubleProperty;
import javafx.beans.property.ReadOnlyDoubleWrapper;
import javafx.beans.property.SimpleBooleanProperty;
import javafx.scene.input.KeyCombination;
import javafx.stage.Stage;
import javafx.util.Subscription;

/**
 * Lecture mode: the window fills the screen, everything is larger, and what the audience does not
 * need is hidden.
 */
final class Lecture {
  /** The window shows as much as on a screen of this size, on which texts are easy to read. */
  private static final double WIDTH = 960;

  private static final double HEIGHT = 540;
  private static final double LARGEST = 4;

  private final Stage stage;
  private final Subscription resizing;
  private final BooleanProperty on = new SimpleBooleanProperty(this, "on", false);
  private final ReadOnlyDoubleWrapper factor = new ReadOnlyDoubleWrapper(this, "factor", 1);

  /**
   * @param stage the main window, whose scene may come later
   */
  Lecture(Stage stage) {
    this.stage = stage;
    stage.setFullScreenExitHint("");
    // Escape leaves the mode, and with it the full screen. A desktop may leave the full screen
    // alone, for example to share the window.
    stage.setFullScreenExitKeyCombination(KeyCombination.NO_MATCH);
    on.subscribe((_, lecturing) -> {
      stage.setFullScreen(lecturing);
      resize();
    });
    resizing =
        stage
            .widthProperty()
            .subscribe(_ -> resize())
            .and(stage.heightProperty().subscribe(_ -> resize()));
  }

  /** Stops following the size of the stage, which may live longer. */
  void close() {
    resizing.unsubscribe();
  }

  private void resize() {
    double fits = Math.min(stage.getWidth() / WIDTH, stage.getHeight() / HEIGHT);
    factor.set(on.get() && fits > 1 ? Math.min(fits, LARGEST) : 1);
  }

  BooleanProperty onProperty() {
    return on;
  }

  /** How much larger than usual things are shown; 1 outside lectures. */
  ReadOnlyDoubleProperty factorProperty() {
    return factor.getReadOnlyProperty();
  }

  /** Runs an action now, and whenever a lecture begins or ends. */
  void onChange(Consumer<Boolean> action) {
    on.subscribe(action);
  }

  void toggle() {
    on.set(!on.get());
  }
}
