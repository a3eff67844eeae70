// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.control.DeviceChoice;
import org.wridscope.control.MigrationUri;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Where the other end is or is waited for, and over which device. */
final class PlaceOptions {
  @Parameters(
      paramLabel = "rdma:HOST:PORT",
      description =
          "As QEMU has it; an IPv6 address stands in brackets, and rdma:PORT is this machine")
  private String uri = "";

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = {
        "An RDMA device, such as rxe0, or soft for the software device over TCP.",
        "Default: the RDMA device that carries the address, else soft"
      })
  private String device = "";

  /**
   * @throws IllegalArgumentException with one sentence for the user
   */
  MigrationUri uri() {
    return MigrationUri.parse(uri);
  }

  DeviceChoice device() {
    return DeviceChoice.of(device);
  }
}
