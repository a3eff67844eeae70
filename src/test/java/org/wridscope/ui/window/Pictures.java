// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javafx.scene.Scene;
import org.wridscope.ui.export.Png;

/** Writes what a scene shows as a PNG file. */
public final class Pictures {
  private Pictures() {}

  /** For the JavaFX thread only. */
  public static void write(Scene scene, Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    try (OutputStream out = Files.newOutputStream(file)) {
      Png.write(scene.snapshot(null), out);
    }
  }
}
