// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.animation.Animation;
import javafx.animation.KeyFrame;
import javafx.animation.Timeline;
import javafx.scene.Node;
import javafx.util.Duration;

/** What is repeated only while the user may see it. */
public final class WhileShown {
  private WhileShown() {}

  /**
   * Runs something again and again while the window of a node is open, the first time after the
   * period.
   */
  public static void repeat(Node node, Duration period, Runnable action) {
    var repetition = new Timeline(new KeyFrame(period, _ -> action.run()));
    repetition.setCycleCount(Animation.INDEFINITE);
    node.sceneProperty()
        .flatMap(scene -> scene.windowProperty())
        .flatMap(window -> window.showingProperty())
        .orElse(false)
        .subscribe(shown -> {
          if (shown) {
            repetition.play();
          } else {
            repetition.stop();
          }
        });
  }
}
