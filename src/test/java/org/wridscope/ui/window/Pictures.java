// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javafx.scene.Scene;
import javafx.scene.image.Image;
import javafx.scene.image.PixelFormat;
import org.wridscope.ui.export.Png;

/** Pictures of what is shown, to be compared and to be looked at. */
public final class Pictures {
  private Pictures() {}

  /** Writes what a scene shows as a PNG file. For the JavaFX thread only. */
  public static void write(Scene scene, Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    try (OutputStream out = Files.newOutputStream(file)) {
      Png.write(scene.snapshot(null), out);
    }
  }

  /** The colours (ARGB) of a picture, line by line. */
  static int[] pixels(Image image) {
    int width = (int) image.getWidth();
    int height = (int) image.getHeight();
    var pixels = new int[width * height];
    image
        .getPixelReader()
        .getPixels(0, 0, width, height, PixelFormat.getIntArgbInstance(), pixels, 0, width);
    return pixels;
  }
}
