// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.control.DeviceChoice;
import org.wridscope.control.MigrationUri;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The address of the destination, and the device to use. */
final class PlaceOptions {
  @Parameters(
      paramLabel = "rdma:HOST:PORT",
      description =
          "The address of the destination, as for QEMU; write an IPv6 address in brackets, and"
              + " rdma:PORT for this machine. With --qmp also defer: a client names it, with"
              + " migrate at a source or migrate-incoming at a destination")
  private String uri = "";

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = {
        "The RDMA device, such as rxe0, or soft for the software device over TCP.",
        "Default: the RDMA device with that address, or soft if there is none"
      })
  private String device = "";

  /**
   * Whether a client names the address.
   *
   * @throws InputException if there can be none
   */
  boolean isDeferred(QmpOption qmp) throws InputException {
    boolean deferred = uri.equals(DeferredStart.URI);
    if (deferred && !qmp.isGiven()) {
      throw new InputException(
          "%s: nobody can name the address without %s; give that, too, or the address."
              .formatted(DeferredStart.URI, QmpOption.NAME));
    }
    return deferred;
  }

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
