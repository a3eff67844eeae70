// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.util.List;

/**
 * Properties of a device; see {@code ibv_query_device(3)}.
 *
 * @param name for example {@code rxe0}
 * @param nodeGuid 64 bits, as {@code 5054:00ff:fe0a:0901}; empty when there is none
 * @param firmware firmware version; empty when there is none
 * @param capabilities limits of the device
 * @param ports in the order of their numbers
 */
public record DeviceDescription(
    String name,
    String nodeGuid,
    String firmware,
    DeviceCapabilities capabilities,
    List<PortDescription> ports) {

  public DeviceDescription {
    ports = List.copyOf(ports);
  }
}
