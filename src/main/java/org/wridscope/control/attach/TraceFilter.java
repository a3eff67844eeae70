// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import org.wridscope.verbs.rdma.ffm.Struct;

/** Which calls are traced. */
sealed interface TraceFilter {
  /** The calls of one process. */
  record OfProcess(long pid) implements TraceFilter {
    public OfProcess {
      if (pid <= 0 || pid > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("process " + pid);
      }
    }
  }

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
