// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import javafx.beans.property.ReadOnlyDoubleProperty;
import javafx.beans.property.ReadOnlyDoubleWrapper;
import javafx.collections.ObservableList;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.input.MouseEvent;
import javafx.scene.layout.Region;
import javafx.scene.shape.Circle;
import javafx.scene.transform.Scale;
import javafx.stage.Window;
import javafx.util.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * The root of a window's scene, which shows its content larger during a lecture: the content is
 * laid out in a smaller area that is scaled to the window, so that texts and drawn pictures grow
 * alike. A halo follows the pointer meanwhile.
 */
public final class Magnifier extends Region {
  /** Font sizes of {@code window.css}, which menus and tool tips do not get by scaling. */
  private static final double TEXT = 13;

  private static final double TIP = 12;

  /** Widest line of a tool tip. */
  private static final double TIP_WIDTH = 420;

  /** Widest question in the theme of {@code window.css}. */
  private static final double DIALOG_WIDTH = 600;

  private static final double HALO = 22;
  private static final double PRESSED = 13;

  private final Parent content;
  private final ReadOnlyDoubleProperty factor;
  private final Scale scale = new Scale(1, 1);
  private final Circle halo = new Circle(HALO);
  private final Subscription following;
  private @Nullable String sheet;

  /**
   * @param factor how much larger the content is shown than otherwise; 1 outside lectures
   */
  public Magnifier(Parent content, ReadOnlyDoubleProperty factor) {
    this.content = content;
    this.factor = factor;
    content.getTransforms().add(scale);
    halo.getStyleClass().add("pointer-halo");
    halo.setManaged(false);
    halo.setMouseTransparent(true);
    halo.setVisible(false);
    getChildren().setAll(content, halo);
    addEventFilter(MouseEvent.ANY, this::follow);
    following = factor.subscribe(now -> magnify(now.doubleValue()));
    sceneProperty()
        .subscribe(scene -> {
          if (scene != null) {
            enlargePopups(scene);
          }
        });
  }

  /** Shows the content of another window as much larger as that of its owner. */
  public static Magnifier like(Window owner, Parent content) {
    return new Magnifier(
        content,
        owner.getScene().getRoot() instanceof Magnifier other
            ? other.factor
            : new ReadOnlyDoubleWrapper(1).getReadOnlyProperty());
  }

  /** How much larger the content is shown now. */
  public double factor() {
    return scale.getX();
  }

  /** Follows the factor no longer, which would keep this and all of its content. */
  public void release() {
    following.unsubscribe();
  }

  private void magnify(double factor) {
    scale.setX(factor);
    scale.setY(factor);
    halo.setScaleX(factor);
    halo.setScaleY(factor);
    halo.setVisible(halo.isVisible() && factor > 1);
    Scene scene = getScene();
    if (scene != null) {
      enlargePopups(scene);
    }
    requestLayout();
  }

  /** Menus and tool tips are windows of their own; questions copy the style sheets. */
  private void enlargePopups(Scene scene) {
    ObservableList<String> sheets = scene.getStylesheets();
    if (sheet != null) {
      sheets.remove(sheet);
    }
    double factor = scale.getX();
    if (factor == 1) {
      sheet = null;
      return;
    }
    String css =
        String.format(
            Locale.ROOT,
            ".context-menu, .combo-box-popup, .dialog-pane {-fx-font-size: %.1fpx;}"
                + " .dialog-pane {-fx-max-width: %.0fpx;} .tooltip"
                + " {-fx-font-size: %.1fpx; -fx-wrap-text:true; -fx-max-width: %.0fpx;}",
            TEXT * factor,
            DIALOG_WIDTH * factor,
            TIP * factor,
            TIP_WIDTH * factor);
    String added =
        "data:text/css;base64,"
            + Base64.getEncoder().encodeToString(css.getBytes(StandardCharsets.UTF_8));
    sheet = added;
    sheets.add(added);
  }

  private void follow(MouseEvent event) {
    if (event.getEventType() == MouseEvent.MOUSE_EXITED && equals(event.getTarget())) {
      halo.setVisible(false);
      return;
    }
    halo.setVisible(scale.getX() > 1);
    halo.setCenterX(event.getSceneX());
    halo.setCenterY(event.getSceneY());
    halo.setRadius(event.isPrimaryButtonDown() ? PRESSED : HALO);
  }

  @Override
  protected void layoutChildren() {
    content.resizeRelocate(0, 0, getWidth() / scale.getX(), getHeight() / scale.getY());
  }

  @Override
  protected double computePrefWidth(double height) {
    return content.prefWidth(height) * scale.getX();
  }

  @Override
  protected double computePrefHeight(double width) {
    return content.prefHeight(width) * scale.getY();
  }
}
