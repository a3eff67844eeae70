// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.List;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.PortDescription;

/** Devices for tests that display them. */
public final class DeviceListings {
  private static final DeviceCapabilities CAPABILITIES =
      new DeviceCapabilities(4096, 16384, 32767, 1 << 19, Long.MAX_VALUE, 8 << 20);

  /** A typical soft-RoCE device on an Ethernet interface, and the software device. */
  public static final DeviceDescription RXE =
      new DeviceDescription(
          "rxe0",
          "5054:00ff:fe0a:0901",
          "",
          CAPABILITIES,
          List.of(
              new PortDescription(
                  1,
                  PortDescription.PortState.ACTIVE,
                  PortDescription.LinkLayer.ETHERNET,
                  1024,
                  0,
                  List.of("fe80::5054:ff:fe0a:901", "::ffff:10.9.0.1"),
                  "eth0",
                  List.of(InetAddress.ofLiteral("10.9.0.1")))));

  public static final DeviceDescription SOFT =
      new DeviceDescription("soft0", "", "", CAPABILITIES, List.of());

  public static final DeviceListing RXE_AND_SOFT = new DeviceListing(List.of(RXE), SOFT, null);

  private DeviceListings() {}
}
