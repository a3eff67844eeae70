// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.wridscope.text.Legible;

/** Addresses of the peers of queue pairs, as text. */
final class PeerAddress {
  private static final short AF_INET = 2;
  private static final short AF_INET6 = 10;
  private static final int MAX_TEXT = 64;

  /** Where {@code struct sockaddr_in} and {@code struct sockaddr_in6} have port and address. */
  private static final int PORT = 2;

  private static final int ADDRESS = 4;
  private static final int ADDRESS6 = 8;

  /** Addresses of IPv6 in 2000::/3 and fc00::/7; others are not routed. */
  private static final int GLOBAL_SHIFT = 5;

  private static final int GLOBAL_UNICAST = 1;
  private static final int UNIQUE_LOCAL = 0xfc;

  private PeerAddress() {}

  /** The first 32 bytes of a {@code struct sockaddr_storage}, in four words of this machine. */
  static String of(long... words) {
    ByteBuffer bytes = ByteBuffer.allocate(words.length * Long.BYTES);
    bytes.order(ByteOrder.nativeOrder());
    Arrays.stream(words).forEach(bytes::putLong);
    short family = bytes.getShort(0);
    int port = Short.toUnsignedInt(bytes.order(ByteOrder.BIG_ENDIAN).getShort(PORT));
    return switch (family) {
      case AF_INET -> "%s:%d".formatted(address(bytes, ADDRESS, 4), port);
      case AF_INET6 -> "[%s]:%d".formatted(address(bytes, ADDRESS6, 16), port);
      default -> "a peer with an address of family " + family;
    };
  }

  /**
   * The destination of a {@code struct ibv_ah_attr}: a GID that is an IP address, as those of RoCE
   * v2 are, as that; another GID; or a LID.
   *
   * @param isGlobal whether it has a GID
   * @param gid two words of this machine
   */
  static String ofDestination(boolean isGlobal, int lid, long... gid) {
    if (!isGlobal) {
      return "LID " + lid;
    }
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
    Arrays.stream(gid).forEach(bytes::putLong);
    int first = Byte.toUnsignedInt(bytes.get(0));
    boolean global = first >>> GLOBAL_SHIFT == GLOBAL_UNICAST || (first & ~1) == UNIQUE_LOCAL;
    // Java tells an IPv4 address that is mapped to IPv6 as IPv4, which is what RoCE v2 does.
    String address = address(bytes, 0, bytes.capacity());
    return global || address.indexOf('.') > 0 ? address : "GID " + address;
  }

  /** A queue pair at an address, such as {@code QP 21 at 10.9.0.2}. */
  static String ofQueuePair(int number, String address) {
    return "QP %s at %s".formatted(Integer.toUnsignedString(number), address);
  }

  private static String address(ByteBuffer bytes, int at, int length) {
    byte[] address = new byte[length];
    bytes.get(at, address);
    try {
      return InetAddress.getByAddress(address).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /**
   * The connections of this machine, as far as this user may see them: the peer's address by
   * process and queue pair.
   *
   * @throws IOException if they cannot be listed; one sentence
   */
  static Map<Long, Map<QueuePairReading.Key, String>> ofConnections()
      throws IOException, InterruptedException {
    return parse(RdmaTool.show("cm_id"));
  }

  /** Reads what {@code rdma -j resource show cm_id} prints. */
  static Map<Long, Map<QueuePairReading.Key, String>> parse(String json) throws IOException {
    Map<Long, Map<QueuePairReading.Key, String>> found = new HashMap<>();
    for (JsonObject each : RdmaTool.objects(json)) {
      OptionalLong pid = RdmaTool.number(each, "pid");
      Optional<QueuePairReading.Key> queuePair = QueuePairReading.key(each);
      if (pid.isPresent()
          && queuePair.isPresent()
          && each.get("dst-addr") instanceof JsonPrimitive address) {
        found
            .computeIfAbsent(pid.getAsLong(), _ -> new HashMap<>())
            .put(queuePair.get(), bracketed(address.getAsString()));
      }
    }
    return found;
  }

  /** It prints addresses of IPv6 without brackets. */
  private static String bracketed(String address) {
    int port = address.lastIndexOf(':');
    boolean six = port > 0 && address.indexOf(':') < port;
    return Legible.of(
        six ? "[%s]%s".formatted(address.substring(0, port), address.substring(port)) : address,
        MAX_TEXT);
  }
}
