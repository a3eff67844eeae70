// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** Chooses the address of a device to connect from, if the kernel might choose another device's. */
final class SourceAddress {
  private SourceAddress() {}

  /**
   * The address of a device to use for a destination; empty to let the kernel choose, which finds
   * no device for this machine's loopback address.
   */
  static Optional<InetAddress> of(Adapter adapter, InetAddress destination)
      throws NativeCallException {
    if (destination.isLoopbackAddress() || NetworkInterfaces.ofThisMachine().devices().size() < 2) {
      return Optional.empty();
    }
    return closest(GidTable.of(adapter.context()).addresses(), destination);
  }

  /** The address that has the most leading bits in common with the destination. */
  static Optional<InetAddress> closest(List<InetAddress> addresses, InetAddress destination) {
    return addresses.stream()
        .filter(address -> address.getAddress().length == destination.getAddress().length)
        .filter(address ->
            !(address instanceof Inet6Address)
                || address.isLinkLocalAddress() == destination.isLinkLocalAddress())
        .max(Comparator.comparingInt(address -> commonBits(address, destination)));
  }

  private static int commonBits(InetAddress one, InetAddress other) {
    byte[] a = one.getAddress();
    byte[] b = other.getAddress();
    int bits = 0;
    for (int i = 0; i < a.length; i++) {
      int difference = (a[i] ^ b[i]) & 0xff;
      if (difference != 0) {
        return bits + Integer.numberOfLeadingZeros(difference) - 24;
      }
      bits += Byte.SIZE;
    }
    return bits;
  }
}
