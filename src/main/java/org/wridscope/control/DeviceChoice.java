// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/** The choice of the RDMA device for a session. */
public sealed interface DeviceChoice {
  /** Name of the software device in settings. */
  String SOFTWARE = "soft";

  /** The RDMA device with the migration's address, or the software device if there is none. */
  record Automatic() implements DeviceChoice {}

  /** The embedded software device, over TCP. */
  record Software() implements DeviceChoice {}

  /** The device with this name, for example {@code rxe0}. */
  record Named(String name) implements DeviceChoice {}

  /** Parses a choice: blank for automatic, {@value #SOFTWARE}, or the name of a device. */
  static DeviceChoice of(String text) {
    String name = text.strip();
    if (name.isEmpty()) {
      return new Automatic();
    }
    return name.equals(SOFTWARE) || name.equals(Devices.SOFTWARE_NAME)
        ? new Software()
        : new Named(name);
  }
}
