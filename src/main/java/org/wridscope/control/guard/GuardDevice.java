// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.IOException;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.RdmaDevices;
import org.wridscope.verbs.soft.SoftNetwork;

/** The RDMA device over which the other end asks or is asked. */
final class GuardDevice {
  private GuardDevice() {}

  /** Opens it, which only a guard needs whose process has ended. */
  static RdmaDevice open(String name) throws IOException {
    try {
      return name.equals(SoftNetwork.NAME) ? SoftNetwork.open(name) : RdmaDevices.open(name);
    } catch (VerbsException e) {
      throw new IOException("the RDMA device cannot be opened: " + e.getMessage(), e);
    }
  }
}
