// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import org.wridscope.verbs.rdma.ffm.Struct;

/** Which calls are traced. */
sealed interface TraceFilter {
  /** The calls of all processes but those that are {@linkplain Probes#leaveOut left out}. */
  record Undecided() implements TraceFilter {}

  /**
   * The calls of all processes on one device, compared by its name in {@code struct ibv_device}.
   */
  record OfDevice(String device) implements TraceFilter {
    public OfDevice {
      if (device.isEmpty() || device.length() >= Struct.Device.NAME_SIZE) {
        throw new IllegalArgumentException(
            "a device's name of %d bytes".formatted(device.length()));
      }
    }
  }
}
