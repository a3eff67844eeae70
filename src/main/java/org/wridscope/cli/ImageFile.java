// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.wridscope.memory.RamBlock;

/** A file whose content can be the RAM of a guest. */
final class ImageFile {
  private ImageFile() {}

  /**
   * Checks that it can, for {@code --image}.
   *
   * @return its length in bytes
   */
  static long check(Path image) throws InputException {
    if (!Files.exists(image)) {
      throw new InputException("--image: %s does not exist.".formatted(image));
    }
    if (!Files.isRegularFile(image)) {
      throw new InputException("--image: %s is not a regular file.".formatted(image));
    }
    long length;
    try {
      length = Files.size(image);
    } catch (IOException e) {
      throw new InputException(
          "--image: %s cannot be read (%s).".formatted(image, OutputPlace.reason(e)));
    }
    if (length == 0) {
      throw new InputException(
          "--image: %s is empty; RAM has at least one page of %d bytes."
              .formatted(image, RamBlock.PAGE_SIZE));
    }
    if (length % RamBlock.PAGE_SIZE != 0) {
      throw new InputException(
          "--image: the length of %s, %d bytes, is not a multiple of the page size, %d bytes."
              .formatted(image, length, RamBlock.PAGE_SIZE));
    }
    return length;
  }
}
