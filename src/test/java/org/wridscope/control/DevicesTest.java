// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.PortDescription;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.soft.SoftFabric;

/** The selection of devices, on a machine whose loopback addresses are on RDMA devices. */
final class DevicesTest {
  private static final DeviceChoice AUTOMATIC = new DeviceChoice.Automatic();

  private final FakeInstalled installed = new FakeInstalled();
  private final Devices devices = new Devices(installed);

  /** Software devices, which are counted. */
  private static final class FakeInstalled implements InstalledDevices {
    private final Map<InetAddress, String> names = new HashMap<>();
    private final List<String> opened = new ArrayList<>();
    private List<DeviceDescription> list = List.of(DeviceListings.RXE);
    private @Nullable String refusal;

    @Override
    public List<DeviceDescription> list() throws VerbsException {
      if (refusal != null) {
        throw new VerbsException(Errno.ENODEV, refusal);
      }
      return list;
    }

    @Override
    public RdmaDevice open(String name) throws VerbsException {
      if (!name.startsWith("rxe")) {
        throw new VerbsException(Errno.ENODEV, "there is no RDMA device " + name);
      }
      opened.add(name);
      return new SoftFabric().open(name);
    }

    @Override
    public Optional<String> nameOf(InetAddress address) {
      return Optional.ofNullable(names.get(address));
    }
  }

  @AfterEach
  void close() {
    devices.close();
  }

  private static InetSocketAddress at(String address) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), 4444);
  }

  @Test
  void automatic_addressOnADevice_isThatDevice() throws IOException {
    installed.names.put(InetAddress.ofLiteral("127.0.0.1"), "rxe3");
    assertThat(devices.forListening(AUTOMATIC, at("127.0.0.1")).device().name()).isEqualTo("rxe3");
    assertThat(devices.forListening(AUTOMATIC, at("127.0.0.1")).reason())
        .isEqualTo("the RDMA device with the address 127.0.0.1");
    // The local address of a route to 127.0.0.0/8 is the address itself or 127.0.0.1.
    assertThat(devices.forReaching(AUTOMATIC, at("127.0.0.1")).device().name()).isEqualTo("rxe3");
    assertThat(devices.forReaching(AUTOMATIC, at("127.0.0.1")).reason())
        .isEqualTo("the RDMA device on the route to 127.0.0.1");
    assertThat(installed.opened).containsExactly("rxe3");
  }

  @Test
  void automatic_addressOnNone_isTheSoftwareDeviceAndSaysWhy() throws IOException {
    assertThat(devices.forListening(AUTOMATIC, at("127.0.0.1")).device().name()).isEqualTo("soft0");
    assertThat(devices.forListening(AUTOMATIC, at("127.0.0.1")).reason())
        .isEqualTo("the software device, because no RDMA device has the address 127.0.0.1");
    assertThat(devices.forReaching(AUTOMATIC, at("127.0.0.1")).reason())
        .isEqualTo("the software device, because no RDMA device is on the route to 127.0.0.1");
    assertThat(installed.opened).isEmpty();
  }

  @Test
  void automatic_everyAddress_isTheFirstDeviceWithAnActivePort() throws IOException {
    assertThat(devices.forListening(AUTOMATIC, at("0.0.0.0")).device().name()).isEqualTo("rxe0");
    PortDescription active = DeviceListings.RXE.ports().getFirst();
    PortDescription down =
        new PortDescription(
            1,
            PortDescription.PortState.DOWN,
            active.linkLayer(),
            1024,
            0,
            List.of(),
            "eth0",
            List.of());
    installed.list =
        List.of(
            new DeviceDescription(
                "rxe0", "", "", DeviceListings.RXE.capabilities(), List.of(down)));
    assertThat(devices.forListening(AUTOMATIC, at("0.0.0.0")).device().name()).isEqualTo("soft0");
    installed.refusal = "no libibverbs";
    assertThat(devices.forListening(AUTOMATIC, at("::")).device().name()).isEqualTo("soft0");
  }

  @Test
  void chosen_deviceIsUsedWhateverTheAddress() throws IOException {
    installed.names.put(InetAddress.ofLiteral("127.0.0.1"), "rxe3");
    assertThat(devices.forListening(DeviceChoice.of("soft"), at("127.0.0.1")).device().name())
        .isEqualTo("soft0");
    assertThat(devices.forReaching(DeviceChoice.of("rxe1"), at("127.0.0.1")).device().name())
        .isEqualTo("rxe1");
    assertThatThrownBy(() -> devices.forReaching(DeviceChoice.of("mlx5_0"), at("127.0.0.1")))
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining("mlx5_0");
  }

  @ParameterizedTest
  @CsvSource({
    "'', Automatic",
    "' ', Automatic",
    "soft, Software",
    "soft0, Software",
    "rxe0, Named"
  })
  void choice_asTyped_isRead(String text, String kind) {
    assertThat(DeviceChoice.of(text).getClass().getSimpleName()).isEqualTo(kind);
  }

  @Test
  void list_deviceThatCannotBeLookedAt_isSaidBesideTheSoftwareDevice() throws IOException {
    assertThat(devices.list().all())
        .extracting(DeviceDescription::name)
        .containsExactly("rxe0", "soft0");
    assertThat(devices.list().problem()).isNull();
    installed.refusal = "libibverbs.so.1 is missing";
    assertThat(devices.list().all()).extracting(DeviceDescription::name).containsExactly("soft0");
    assertThat(devices.list().problem()).isEqualTo("Libibverbs.so.1 is missing.");
  }

  @Test
  void close_closesEachDeviceAndOpensNoMore() throws IOException {
    RdmaDevice device = devices.forReaching(DeviceChoice.of("rxe1"), at("127.0.0.1")).device();
    devices.close();
    assertThatThrownBy(device::allocateProtectionDomain).isInstanceOf(Exception.class);
    assertThatThrownBy(() -> devices.forReaching(DeviceChoice.of("rxe1"), at("127.0.0.1")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void table_hasARowForEachPortAndDetailsOfTheDevice() {
    List<DeviceTable.Row> rows = DeviceTable.rows(DeviceListings.RXE_AND_SOFT);
    assertThat(rows).extracting(row -> row.device().name()).containsExactly("rxe0", "soft0");
    DeviceTable.Row rxe = rows.getFirst();
    assertThat(rxe.state()).isEqualTo("active");
    assertThat(rxe.linkLayer()).isEqualTo("ethernet");
    assertThat(rxe.lid()).isEqualTo("-");
    assertThat(rxe.networkInterface()).isEqualTo("eth0");
    assertThat(rxe.addresses()).isEqualTo("10.9.0.1");
    assertThat(DeviceTable.details(DeviceListings.RXE))
        .contains(
            new DeviceTable.Detail("node GUID", "5054:00ff:fe0a:0901"),
            new DeviceTable.Detail("address", "10.9.0.1"),
            new DeviceTable.Detail("GID", "::ffff:10.9.0.1"),
            new DeviceTable.Detail("limits", "4,096 queue pairs with 16,384 work requests each"),
            new DeviceTable.Detail("", "524,288 memory regions of any size"),
            new DeviceTable.Detail("", "messages of at most 8.00 MiB"));
  }
}
