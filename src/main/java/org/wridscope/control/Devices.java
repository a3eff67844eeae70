// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.PortDescription;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftFabric;
import org.wridscope.verbs.soft.SoftNetwork;
import org.wridscope.verbs.soft.WireTap;

/**
 * The RDMA devices that this process uses. Each is opened once, when it is first needed; all are
 * closed together. Thread-safe.
 */
final class Devices implements AutoCloseable {
  static final String SOFTWARE_NAME = SoftNetwork.NAME;
  private static final String LAB_NAME = "lab0";
  private static final Logger LOG = LoggerFactory.getLogger(Devices.class);

  private final InstalledDevices installed;
  private final Map<String, RdmaDevice> opened = new LinkedHashMap<>();
  private final Map<String, Ends> ends = new LinkedHashMap<>();

  /** Those of which one has vanished. */
  private final List<Ends> former = new ArrayList<>();

  private boolean closed;
  private @Nullable WireTap tap;

  Devices(InstalledDevices installed) {
    this.installed = installed;
  }

  /**
   * The device of a session.
   *
   * @param reason a phrase that says why this device was selected
   */
  record Selected(RdmaDevice device, String reason) {}

  @FunctionalInterface
  private interface Opener {
    RdmaDevice open(String name) throws VerbsException;
  }

  /** The device for lab migrations without faults. */
  RdmaDevice lab() throws VerbsException {
    return open(LAB_NAME, name -> tapped(new SoftFabric().open(name)));
  }

  /** Shows what software devices carry within this process, on connections from now on. */
  synchronized void tap(WireTap shown) {
    tap = shown;
  }

  private SoftDevice tapped(SoftDevice device) {
    WireTap shown = tap;
    if (shown != null) {
      device.setTap(shown);
    }
    return device;
  }

  /** Two software devices on their own fabric. */
  record Ends(SoftFabric fabric, SoftDevice source, SoftDevice destination) {}

  /** The two devices with this name; created at the first call. */
  synchronized Ends ends(String name) {
    if (closed) {
      throw new IllegalStateException("the devices are closed");
    }
    return ends.computeIfAbsent(
        name,
        _ -> {
          var fabric = new SoftFabric();
          return new Ends(
              fabric,
              tapped(fabric.open(name + "-source")),
              tapped(fabric.open(name + "-destination")));
        });
  }

  /** One of the two devices with this name has vanished: those who come next get others. */
  synchronized void replace(String name) {
    Ends both = ends.remove(name);
    if (both != null) {
      former.add(both);
    }
  }

  /** The device to listen with on a local address. */
  Selected forListening(DeviceChoice choice, InetSocketAddress local) throws IOException {
    return switch (choice) {
      case DeviceChoice.Software _ -> chosenSoftware();
      case DeviceChoice.Named named -> named(named);
      case DeviceChoice.Automatic _ -> {
        InetAddress address = local.getAddress();
        Optional<String> name =
            address.isAnyLocalAddress() ? firstActive() : installed.nameOf(address);
        yield name.isPresent()
            ? hardware(
                name.get(),
                address.isAnyLocalAddress()
                    ? "the first RDMA device with an active port"
                    : "the RDMA device with the address " + address.getHostAddress())
            : software(
                address.isAnyLocalAddress()
                    ? "there is no RDMA device with an active port"
                    : "no RDMA device has the address " + address.getHostAddress());
      }
    };
  }

  /** The device through which a peer is reached. */
  Selected forReaching(DeviceChoice choice, InetSocketAddress peer) throws IOException {
    return switch (choice) {
      case DeviceChoice.Software _ -> chosenSoftware();
      case DeviceChoice.Named named -> named(named);
      case DeviceChoice.Automatic _ -> {
        String to = peer.getAddress().getHostAddress();
        Optional<InetAddress> local = localTowards(peer);
        Optional<String> name = local.flatMap(installed::nameOf);
        yield name.isPresent()
            ? hardware(name.get(), "the RDMA device on the route to " + to)
            : software("no RDMA device is on the route to " + to);
      }
    };
  }

  /** The local address on the route to a peer, empty if there is no route. Sends no packet. */
  private static Optional<InetAddress> localTowards(InetSocketAddress peer) {
    try (var socket = new DatagramSocket()) {
      socket.connect(peer);
      return Optional.of(socket.getLocalAddress());
    } catch (IOException e) {
      LOG.debug("no route to {}: {}", peer, e.getMessage());
      return Optional.empty();
    }
  }

  private Optional<String> firstActive() {
    try {
      return installed.list().stream()
          .filter(device ->
              device.ports().stream()
                  .anyMatch(port -> port.state() == PortDescription.PortState.ACTIVE))
          .map(DeviceDescription::name)
          .findFirst();
    } catch (VerbsException e) {
      LOG.debug("RDMA devices cannot be listed: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private Selected named(DeviceChoice.Named choice) throws VerbsException {
    return hardware(choice.name(), "as chosen");
  }

  private Selected hardware(String name, String reason) throws VerbsException {
    return new Selected(open(name, installed::open), reason);
  }

  private Selected chosenSoftware() throws VerbsException {
    return new Selected(software(), "the software device, as chosen");
  }

  private Selected software(String why) throws VerbsException {
    return new Selected(software(), "the software device, because " + why);
  }

  private RdmaDevice software() throws VerbsException {
    return open(SOFTWARE_NAME, SoftNetwork::open);
  }

  private synchronized RdmaDevice open(String name, Opener opener) throws VerbsException {
    if (closed) {
      throw new IllegalStateException("the devices are closed");
    }
    RdmaDevice device = opened.get(name);
    if (device == null) {
      device = opener.open(name);
      opened.put(name, device);
    }
    return device;
  }

  /** Lists all devices. Asks the kernel, so it may take a moment. */
  DeviceListing list() throws VerbsException {
    var software =
        new DeviceDescription(SOFTWARE_NAME, "", "", software().capabilities(), List.of());
    try {
      return new DeviceListing(installed.list(), software, null);
    } catch (VerbsException e) {
      return new DeviceListing(List.of(), software, sentence(e));
    }
  }

  private static String sentence(VerbsException e) {
    String message = String.valueOf(e.getMessage());
    return message.substring(0, 1).toUpperCase(Locale.ROOT)
        + message.substring(1)
        + (message.endsWith(".") ? "" : ".");
  }

  @Override
  public synchronized void close() {
    closed = true;
    List<RdmaDevice> all = new ArrayList<>(opened.values());
    former.addAll(ends.values());
    for (Ends both : former) {
      all.add(both.source());
      all.add(both.destination());
    }
    ends.clear();
    former.clear();
    for (RdmaDevice device : all) {
      try {
        device.close();
      } catch (IOException e) {
        LOG.warn("{}", e.getMessage(), e);
      }
    }
    opened.clear();
  }
}
