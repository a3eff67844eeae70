// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** The RDMA devices of this machine. */
public final class RdmaDevices {
  private RdmaDevices() {}

  /**
   * Describes all devices. None stays open.
   *
   * @return empty when there are none
   * @throws VerbsException when the libraries or the kernel's modules are missing, or a device may
   *     not be opened; one sentence
   */
  public static List<DeviceDescription> list() throws VerbsException {
    Installation.require();
    List<DeviceDescription> descriptions = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      long devices = deviceList(count);
      try {
        for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
          descriptions.add(describe(Memory.getLong(devices + (long) i * Long.BYTES)));
        }
      } finally {
        Ibverbs.FREE_DEVICE_LIST.call(devices);
      }
    } catch (NativeCallException e) {
      throw Installation.failed("describing the RDMA devices", e);
    }
    return descriptions;
  }

  static long deviceList(MemorySegment count) throws VerbsException {
    try {
      return Ibverbs.GET_DEVICE_LIST.call(count.address());
    } catch (NativeCallException e) {
      throw Installation.noDeviceList(e);
    }
  }

  /** Opens a device of the list; the caller closes the context. */
  static long context(long device) throws VerbsException, NativeCallException {
    try {
      return Ibverbs.OPEN_DEVICE.call(device);
    } catch (NativeCallException e) {
      throw Installation.notOpened(Query.name(device), Query.verbsNode(device), e.errno());
    }
  }

  private static DeviceDescription describe(long device)
      throws VerbsException, NativeCallException {
    long context = context(device);
    try {
      return Query.describe(context);
    } finally {
      Ibverbs.CLOSE_DEVICE.call(context);
    }
  }

  /**
   * Opens a device. It may be opened several times.
   *
   * @throws VerbsException with {@link Errno#ENODEV} when there is no such device, or with another
   *     errno when something is missing on this machine; one sentence
   */
  public static RdmaDevice open(String name) throws VerbsException {
    Installation.require();
    ConnectionId.tryOut();
    return new NativeDevice(name);
  }

  /** Why a device is not among those that can be used. */
  static VerbsException notFound(String name) {
    List<String> names;
    try {
      // Opens each device, so this fails for a device that may not be opened.
      names = list().stream().map(DeviceDescription::name).toList();
    } catch (VerbsException e) {
      return e;
    }
    return new VerbsException(
        Errno.ENODEV,
        names.isEmpty()
            ? "there is no RDMA device %s, nor any other on this machine".formatted(name)
            : "there is no RDMA device %s; this machine has %s"
                .formatted(name, String.join(", ", names)));
  }

  /**
   * The device that has one of this machine's addresses.
   *
   * @return empty when the address is not on an RDMA device of this machine
   */
  public static Optional<String> nameOf(InetAddress address) {
    NetworkInterface owner;
    try {
      owner = NetworkInterface.getByInetAddress(address);
    } catch (SocketException e) {
      return Optional.empty();
    }
    if (owner == null) {
      return Optional.empty();
    }
    NetworkInterfaces interfaces = NetworkInterfaces.ofThisMachine();
    for (String device : interfaces.devices()) {
      for (int port : interfaces.ports(device)) {
        if (interfaces.belongs(owner.getName(), device, port)) {
          return Optional.of(device);
        }
      }
    }
    return Optional.empty();
  }
}
