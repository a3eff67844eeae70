// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.List;

/** The steps by which a driver sets up a device after a reset (virtio 1.2, 3.1.1). */
final class DeviceSetup {
  private DeviceSetup() {}

  static void begin(VirtioDevice device) {
    device.writeStatus(Status.ACKNOWLEDGE);
    device.writeStatus(Status.ACKNOWLEDGE | Status.DRIVER);
    device.writeFeatures(device.offeredFeatures());
    device.writeStatus(device.status() | Status.FEATURES_OK);
  }

  static void finish(VirtioDevice device, List<Vring> vrings) {
    for (int i = 0; i < vrings.size(); i++) {
      device.enableQueue(i, vrings.get(i));
    }
    device.writeStatus(device.status() | Status.DRIVER_OK);
  }
}
