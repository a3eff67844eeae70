// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.DeviceDescription;

/**
 * The devices that sessions can use.
 *
 * @param installed the RDMA devices of this machine
 * @param software the embedded software device, which always exists
 * @param problem one sentence that says why the RDMA devices could not be listed; null if they were
 */
public record DeviceListing(
    List<DeviceDescription> installed, DeviceDescription software, @Nullable String problem) {

  public DeviceListing {
    installed = List.copyOf(installed);
  }

  /** All devices, the installed ones first. */
  public List<DeviceDescription> all() {
    return Stream.concat(installed.stream(), Stream.of(software)).toList();
  }
}
