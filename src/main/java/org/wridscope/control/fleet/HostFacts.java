// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What matters of a host for migrations over RDMA and what libvirt does not tell.
 *
 * @param devices its RDMA devices
 * @param lockableBytes how much memory a process of the user may lock; empty if there is no limit
 * @param qemuHasRdma whether the QEMU of the domain is linked with librdmacm; empty if that file is
 *     not there
 * @param userfaultfd whether a process without privileges, as libvirt's QEMUs are, may handle page
 *     faults of its own memory; empty if the kernel does not say
 */
record HostFacts(
    List<Device> devices,
    OptionalLong lockableBytes,
    Optional<Boolean> qemuHasRdma,
    Optional<Boolean> userfaultfd) {

  /**
   * A port of an RDMA device.
   *
   * @param name for example {@code rxe0}
   * @param up whether the port is active
   * @param link the network interface that it belongs to; may be empty
   * @param addresses of that interface, without those of link-local scope
   */
  record Device(String name, boolean up, String link, List<String> addresses) {
    Device {
      addresses = List.copyOf(addresses);
    }

    boolean usable() {
      return up && !addresses.isEmpty();
    }
  }

  HostFacts {
    devices = List.copyOf(devices);
  }
}
