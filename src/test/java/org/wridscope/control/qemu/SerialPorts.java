// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a {@link CounterGuest} has written to the serial ports of two QEMUs, which are files. */
public final class SerialPorts {
  private SerialPorts() {}

  /**
   * Whether both ends together have every number once, in order.
   *
   * @param here of the QEMU in which the guest was first
   */
  public static Counting counting(Path here, Path there) throws IOException {
    return Counting.of(read(here), read(there), false, true);
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1);
  }
}
