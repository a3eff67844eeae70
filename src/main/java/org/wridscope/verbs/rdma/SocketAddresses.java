// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.wridscope.verbs.rdma.ffm.Memory;

/** Reads and writes {@code struct sockaddr_in} and {@code struct sockaddr_in6}. */
final class SocketAddresses {
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;

  /** {@code struct sockaddr_in6}. */
  private static final int SIZE = 28;

  private static final int PORT = 2;
  private static final int IPV4_ADDRESS = 4;
  private static final int IPV6_ADDRESS = 8;
  private static final int IPV6_SCOPE = 24;

  private SocketAddresses() {}

  /** Writes a resolved address to native memory. */
  static long write(InetSocketAddress address, Arena arena) {
    byte[] host = address.getAddress().getAddress();
    boolean isIpv6 = host.length == 16;
    MemorySegment memory = arena.allocate(SIZE, Long.BYTES);
    memory.set(JAVA_SHORT, 0, (short) (isIpv6 ? AF_INET6 : AF_INET));
    memory.set(JAVA_BYTE, PORT, (byte) (address.getPort() >> 8));
    memory.set(JAVA_BYTE, PORT + 1, (byte) address.getPort());
    memory
        .asSlice(isIpv6 ? IPV6_ADDRESS : IPV4_ADDRESS, host.length)
        .copyFrom(MemorySegment.ofArray(host));
    if (address.getAddress() instanceof Inet6Address ipv6) {
      memory.set(JAVA_INT, IPV6_SCOPE, ipv6.getScopeId());
    }
    return memory.address();
  }

  /**
   * Reads an address from native memory.
   *
   * @throws IllegalStateException when it is not an IP address
   */
  static InetSocketAddress read(long from) {
    int family = Memory.getUnsignedShort(from);
    int port = Memory.getUnsignedByte(from + PORT) << 8 | Memory.getUnsignedByte(from + PORT + 1);
    try {
      return switch (family) {
        case AF_INET ->
            new InetSocketAddress(
                InetAddress.getByAddress(Memory.getBytes(from + IPV4_ADDRESS, 4)), port);
        case AF_INET6 ->
            new InetSocketAddress(
                ipv6(Memory.getBytes(from + IPV6_ADDRESS, 16), Memory.getInt(from + IPV6_SCOPE)),
                port);
        default -> throw new IllegalStateException("an address of the unknown family " + family);
      };
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static InetAddress ipv6(byte[] bytes, int scope) throws UnknownHostException {
    return scope == 0
        ? InetAddress.getByAddress(bytes)
        : Inet6Address.getByAddress(null, bytes, scope);
  }
}
