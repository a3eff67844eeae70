// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;
import javafx.scene.image.Image;
import javafx.scene.image.PixelFormat;
import javafx.scene.image.PixelReader;

/**
 * Writes images as PNG (RFC 2083), with 8 bits each of red, green and blue. JavaFX can do this only
 * through AWT, which this program does not use.
 */
public final class Png {
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  private static final int BITS = 8;
  private static final int TRUE_COLOUR = 2;

  /** The filter that stores each byte as the difference from the previous pixel. */
  private static final int SUB = 1;

  private static final int BYTES = 3;

  private Png() {}

  /** Writes an opaque image, from any thread; does not close the stream. */
  public static void write(Image image, OutputStream out) throws IOException {
    int width = (int) image.getWidth();
    int height = (int) image.getHeight();
    out.write(SIGNATURE);
    var header = new ByteArrayOutputStream();
    var data = new DataOutputStream(header);
    data.writeInt(width);
    data.writeInt(height);
    data.write(new byte[] {BITS, TRUE_COLOUR, 0, 0, 0});
    chunk(out, "IHDR", header);
    chunk(out, "IDAT", pixels(image.getPixelReader(), width, height));
    chunk(out, "IEND", new ByteArrayOutputStream());
  }

  private static ByteArrayOutputStream pixels(PixelReader reader, int width, int height)
      throws IOException {
    var packed = new ByteArrayOutputStream();
    int[] argb = new int[width];
    byte[] line = new byte[1 + BYTES * width];
    line[0] = SUB;
    try (var deflater = new DeflaterOutputStream(packed)) {
      for (int y = 0; y < height; y++) {
        reader.getPixels(0, y, width, 1, PixelFormat.getIntArgbInstance(), argb, 0, width);
        int before = 0;
        for (int x = 0; x < width; x++) {
          int now = argb[x];
          int at = 1 + BYTES * x;
          line[at] = (byte) ((now >> 16) - (before >> 16));
          line[at + 1] = (byte) ((now >> 8) - (before >> 8));
          line[at + 2] = (byte) (now - before);
          before = now;
        }
        deflater.write(line);
      }
    }
    return packed;
  }

  private static void chunk(OutputStream out, String type, ByteArrayOutputStream content)
      throws IOException {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    byte[] bytes = content.toByteArray();
    var crc = new CRC32();
    crc.update(name);
    crc.update(bytes);
    var data = new DataOutputStream(out);
    data.writeInt(bytes.length);
    data.write(name);
    data.write(bytes);
    data.writeInt((int) crc.getValue());
  }
}
