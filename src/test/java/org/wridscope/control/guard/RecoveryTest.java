// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.Slow;
import org.wridscope.control.guard.Recovery.Result;
import org.wridscope.guest.Handover;
import org.wridscope.guest.OtherEnd;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.JournalEntry.Stage;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.verbs.soft.SoftNetwork;

/** What is done to a QEMU by the journal of a process that died with its guard. */
@Slow("real time limits of guards")
final class RecoveryTest {
  private static final String UUID = "00000000-0000-0000-0000-000000000007";
  private static final String CAPABILITIES =
      "migrate-set-capabilities"
          + " {\"capabilities\":[{\"capability\":\"x-ignore-shared\",\"state\":false}]}";
  private static final String PARAMETERS = "migrate-set-parameters {\"max-bandwidth\":134217728}";

  /** Process ids of Linux are smaller. */
  private static final ProcessIdentity NOBODY = new ProcessIdentity(Integer.MAX_VALUE, 7);

  @TempDir private Path directory;
  private PretendedQemu qemu;
  private Path log;
  private Journals journals;

  @BeforeEach
  void start() throws IOException {
    qemu = new PretendedQemu(directory.resolve("qmp")).uuid(UUID);
    log = directory.resolve("guard.log");
    journals = new Journals(directory.resolve(Journals.NAME));
  }

  @AfterEach
  void end() throws IOException {
    qemu.close();
  }

  private static GuardedSettings before(boolean starts) {
    var parameters = new JsonObject();
    parameters.add("max-bandwidth", new JsonPrimitive(134_217_728));
    return new GuardedSettings(Map.of("x-ignore-shared", false), parameters, starts);
  }

  /** No process listens there. */
  private static Handover handover(@Nullable MigrationId migration) throws IOException {
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new Handover(
          SoftNetwork.NAME,
          new InetSocketAddress(InetAddress.getLoopbackAddress(), free.getLocalPort()),
          migration,
          migration == null ? null : MigrationSecret.random());
    }
  }

  private JournalEntry entry(
      PretendedQemu of, Stage stage, boolean run, @Nullable Handover handover) throws IOException {
    return new JournalEntry(
        stage,
        Instant.now(),
        Journals.boot(),
        of.guarded().called(UUID, "vm"),
        List.of(NOBODY),
        before(stage == Stage.WAITING),
        run,
        handover,
        null,
        null);
  }

  private void left(Stage stage, boolean run, boolean canAsk) throws IOException {
    Journal _ =
        journals.begin(entry(qemu, stage, run, handover(canAsk ? MigrationId.random() : null)));
  }

  private Result recover(PretendedQemu of, @Nullable OtherEnd otherEnd) throws Exception {
    return Recovery.of(log, _ -> OptionalLong.of(of.guarded().pid()))
        .recover(of.guarded().qmp(), otherEnd);
  }

  private Result recover(@Nullable OtherEnd otherEnd) throws Exception {
    return recover(qemu, otherEnd);
  }

  /**
   * The stages at which the destination need not be asked. {@code after} is the guest's state, or
   * {@code ended} for the QEMU.
   */
  @ParameterizedTest
  @CsvSource({
    "LEAVING, running, none, false, RIGHT, running",
    "LEAVING, paused, none, false, RIGHT, paused",
    "LEAVING, paused, none, true, RIGHT, running",
    "LEAVING, postmigrate, completed, true, RIGHT, running",
    "LEAVING, paused, active, true, RIGHT, running",
    "LEAVING, finish-migrate, pre-switchover, true, RIGHT, running",
    "LEAVING, finish-migrate, cancelling, true, RIGHT, running",
    "HANDING_OVER, postmigrate, completed, true, UNDECIDED, postmigrate",
    "HANDING_OVER, running, completed, true, RIGHT, running",
    "HANDED_OVER, postmigrate, completed, true, RIGHT, postmigrate",
    "WAITING, inmigrate, none, true, RIGHT, inmigrate",
    "LOADING, inmigrate, failed, true, RIGHT, ended",
    "LOADING, paused, completed, true, UNDECIDED, paused",
    "LOADED, paused, completed, true, UNDECIDED, paused",
    "LOADED, running, completed, true, RIGHT, running",
    "SWITCHING_OVER, paused, completed, true, UNDECIDED, paused",
    "SWITCHING_OVER, running, completed, true, RIGHT, running",
    "SWITCHING_OVER, paused, completed, false, RIGHT, paused",
    "RUNNING, running, completed, true, RIGHT, running",
    "RUNNING, paused, completed, true, RIGHT, paused",
  })
  void everyStage_isPutRightOnce(
      Stage stage, String status, String migration, boolean run, Result result, String after)
      throws Exception {
    qemu.status(status).migration(migration);
    left(stage, run, false);
    assertThat(recover(null)).isEqualTo(result);
    assertThat(qemu.isAlive()).isEqualTo(!after.equals("ended"));
    if (qemu.isAlive()) {
      assertThat(qemu.status()).isEqualTo(after);
      assertThat(qemu.done()).contains(CAPABILITIES, PARAMETERS);
    }
    assertThat(Files.readString(log)).contains("wridscope recover ");
    int done = qemu.done().size();
    assertThat(recover(null)).isEqualTo(result == Result.UNDECIDED ? result : Result.NOTHING);
    // Settings that were restored may have been changed since.
    assertThat(qemu.done()).hasSize(done);
  }

  @ParameterizedTest
  @CsvSource({
    "HANDING_OVER, postmigrate, POWERED_OFF, running",
    "HANDING_OVER, postmigrate, GUEST_ENDED, running",
    "HANDING_OVER, postmigrate, GUEST_RUNS, ended",
    "LOADING, paused, GUEST_RUNS, ended",
    "LOADED, paused, GUEST_RUNS, ended",
    "LOADED, paused, POWERED_OFF, running",
    "SWITCHING_OVER, paused, GUEST_RUNS, ended",
    "SWITCHING_OVER, paused, GUEST_ENDED, running",
  })
  void userSaysWhatTheOtherEndDoes(Stage stage, String status, OtherEnd otherEnd, String after)
      throws Exception {
    qemu.status(status).migration("completed");
    journals.begin(entry(qemu, stage, true, stage == Stage.HANDING_OVER ? handover(null) : null));
    assertThat(recover(null)).isEqualTo(Result.UNDECIDED);
    assertThat(qemu.status()).isEqualTo(status);
    assertThat(recover(otherEnd)).isEqualTo(Result.RIGHT);
    assertThat(qemu.isAlive() ? qemu.status() : "ended").isEqualTo(after);
    assertThat(journals.all().journals()).isEmpty();
  }

  /** Both ends died, and both users call recover. */
  @ParameterizedTest
  @CsvSource({
    "LOADED, paused, GUEST_RUNS, false, running",
    "SWITCHING_OVER, running, , true, postmigrate",
    "RUNNING, running, , true, postmigrate"
  })
  void bothEnds_agree(
      Stage stage, String status, @Nullable OtherEnd said, boolean lives, String here)
      throws Exception {
    Handover handover = handover(MigrationId.random());
    qemu.status("postmigrate").migration("completed");
    journals.begin(entry(qemu, Stage.HANDING_OVER, true, handover));
    CompletableFuture<Result> source =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return recover(null);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            },
            task -> Thread.ofPlatform().daemon().start(task));
    try (var destination = new PretendedQemu(directory.resolve("there")).uuid(UUID)) {
      destination.status(status).migration("completed");
      journals.begin(entry(destination, stage, true, handover));
      assertThat(recover(destination, said)).isEqualTo(Result.RIGHT);
      assertThat(source.get(90, TimeUnit.SECONDS)).isEqualTo(Result.RIGHT);
      assertThat(destination.isAlive()).isEqualTo(lives);
      assertThat(qemu.status()).isEqualTo(here);
    }
    assertThat(journals.all().journals()).isEmpty();
  }

  @Test
  void anotherMachineAtTheSocket_isNotTouched() throws Exception {
    left(Stage.LEAVING, true, false);
    qemu.status("paused").uuid("00000000-0000-0000-0000-000000000008");
    assertThatIOException().isThrownBy(() -> recover(null)).withMessageContaining("UUID");
    assertThat(qemu.done()).isEmpty();
    assertThat(journals.left().journals()).hasSize(1);
  }

  @Test
  void anotherProcessAtTheSocket_isNotTouched() throws Exception {
    left(Stage.LEAVING, true, false);
    qemu.status("paused");
    assertThatIOException()
        .isThrownBy(
            () -> Recovery.of(log, _ -> OptionalLong.of(1)).recover(qemu.guarded().qmp(), null))
        .withMessageContaining("nothing was touched");
    assertThat(qemu.done()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"LEAVING", "HANDED_OVER", "WAITING"})
  void qemuThatHasEnded_leavesNothingToBeDone(Stage stage) throws Exception {
    left(stage, true, false);
    qemu.kill();
    assertThat(recover(null)).isEqualTo(Result.RIGHT);
    assertThat(qemu.done()).isEmpty();
    assertThat(journals.all().journals()).isEmpty();
  }

  /** The same process id and time of start, after the machine was started again. */
  @Test
  void qemuOfAnEarlierBoot_isNotTouched() throws Exception {
    qemu.status("paused");
    JournalEntry now = entry(qemu, Stage.LEAVING, true, null);
    journals.begin(
        new JournalEntry(
            now.stage(),
            now.since(),
            "00000000-0000-4000-8000-000000000000",
            now.qemu(),
            now.owners(),
            now.before(),
            true,
            null,
            null,
            null));
    assertThat(recover(null)).isEqualTo(Result.RIGHT);
    assertThat(qemu.done()).isEmpty();
  }

  @Test
  void qemuWhoseWridscopeLives_isNotTouched() throws Exception {
    JournalEntry mine = entry(qemu, Stage.LEAVING, true, null);
    journals.begin(
        mine.withOwners(List.of(NOBODY, ProcessIdentity.of(ProcessHandle.current().pid()))));
    assertThatIOException()
        .isThrownBy(() -> recover(null))
        .withMessageContaining("wait for its end");
    assertThat(qemu.done()).isEmpty();
  }

  @Test
  void settingsThatAreRefused_stayInTheJournal() throws Exception {
    qemu.status("postmigrate").refuse("migrate-set-parameters");
    left(Stage.LEAVING, true, false);
    assertThat(recover(null)).isEqualTo(Result.FAILED);
    assertThat(qemu.status()).isEqualTo("running");
    assertThat(journals.left().journals()).hasSize(1);
  }
}
