// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.raster;

import java.nio.IntBuffer;
import javafx.geometry.Rectangle2D;
import javafx.scene.Node;
import javafx.scene.image.ImageView;
import javafx.scene.image.PixelBuffer;
import javafx.scene.image.PixelFormat;
import javafx.scene.image.WritableImage;
import javafx.stage.Screen;
import javafx.stage.Window;
import javafx.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A node that shows {@link Pixels} one to one on the pixels of the screen. Its memory grows and
 * shrinks in steps, so that resizing a window does not allocate at every pixel.
 */
public final class PixelSurface {
  private static final int STEP = 128;

  /** The largest width and height in pixels, more than any screen has. */
  private static final int LARGEST = 8192;

  private static final Callback<PixelBuffer<IntBuffer>, @Nullable Rectangle2D> EVERYTHING =
      buffer -> null;

  private final ImageView view = new ImageView();
  private final Pixels pixels = new Pixels();
  private @Nullable PixelBuffer<IntBuffer> buffer;
  private int lines;
  private double scale = 1;

  public PixelSurface() {
    view.setSmooth(false);
    view.setMouseTransparent(true);
    view.setManaged(false);
  }

  /** The node that shows the pixels; takes no part in layout and no mouse events. */
  public Node node() {
    return view;
  }

  public Pixels pixels() {
    return pixels;
  }

  /** Screen pixels for each unit of the scene graph; 2 on a screen of double density. */
  public double scale() {
    return scale;
  }

  /**
   * Sets place and size, in units of the scene graph.
   *
   * @return whether all pixels have to be drawn again
   */
  public boolean place(double x, double y, double width, double height) {
    view.relocate(x, y);
    double now = screenScale();
    int w = Math.clamp((long) Math.floor(width * now), 0, LARGEST);
    int h = Math.clamp((long) Math.floor(height * now), 0, LARGEST);
    if (w == pixels.width() && h == pixels.height() && now == scale) {
      return false;
    }
    scale = now;
    int neededStride = (w + STEP - 1) / STEP * STEP;
    int neededLines = (h + STEP - 1) / STEP * STEP;
    if (neededStride != pixels.stride() || neededLines != lines) {
      lines = neededLines;
      pixels.allocate(neededStride, neededLines);
      if (neededStride == 0 || neededLines == 0) {
        buffer = null;
        view.setImage(null);
      } else {
        var fresh =
            new PixelBuffer<>(
                neededStride,
                neededLines,
                IntBuffer.wrap(pixels.argb()),
                PixelFormat.getIntArgbPreInstance());
        buffer = fresh;
        view.setImage(new WritableImage(fresh));
      }
    }
    pixels.setSize(w, h);
    view.setVisible(w > 0 && h > 0);
    view.setViewport(new Rectangle2D(0, 0, w, h));
    view.setFitWidth(w / scale);
    view.setFitHeight(h / scale);
    return true;
  }

  /** Shows the pixels as they were drawn. */
  public void changed() {
    if (buffer != null) {
      buffer.updateBuffer(EVERYTHING);
    }
  }

  private double screenScale() {
    Window window = view.getScene() == null ? null : view.getScene().getWindow();
    double found =
        window == null ? Screen.getPrimary().getOutputScaleX() : window.getRenderScaleX();
    // Lectures and pictures show views larger.
    double shown = view.getLocalToSceneTransform().getMxx();
    return found > 0 && shown > 0 ? found * shown : 1;
  }
}
