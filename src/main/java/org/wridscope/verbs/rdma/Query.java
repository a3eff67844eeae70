// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.PortDescription;
import org.wridscope.verbs.PortDescription.LinkLayer;
import org.wridscope.verbs.PortDescription.PortState;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/** Queries the attributes of an opened device. */
final class Query {
  private Query() {}

  static String name(long device) {
    return Memory.getString(device + Struct.Device.NAME, Struct.Device.NAME_SIZE);
  }

  /** Name of the character device below /dev/infiniband. */
  static String verbsNode(long device) {
    return Memory.getString(device + Struct.Device.DEV_NAME, Struct.Device.NAME_SIZE);
  }

  /** How the kernel knows a device. */
  static DeviceIdentity identity(long device) {
    return new DeviceIdentity(
        name(device),
        verbsNode(device),
        Memory.getString(device + Struct.Device.DEV_PATH, Struct.Device.PATH_SIZE),
        Memory.getString(device + Struct.Device.IBDEV_PATH, Struct.Device.PATH_SIZE));
  }

  /** The link layer of a port; unspecified when it cannot be queried. */
  static LinkLayer linkLayer(long context, int port) {
    try (Arena arena = Arena.ofConfined()) {
      return constant(
          LinkLayer.values(),
          Memory.getUnsignedByte(
              portAttributes(context, port, arena) + Struct.PortAttr.LINK_LAYER));
    } catch (NativeCallException e) {
      return LinkLayer.UNSPECIFIED;
    }
  }

  /** The device that a context was opened on. */
  static long deviceOf(long context) {
    return Memory.getLong(context + Struct.Context.DEVICE);
  }

  static DeviceDescription describe(long context) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      long attributes = attributes(context, arena);
      GidTable gids = GidTable.of(context);
      List<PortDescription> ports = new ArrayList<>();
      for (int port : portsIn(attributes)) {
        ports.add(port(context, port, gids));
      }
      return new DeviceDescription(
          name(deviceOf(context)),
          guid(Memory.getBytes(attributes + Struct.DeviceAttr.NODE_GUID, Long.BYTES)),
          Memory.getString(attributes + Struct.DeviceAttr.FW_VER, Struct.DeviceAttr.FW_VER_SIZE),
          capabilities(context, attributes),
          ports);
    }
  }

  static DeviceCapabilities capabilities(long context) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      return capabilities(context, attributes(context, arena));
    }
  }

  private static long attributes(long context, Arena arena) throws NativeCallException {
    long attributes = arena.allocate(Struct.DeviceAttr.SIZE, Long.BYTES).address();
    Ibverbs.QUERY_DEVICE.call(context, attributes);
    return attributes;
  }

  /** The numbers of a device's ports. */
  static List<Integer> ports(long context) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      return portsIn(attributes(context, arena));
    }
  }

  private static List<Integer> portsIn(long attributes) {
    int count = Memory.getUnsignedByte(attributes + Struct.DeviceAttr.PHYS_PORT_CNT);
    return IntStream.rangeClosed(1, count).boxed().toList();
  }

  private static DeviceCapabilities capabilities(long context, long attributes)
      throws NativeCallException {
    long maxMessage = Long.MAX_VALUE;
    try (Arena arena = Arena.ofConfined()) {
      for (int port : portsIn(attributes)) {
        long portAttributes = portAttributes(context, port, arena);
        maxMessage =
            Math.min(
                maxMessage,
                Integer.toUnsignedLong(Memory.getInt(portAttributes + Struct.PortAttr.MAX_MSG_SZ)));
      }
    }
    // Unsigned; soft-RoCE reports 2^64 - 1.
    long maxRegion = Memory.getLong(attributes + Struct.DeviceAttr.MAX_MR_SIZE);
    return new DeviceCapabilities(
        Memory.getInt(attributes + Struct.DeviceAttr.MAX_QP),
        Memory.getInt(attributes + Struct.DeviceAttr.MAX_QP_WR),
        Memory.getInt(attributes + Struct.DeviceAttr.MAX_CQE),
        Memory.getInt(attributes + Struct.DeviceAttr.MAX_MR),
        maxRegion < 0 ? Long.MAX_VALUE : maxRegion,
        maxMessage);
  }

  private static long portAttributes(long context, int port, Arena arena)
      throws NativeCallException {
    long attributes = arena.allocate(Struct.PortAttr.SIZE, Long.BYTES).address();
    Ibverbs.QUERY_PORT.call(context, port, attributes);
    return attributes;
  }

  private static PortDescription port(long context, int port, GidTable gids)
      throws NativeCallException {
    List<String> interfaces = gids.interfaces(port);
    try (Arena arena = Arena.ofConfined()) {
      long attributes = portAttributes(context, port, arena);
      return new PortDescription(
          port,
          constant(PortState.values(), Memory.getInt(attributes + Struct.PortAttr.STATE)),
          constant(
              LinkLayer.values(), Memory.getUnsignedByte(attributes + Struct.PortAttr.LINK_LAYER)),
          mtu(Memory.getInt(attributes + Struct.PortAttr.ACTIVE_MTU)),
          Memory.getUnsignedShort(attributes + Struct.PortAttr.LID),
          gids.gids(port),
          interfaces.isEmpty() ? "" : interfaces.getFirst(),
          interfaces.isEmpty() ? List.of() : NetworkInterfaces.addresses(interfaces.getFirst()));
    }
  }

  /** The constant with this value; the first one when the value is unknown. */
  private static <T> T constant(T[] constants, int value) {
    return value >= 0 && value < constants.length ? constants[value] : constants[0];
  }

  /** {@code enum ibv_mtu}: 1 is 256 bytes, each step doubles. */
  static int mtu(int value) {
    return value >= 1 && value <= 5 ? 128 << value : 0;
  }

  static int gidTableLength(long context, int port) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      return Memory.getInt(portAttributes(context, port, arena) + Struct.PortAttr.GID_TBL_LEN);
    }
  }

  private static boolean isZero(byte[] bytes) {
    int any = 0;
    for (byte b : bytes) {
      any |= b;
    }
    return any == 0;
  }

  /** The identifier as an IPv6 address with its first run of zeros shortened, or IPv4-mapped. */
  static String gid(byte[] bytes) {
    try {
      return ConnectionRoute.gidOf(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The identifier in groups of four digits; empty when it is zero. */
  static String guid(byte[] bytes) {
    if (isZero(bytes)) {
      return "";
    }
    String digits = HexFormat.of().formatHex(bytes);
    return String.join(
        ":",
        digits.substring(0, 4),
        digits.substring(4, 8),
        digits.substring(8, 12),
        digits.substring(12));
  }
}
