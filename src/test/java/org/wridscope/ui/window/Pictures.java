// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;
import javafx.scene.Scene;
import javafx.scene.image.PixelReader;
import javafx.scene.image.WritableImage;

/** Writes what a scene shows as a PNG file (RFC 2083: 8 bits of red, green and blue). */
public final class Pictures {
  private Pictures() {}

  /** For the JavaFX thread only. */
  public static void write(Scene scene, Path file) throws IOException {
    WritableImage image = scene.snapshot(null);
    int width = (int) image.getWidth();
    int height = (int) image.getHeight();
    PixelReader pixels = image.getPixelReader();
    var packed = new ByteArrayOutputStream();
    try (var data = new DeflaterOutputStream(packed)) {
      for (int y = 0; y < height; y++) {
        data.write(0);
        for (int x = 0; x < width; x++) {
          int argb = pixels.getArgb(x, y);
          data.write(argb >> 16);
          data.write(argb >> 8);
          data.write(argb);
        }
      }
    }
    var header = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(header)) {
      out.writeInt(width);
      out.writeInt(height);
      out.write(new byte[] {8, 2, 0, 0, 0});
    }
    var png = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(png)) {
      out.write(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
      chunk(out, "IHDR", header.toByteArray());
      chunk(out, "IDAT", packed.toByteArray());
      chunk(out, "IEND", new byte[0]);
    }
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, png.toByteArray());
  }

  private static void chunk(DataOutputStream out, String type, byte[] data) throws IOException {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    var crc = new CRC32();
    crc.update(name);
    crc.update(data);
    out.writeInt(data.length);
    out.write(name);
    out.write(data);
    out.writeInt((int) crc.getValue());
  }
}
