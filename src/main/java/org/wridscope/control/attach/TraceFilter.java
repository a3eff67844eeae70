// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.nio.charset.StandardCharsets;
import org.wridscope.verbs.rdma.ffm.Struct;

/** Which calls are traced, as a condition in bpftrace's language. */
sealed interface TraceFilter {
  /**
   * The condition at the entry of a function whose first argument is a queue pair, a completion
   * queue or a shared receive queue; each begins with the pointer to its context.
   */
  String condition();

  /** The calls of one process. */
  record OfProcess(long pid) implements TraceFilter {
    public OfProcess {
      if (pid <= 0) {
        throw new IllegalArgumentException("process " + pid);
      }
    }

    @Override
    public String condition() {
      return "pid == " + pid;
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

    @Override
    public String condition() {
      byte[] name = (device + "\0").getBytes(StandardCharsets.ISO_8859_1);
      var conditions = new StringBuilder();
      for (int at = 0; at < name.length; at += Long.BYTES) {
        long word = 0;
        long mask = 0;
        for (int i = 0; i < Long.BYTES && at + i < name.length; i++) {
          word |= (long) (name[at + i] & 0xff) << (8 * i);
          mask |= 0xffL << (8 * i);
        }
        conditions
            .append(conditions.isEmpty() ? "" : " && ")
            .append(
                "(*(uint64*)(*(uint64*)*(uint64*)arg0 + %d) & 0x%x) == 0x%x"
                    .formatted(Struct.Device.NAME + at, mask, word));
      }
      return conditions.toString();
    }
  }
}
