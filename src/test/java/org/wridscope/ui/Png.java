// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;
import javafx.scene.image.Image;
import javafx.scene.image.PixelReader;

/** Writes pictures to look at, as PNG (ISO/IEC 15948), opaque. */
public final class Png {
  private Png() {}

  public static void write(Image image, Path file) throws IOException {
    int width = (int) image.getWidth();
    int height = (int) image.getHeight();
    PixelReader reader = image.getPixelReader();
    var data = new ByteArrayOutputStream();
    try (var deflated = new DeflaterOutputStream(data)) {
      byte[] line = new byte[1 + 3 * width];
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          int argb = reader.getArgb(x, y);
          line[1 + 3 * x] = (byte) (argb >> 16);
          line[2 + 3 * x] = (byte) (argb >> 8);
          line[3 + 3 * x] = (byte) argb;
        }
        deflated.write(line);
      }
    }
    var header = new ByteArrayOutputStream();
    var fields = new DataOutputStream(header);
    fields.writeInt(width);
    fields.writeInt(height);
    fields.write(new byte[] {8, 2, 0, 0, 0});
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    try (var out = new DataOutputStream(Files.newOutputStream(file))) {
      out.write(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
      chunk(out, "IHDR", header.toByteArray());
      chunk(out, "IDAT", data.toByteArray());
      chunk(out, "IEND", new byte[0]);
    }
  }

  private static void chunk(DataOutputStream out, String type, byte[] data) throws IOException {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    var sum = new CRC32();
    sum.update(name);
    sum.update(data);
    out.writeInt(data.length);
    out.write(name);
    out.write(data);
    out.writeInt((int) sum.getValue());
  }
}
