// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.RdmaDevices;

/** The RDMA devices of this machine's kernel. */
final class KernelDevices implements InstalledDevices {

  @Override
  public List<DeviceDescription> list() throws VerbsException {
    return RdmaDevices.list();
  }

  @Override
  public RdmaDevice open(String name) throws VerbsException {
    return RdmaDevices.open(name);
  }

  @Override
  public Optional<String> nameOf(InetAddress address) {
    return RdmaDevices.nameOf(address);
  }
}
