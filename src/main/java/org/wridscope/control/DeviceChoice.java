// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/** Which RDMA device a session is to use. */
public sealed interface DeviceChoice {
  /** What the software device is called in settings. */
  String SOFTWARE = "soft";

  /** The RDMA device that carries the address, or the software device when none does. */
  record Automatic() implements DeviceChoice {}

  /** The embedded software device, over TCP. */
  record Software() implements DeviceChoice {}

  /** The device of this name, for example {@code rxe0}. */
  record Named(String name) implements DeviceChoice {}

  /** Reads a choice: empty for an automatic one, {@value #SOFTWARE}, or the name of a device. */
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
