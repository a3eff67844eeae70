// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.Group;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.settings.SettingTable;
import org.wridscope.settings.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wridscope lab qemu}. */
@Command(
    description =
        "Starts two QEMUs, and migrates a guest that counts from one to the other, by Wridscope's"
            + " engine.")
final class LabQemuCommand extends TerminalCommand {
  /** Small, because the guest's processor may be emulated. */
  private static final Settings DEFAULTS = Defaults.LAB.with(GuestSetting.RAM, 256L << 20);

  private final QemuLabRunner qemus;
  private final FreeMemory freeMemory;

  @Option(
      names = "--keep",
      description = "Do not end the QEMUs, and print how to reach and end them")
  private boolean keep;

  @Mixin private final SettingOptions settings = new SettingOptions(DEFAULTS, known());

  @Mixin private final OutputOptions outputs = new OutputOptions();

  @Mixin private final QmpOption qmp = new QmpOption();

  LabQemuCommand(QemuLabRunner qemus, Terminal terminal, FreeMemory freeMemory) {
    super(terminal);
    this.qemus = qemus;
    this.freeMemory = freeMemory;
  }

  private static Setting<?>[] known() {
    List<Setting<?>> ofTheGuest =
        List.of(GuestSetting.RAM, GuestSetting.DIRTY_RATE, GuestSetting.WORKING_SET);
    return Stream.concat(
            ofTheGuest.stream(),
            SettingTable.at(Place.LAB, Place.LIFT).stream()
                .filter(setting -> setting.group() != Group.GUEST))
        .toArray(Setting<?>[]::new);
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    Settings read = InputException.checked(settings::readMigration);
    CounterGuest guest =
        InputException.checked(() ->
            new CounterGuest(
                read.get(GuestSetting.RAM),
                read.get(GuestSetting.DIRTY_RATE),
                read.get(GuestSetting.WORKING_SET),
                false));
    freeMemory.require(GuestSetting.RAM.option(), guest.ramBytes());
    return qemus.run(
        guest,
        keep,
        (source, destination) ->
            new LabSettings(
                new MigrationSettings(GuestSettings.Lift.of(source, read), read), destination),
        outputs,
        qmp);
  }
}
