// SPDX-License-Identifier: Apache-2.0
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import javax.imageio.ImageIO;

/** Writes the screen of Xvfb, a file of xwd(1), as a picture, unless there is little to see. */
final class Picture {
  /** Text and charts have many colours, because their edges are smoothed. */
  private static final int MIN_COLOURS = 100;

  /** The most frequent colour must leave room for others. */
  private static final double MAX_BACKGROUND = 0.97;

  private Picture() {}

  /** Arguments: the file of the screen, and that of the picture. */
  public static void main(String[] files) throws IOException {
    // Fields of XWDFileHeader, 4 bytes each, of which the byte order is the highest first.
    ByteBuffer screen = ByteBuffer.wrap(Files.readAllBytes(Path.of(files[0])));
    int header = screen.getInt(0);
    int width = screen.getInt(16);
    int height = screen.getInt(20);
    boolean lowFirst = screen.getInt(28) == 0;
    int bytesPerLine = screen.getInt(48);
    int colourMap = screen.getInt(76) * 12;
    var picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    var counts = new HashMap<Integer, Integer>();
    ByteBuffer pixels =
        screen.duplicate().order(lowFirst ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        int colour = pixels.getInt(header + colourMap + y * bytesPerLine + x * 4) & 0xffffff;
        picture.setRGB(x, y, colour);
        counts.merge(colour, 1, Integer::sum);
      }
    }
    int background = counts.values().stream().mapToInt(count -> count).max().orElse(0);
    double share = background / (double) (width * height);
    System.out.printf(
        "%d x %d pixels, %d colours, %.0f %% of one%n", width, height, counts.size(), share * 100);
    if (counts.size() < MIN_COLOURS || share > MAX_BACKGROUND) {
      System.exit(1);
    }
    ImageIO.write(picture, "png", Path.of(files[1]).toFile());
  }
}
