// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.io.IOException;
import org.wridscope.libvirt.VirtUri;

/** Looks at a host, without changing anything. */
@FunctionalInterface
interface HostProbe {
  /**
   * Looks at a host. Waits for it, some seconds at most.
   *
   * @param emulator path of the domain's QEMU
   * @throws IOException with a sentence for the user if one cannot look at this host from here
   */
  HostFacts look(VirtUri host, String emulator) throws IOException;
}
