// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;

/** A machine without RDMA. */
enum NoInstalledDevices implements InstalledDevices {
  INSTANCE;

  @Override
  public List<DeviceDescription> list() {
    return List.of();
  }

  @Override
  public RdmaDevice open(String name) throws VerbsException {
    throw new VerbsException(
        Errno.ENODEV, "There is no RDMA device '%s' on this machine.".formatted(name));
  }

  @Override
  public Optional<String> nameOf(InetAddress address) {
    return Optional.empty();
  }
}
