// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.CapturedFile;
import org.wridscope.control.Session;
import org.wridscope.control.fleet.FleetMigrations;
import org.wridscope.control.fleet.FleetPlan;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** What a command does and prints after the source has ended. */
final class MigrationRunnerTest {
  @TempDir Path directory;

  /** The commands are quoted, once for the shell and once more for the shell that QEMU starts. */
  @Test
  void aCapturedGuest_isFollowedByTheCommandsThatStartIt() {
    Path file = directory.resolve("my vm's.mig");
    CommandRun run =
        CommandRun.ofOne(
            session -> {
              session.setCaptured(new CapturedFile(file));
              session.endVerified("The guest is in %s.".formatted(file));
            },
            "destination",
            "rdma:127.0.0.1:0",
            "--capture=" + file);
    assertThat(run.status()).as(run.err()).isZero();
    String quoted = "'%s/my vm'\\''s.mig'".formatted(directory);
    assertThat(run.out().lines())
        .containsSubsequence(
            "To start the guest, add this to the command line of a QEMU with the same machine"
                + " type:",
            "  -incoming '" + ("exec:cat " + quoted).replace("'", "'\\''") + "'",
            "or migrate it to a destination:",
            "  ./wridscope source rdma:HOST:PORT --restore " + quoted);
  }

  @Test
  void aGuestThatIsNotCaptured_isFollowedByNoCommands() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--ram=8MiB");
    assertThat(run.out()).doesNotContain("To start the guest", "--restore");
  }

  @Test
  void aDestinationToWhichNobodyConnected_isCancelledAtOnce() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              destination.telemetry().setStatus(MigrationStatus.NONE);
              source.end(MigrationStatus.FAILED, "The guest cannot be taken.");
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.status()).isEqualTo(ExitCode.FAILED.number());
    assertThat(run.err()).doesNotContain("did not end within");
    assertThat(run.out()).contains("destination cancelled: Cancelled;");
  }

  @Test
  void aDestinationThatHangs_isCancelled_andItsEndIsRecordedAndReported() throws IOException {
    Path recording = directory.resolve("lab.wrs");
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              destination.hang();
              source.endVerified("The guest runs at the destination.");
            },
            "lab",
            "--ram=8MiB",
            "--record=" + recording);
    assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.UNVERIFIED.number());
    assertThat(run.err())
        .contains(
            "The destination did not end within 30.0 s after the source, so it is cancelled.");
    assertThat(run.out()).contains("destination cancelled: Cancelled; the guest");
    try (Recording file = Recording.open("file", recording)) {
      assertThat(file.sessions())
          .filteredOn(session -> session.role() == Role.DESTINATION)
          .extracting(RecordedSession::outcome)
          .containsExactly("Cancelled; the guest keeps running at the source.");
    }
  }

  @Test
  void aMigrationByQemusOwnEngine_isNotSaidToLackAnOptionOfWridscope() {
    var virt = new FakeVirt();
    var there = VirtUri.parse("qemu+ssh://node2/system");
    virt.host(there.text(), "node2");
    try (var migrations = new FleetMigrations(virt)) {
      var plan =
          new FleetPlan(
              VirtUri.parse("qemu+ssh://node1/system"),
              there,
              UUID.randomUUID(),
              "web",
              new VirtMigration("rdma://10.9.0.1", false, 0, 0, false, true, false),
              Duration.ofMillis(300));
      Session session = migrations.start(plan, 1).session();
      assertThat(MigrationRunner.completed(session.report()))
          .isEqualTo(
              "completed; not verified, because QEMU's own engine does not compare the RAM of"
                  + " both ends");
      session.close();
    }
  }
}
