// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.RecordingGuards;
import org.wridscope.guest.qemu.RunningQemu;
import org.wridscope.guest.qemu.ScriptedQemu;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.protocol.ControlType;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** A destination that may have started the guest of a QEMU, and is gone. */
final class MachineDoubtTest {
  @TempDir(factory = SharedMemoryFolder.class)
  private Path folder;

  /** A source and its scripted destination, with the QEMU of the guest. */
  private final class Migration implements AutoCloseable {
    final RecordingGuards guards = new RecordingGuards();
    final Rig rig = new Rig(Rig.NO_INQUIRY);
    final ScriptedQemu qemu;
    final MigrationParameters parameters;
    final Map<String, Boolean> capabilities;
    final BlockGuest copy =
        new BlockGuest(
            BlockGuest.MACHINE,
            BlockGuest.DEVICE,
            List.of("ram0", "vga.vram"),
            ScriptedQemu.RAM,
            ScriptedQemu.OWN);

    Migration(String name, boolean sharedQueue) throws IOException {
      parameters =
          new MigrationParameters(
              Settings.USUAL
                  .with(
                      MigrationSetting.COMPLETION_QUEUES,
                      sharedQueue ? CompletionQueues.SHARED : CompletionQueues.SPLIT)
                  .with(MigrationSetting.TIMEOUT, Rig.END));
      if (sharedQueue) {
        // So that each SEND of the source completes before its answer, which would be dropped.
        rig.destinationDevice.setFaultPlan((_, _, _, _) -> new Fault.Delay(20_000_000));
      }
      qemu = new ScriptedQemu(Files.createDirectory(folder.resolve(name)));
      capabilities = new TreeMap<>(qemu.capabilities);
    }

    SourceSession run(ScriptedDestination destination) throws Exception {
      try (var leaving =
          RunningQemu.of(qemu.address(), DirtyLogChoice.COMPARE, Throttle.OFF, guards)) {
        var source = rig.source(leaving, parameters);
        Thread here = rig.start(source);
        destination.run();
        // So that it cannot be asked.
        rig.listener().close();
        Rig.join(here, source);
        return source;
      }
    }

    void assertPausedInDoubt(SourceSession source) {
      assertThat(source.telemetry().status())
          .as(source.outcome())
          .isEqualTo(MigrationStatus.UNDECIDED);
      assertThat(source.outcome())
          .contains("It is unknown whether the destination started the guest");
      assertThat(source.custody()).isEqualTo(Custody.IN_DOUBT);
      assertThat(guards.notes).contains("handing over").doesNotContain("taken back");
      assertThat(qemu.running).isFalse();
      assertThat(qemu.status).isEqualTo("postmigrate");
      assertThat(qemu.capabilities).isEqualTo(capabilities);
    }

    @Override
    public void close() throws IOException {
      copy.close();
      rig.close();
      qemu.close();
    }
  }

  @Test
  void destinationThatLeaves_whenItIsToldToStartTheGuest() throws Exception {
    try (var migration = new Migration("qemu", false)) {
      migration.assertPausedInDoubt(
          migration.run(
              new ScriptedDestination(migration.rig, migration.copy, true, Tamper.NONE)
                  .leavingAt(ControlType.SWITCH_OVER)));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cableThatIsCut_atTheLastMessageToAPeerWithoutAcknowledgements(boolean sharedQueue)
      throws Exception {
    long requests;
    try (var whole = new Migration("whole", sharedQueue)) {
      SourceSession source =
          whole.run(new ScriptedDestination(whole.rig, whole.copy, false, Tamper.NONE));
      Rig.assertCompleted(source);
      Metrics metrics = source.telemetry().metrics();
      requests = metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED);
    }
    try (var migration = new Migration("cut", sharedQueue)) {
      migration.rig.sourceDevice.setFaultPlan(FaultPlan.at(requests - 1, Fault.CUT));
      migration.assertPausedInDoubt(
          migration.run(
              new ScriptedDestination(migration.rig, migration.copy, false, Tamper.NONE)));
    }
  }
}
