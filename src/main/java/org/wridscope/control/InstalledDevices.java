// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;

/** The RDMA devices that a machine has, apart from those that are software of this program. */
interface InstalledDevices {

  /**
   * All of them.
   *
   * @throws VerbsException when they cannot be looked at, for example for want of a library
   */
  List<DeviceDescription> list() throws VerbsException;

  /** Opens one. */
  RdmaDevice open(String name) throws VerbsException;

  /** Name of the device that carries an address of this machine; empty when none does. */
  Optional<String> nameOf(InetAddress address);
}
