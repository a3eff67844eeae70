// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.help;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.wridscope.control.DeviceListing;
import org.wridscope.control.DeviceTable;
import org.wridscope.control.SessionManager;

/** What this program is, and what it runs on. */
final class About {
  private static final String UNPACKED = "development build";

  private About() {}

  /**
   * The page.
   *
   * @param devices the devices that were found, a phrase
   */
  static Topic page(String devices) {
    return Topic.of(
        "About Wridscope",
        "Wridscope",
        "Monitors and controls live migration over RDMA, in QEMU's protocol.",
        "Version",
        Optional.ofNullable(About.class.getPackage().getImplementationVersion()).orElse(UNPACKED),
        "Licence",
        "Apache License, Version 2.0. The licences of its libraries are in the file NOTICE.",
        "Java",
        "%s, %s"
            .formatted(
                System.getProperty("java.runtime.version"), System.getProperty("java.vendor")),
        "JavaFX",
        String.valueOf(System.getProperty("javafx.runtime.version")),
        "System",
        String.format(
            Locale.ROOT,
            "%s %s, %s",
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("os.arch")),
        "RDMA devices",
        devices);
  }

  /** The devices that are found now, in a sentence; asks the kernel. */
  static String devices(SessionManager manager) {
    try {
      DeviceListing listing = manager.devices();
      String names =
          DeviceTable.rows(listing).stream()
              .map(row -> "%s (%s)".formatted(row.device().name(), row.state()))
              .distinct()
              .collect(Collectors.joining(", "));
      return names.isEmpty() ? "none; the software device needs none" : names;
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
