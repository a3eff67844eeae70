// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;

/** The RDMA devices of a machine, without the embedded software device. */
interface InstalledDevices {

  /**
   * Lists all devices.
   *
   * @throws VerbsException if that fails, for example because a library is missing
   */
  List<DeviceDescription> list() throws VerbsException;

  /** Opens a device. */
  RdmaDevice open(String name) throws VerbsException;

  /** Name of the device with an address of this machine; empty if no device has it. */
  Optional<String> nameOf(InetAddress address);
}
