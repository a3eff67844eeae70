// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import org.wridscope.memory.RamBlock;

/**
 * A RAM block in the list of the {@code ram} section. Its position in the list is its index in
 * control messages.
 *
 * @param name unique in the list, 1 to 255 characters of printable ASCII
 * @param length in bytes, a positive multiple of the page size, because the lower bits are flags
 */
public record BlockListing(String name, long length) {
  public BlockListing {
    if (!StreamFormat.isName(name)) {
      throw new IllegalArgumentException(
          "RAM block name '%s': %s are allowed".formatted(name, StreamFormat.NAMES));
    }
    if (length <= 0 || length % RamBlock.PAGE_SIZE != 0) {
      throw new IllegalArgumentException(
          "RAM block %s: length %d is not a positive multiple of %d"
              .formatted(name, length, RamBlock.PAGE_SIZE));
    }
  }
}
