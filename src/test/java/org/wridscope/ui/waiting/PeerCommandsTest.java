// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.control.AddressRange;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;

final class PeerCommandsTest {
  private static final MigrationUri LISTENING = MigrationUri.parse("rdma:0.0.0.0:4711");
  private static final GuestSettings CAPTURE =
      new GuestSettings.Capture(Output.of("capture", Path.of("/tmp/vm.mig"), FileKind.STREAM));

  private static DestinationSettings settings(
      GuestSettings guest, boolean refusePinAll, List<AddressRange> allowed) {
    return new DestinationSettings(
        LISTENING.toString(),
        new DeviceChoice.Automatic(),
        guest,
        Settings.USUAL.with(MigrationSetting.REFUSE_PIN_ALL, refusePinAll),
        allowed);
  }

  private static List<String> texts(PeerCommands commands) {
    return commands.commands().stream().map(PeerCommands.Command::text).toList();
  }

  @Test
  void syntheticGuest_needsAsMuchRamAtTheSource_andNoQemu() {
    PeerCommands commands =
        PeerCommands.of(
            settings(GuestSettings.Synthetic.incoming(96 << 20), false, List.of()),
            LISTENING,
            "10.9.0.1",
            "rxe0");
    assertThat(texts(commands)).containsExactly("wridscope source rdma:10.9.0.1:4711 --ram 96MiB");
    assertThat(commands.notes()).isEmpty();
  }

  @Test
  void capture_onARdmaDevice_tellsAQemuWhatToType() {
    PeerCommands commands =
        PeerCommands.of(settings(CAPTURE, false, List.of()), LISTENING, "fd00::1", "rxe0");
    assertThat(texts(commands))
        .containsExactly(
            "wridscope source rdma:[fd00::1]:4711 --restore FILE",
            "migrate_set_capability rdma-pin-all on",
            "migrate -d rdma:[fd00::1]:4711");
    assertThat(texts(PeerCommands.of(settings(CAPTURE, true, List.of()), LISTENING, "h", "rxe0")))
        .contains("migrate_set_capability rdma-pin-all off");
  }

  @Test
  void capture_onTheSoftwareDevice_saysThatAQemuCannot() {
    PeerCommands commands =
        PeerCommands.of(
            settings(CAPTURE, false, List.of(AddressRange.parse("allow", "10.9.0.0/24"))),
            LISTENING,
            "10.9.0.1",
            "soft0");
    assertThat(texts(commands))
        .containsExactly("wridscope source rdma:10.9.0.1:4711 --device soft --restore FILE");
    assertThat(commands.notes())
        .containsExactly(
            "A QEMU needs an RDMA device at both ends, and this destination uses the software"
                + " device.",
            "Only sources with these addresses may connect: 10.9.0.0/24.");
  }
}
