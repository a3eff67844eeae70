// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.engine.Custody;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.ImageGuest;
import org.wridscope.guest.SyntheticGuest;
import org.wridscope.guest.SyntheticGuestConfig;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.NativeMemory;
import org.wridscope.protocol.ControlType;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.telemetry.Wait;

/** Starts sessions like the window and the command line, with real guests and engines. */
@Slow("real guests and engines, in real time")
class LocalSessionsTest {
  private static final long MIB = 1 << 20;
  private static final Duration LIMIT = Duration.ofMillis(300);
  private static final Duration END = Duration.ofSeconds(60);

  private final Set<Thread> before = threads();
  private final LocalSessions sessions = new LocalSessions();
  @TempDir Path folder;

  @AfterEach
  void closeLeavesNoThread() throws InterruptedException {
    sessions.close();
    for (Thread thread : threads()) {
      if (!before.contains(thread)) {
        thread.join(5000);
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
      }
    }
  }

  /** Threads that a session could have started, without those of the Java runtime. */
  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            thread -> thread.getName().matches("(soft|lab|source|destination|telemetry|guest).*"))
        .collect(Collectors.toSet());
  }

  private static GuestSettings guest(long mib, long dirtyMib) {
    return new GuestSettings.Synthetic(mib * MIB, dirtyMib * MIB, 0, 0.3, 7);
  }

  private static LabSettings lab(GuestSettings guest, boolean pinAll, long bandwidth) {
    return new LabSettings(
        new MigrationSettings(guest)
            .with(MigrationSetting.PIN_ALL, pinAll)
            .with(MigrationSetting.BANDWIDTH, bandwidth)
            .with(MigrationSetting.DOWNTIME_LIMIT, LIMIT)
            .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(50)));
  }

  private static SourceSettings source(String uri, GuestSettings guest) {
    return new SourceSettings(
        uri,
        new DeviceChoice.Automatic(),
        new MigrationSettings(guest).with(MigrationSetting.DOWNTIME_LIMIT, LIMIT));
  }

  private static DestinationSettings destination(String uri, GuestSettings guest) {
    return new DestinationSettings(uri, new DeviceChoice.Automatic(), guest);
  }

  private static void join(Lab lab) throws InterruptedException {
    assertThat(lab.source().await(END)).as("%s", lab.source().telemetry().waitingFor()).isTrue();
    assertThat(lab.destination().await(END))
        .as("%s", lab.destination().telemetry().waitingFor())
        .isTrue();
  }

  @Test
  void destination_takesNobodyWhoIsNotAllowed_andThenWhoIs() throws Exception {
    String any = "rdma:0";
    Session closed =
        sessions.startDestination(allowing(any, AddressRange.parse("allow", "192.0.2.0/24")));
    Session turnedAway = sessions.startSource(source(closed.uri(), guest(8, 0)));
    assertThat(turnedAway.await(END)).isTrue();
    assertThat(turnedAway.status()).as(turnedAway.outcome()).isEqualTo(MigrationStatus.FAILED);
    assertThat(turnedAway.guestRunning()).isTrue();
    assertThat(closed.status()).isEqualTo(MigrationStatus.NONE);

    Session open =
        sessions.startDestination(
            allowing(
                any,
                AddressRange.parse("allow", "192.0.2.0/24"),
                AddressRange.parse("allow", "127.0.0.0/8")));
    assertThat(open.uri()).startsWith("rdma:127.0.0.1:");
    Session source = sessions.startSource(source(open.uri(), guest(8, 0)));
    assertThat(source.await(END)).isTrue();
    assertThat(source.status()).as(source.outcome()).isEqualTo(MigrationStatus.COMPLETED);
  }

  private static DestinationSettings allowing(String uri, AddressRange... allowed) {
    return new DestinationSettings(
        uri,
        new DeviceChoice.Automatic(),
        GuestSettings.Synthetic.incoming(8 * MIB),
        Settings.USUAL,
        List.of(allowed));
  }

  @Test
  void lab_ofABusyGuest_completesVerified() throws Exception {
    Lab lab = sessions.startLab(lab(guest(64, 50), false, 0));
    join(lab);

    MigrationReport report = lab.source().report();
    assertThat(report.status()).as(lab.source().outcome()).isEqualTo("completed");
    assertThat(report.verified()).isTrue();
    assertThat(lab.destination().report().verified()).isTrue();
    assertThat(report.digests().source())
        .isNotEmpty()
        .containsExactlyInAnyOrderEntriesOf(report.digests().destination());
    assertThat(Objects.requireNonNull(report.registrations()).alive()).isZero();
    MigrationReport.Completions.Queue send = Objects.requireNonNull(report.completions()).send();
    assertThat(send.posted()).isEqualTo(send.completed());
    assertThat(report.ram().remaining()).isZero();
    assertThat(lab.source().guestRunning()).isFalse();
    assertThat(lab.destination().guestRunning()).isTrue();
    assertThat(sessions.sessions()).containsExactly(lab.destination(), lab.source());
  }

  @Test
  void lab_reportsTheRequestsOfVirtioDevices() throws Exception {
    Lab lab = sessions.startLab(lab(guest(32, 4), false, 0));
    join(lab);

    MigrationReport source = lab.source().report();
    MigrationReport destination = lab.destination().report();
    assertThat(source.sound()).as(lab.source().outcome()).isTrue();
    assertThat(destination.sound()).isTrue();
    assertThat(source.virtio()).isNotNull();
    assertThat(destination.virtio()).isNotNull();
    assertThat(lab.source().virtio().orElseThrow().queues())
        .as("as the destination loaded them")
        .isEqualTo(lab.destination().virtio().orElseThrow().begun());
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtioFault.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE", "SUSPEND_FAILS", "QUERY_FAILS"})
  void lab_ofFaultyVirtioDevices_isNotSound(VirtioFault fault) throws Exception {
    GuestSettings guest =
        new GuestSettings.Synthetic(32 * MIB, 0, 0, 0.3, 7, new VirtioSettings(20_000, fault));
    // Slow enough for requests and resets of devices before the switch-over.
    Lab lab = sessions.startLab(lab(guest, false, 60 * MIB));
    join(lab);

    List<MigrationReport> reports = List.of(lab.source().report(), lab.destination().report());
    assertThat(reports).anyMatch(report -> !report.sound() && !report.requestsSound());
    List<String> findings =
        reports.stream()
            .map(MigrationReport::virtio)
            .filter(Objects::nonNull)
            .map(MigrationReport.Virtio::finding)
            .filter(Objects::nonNull)
            .toList();
    assertThat(findings)
        .isNotEmpty()
        .allMatch(finding -> finding.matches("virtio-(blk|net) \\S+: request \\d+ .*\\."));
  }

  @Test
  void lab_withPinAll_registersEachBlockOnce() throws Exception {
    Lab lab = sessions.startLab(lab(guest(32, 0), true, 0));
    join(lab);

    MigrationReport report = lab.source().report();
    assertThat(report.pinAll()).isTrue();
    MigrationReport.Registrations made = Objects.requireNonNull(report.registrations());
    assertThat(made.total()).isEqualTo(report.digests().source().size());
    assertThat(made.roundTrips()).isZero();
  }

  @Test
  void lab_thatUnregisters_givesBackWhatItRegistered() throws Exception {
    Lab lab =
        sessions.startLab(
            new LabSettings(
                new MigrationSettings(guest(64, 50))
                    .with(MigrationSetting.DOWNTIME_LIMIT, LIMIT)
                    .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(50))
                    .with(MigrationSetting.UNREGISTER, true)));
    join(lab);

    assertThat(lab.source().report().verified()).as(lab.source().outcome()).isTrue();
    var metrics = lab.source().telemetry().metrics();
    assertThat(metrics.get(Metric.UNREGISTRATIONS))
        .isPositive()
        .isEqualTo(metrics.get(Metric.REGISTRATIONS_TOTAL));
  }

  @Test
  void guestWithABalloon_keepsLessRegistered() throws Exception {
    Lab lab = sessions.startLab(ballooned(false));
    var metrics = lab.source().telemetry().metrics();
    // It cannot meet its downtime limit, so it continues until the limit is raised.
    new TimeLimit().await("the session", () -> metrics.get(Metric.UNREGISTRATIONS) >= 3);
    assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE))
        .isLessThan(metrics.get(Metric.REGISTRATIONS_TOTAL));
    lab.source().setBandwidthLimit(0);
    lab.source().setDowntimeLimit(Duration.ofSeconds(10));
    join(lab);

    assertThat(lab.source().report().verified()).as(lab.source().outcome()).isTrue();
    assertThat(metrics.get(Metric.UNREGISTER_HINTS)).isPositive();
  }

  @Test
  void hint_ofTheUser_isChecked_andGivesBackTheRange() throws Exception {
    Lab lab = sessions.startLab(ballooned(false));
    var metrics = lab.source().telemetry().metrics();
    assertRefused(lab.destination(), "pc.ram", 0, 1, "A destination registers");
    new TimeLimit().await("the session", () -> metrics.get(Metric.DIRTY_SYNC_COUNT) >= 2);
    assertRefused(lab.source(), "pc.rum", 0, 1, "no RAM block pc.rum; it has pc.ram, ");
    long[][] outside = {{-1, 1}, {0, 0}, {32 * MIB, 1}, {0, 32 * MIB + 1}, {1, Long.MAX_VALUE}};
    for (long[] range : outside) {
      assertRefused(lab.source(), "pc.ram", range[0], range[1], "is outside RAM block");
    }
    long vram = metrics.get(Metric.UNREGISTRATIONS);
    ChunkTable video = lab.source().telemetry().blocks().get(1);
    assertThat(video.remoteKey(3)).isNotZero();
    lab.source().hintUnregister("0000:00:02.0/vga.vram", 3 * MIB + 5, 1);
    new TimeLimit().await("the session", () -> video.remoteKey(3) == 0);
    new TimeLimit().await("the session", () -> metrics.get(Metric.UNREGISTRATIONS) > vram);
    lab.source().setBandwidthLimit(0);
    lab.source().setDowntimeLimit(Duration.ofSeconds(10));
    join(lab);
    assertThat(lab.source().report().verified()).as(lab.source().outcome()).isTrue();
    assertRefused(lab.source(), "pc.ram", 0, 1, "is not sending RAM now");
  }

  @Test
  void hint_withPinAll_isRefused() throws Exception {
    Lab lab = sessions.startLab(ballooned(true));
    assertRefused(lab.source(), "pc.ram", 0, 1, "With pin-all");
    lab.source().setBandwidthLimit(0);
    lab.source().setDowntimeLimit(Duration.ofSeconds(10));
    join(lab);
    assertThat(lab.source().report().verified()).as(lab.source().outcome()).isTrue();
    assertThat(lab.source().telemetry().metrics().get(Metric.UNREGISTER_HINTS)).isZero();
  }

  @Test
  void hint_isTaken_whenTheDestinationDoesNotGrantPinAll() throws Exception {
    Lab lab =
        sessions.startLab(
            new LabSettings(ballooned(true).migration())
                .with(MigrationSetting.REFUSE_PIN_ALL, true));
    var metrics = lab.source().telemetry().metrics();
    new TimeLimit().await("the session", () -> metrics.get(Metric.DIRTY_SYNC_COUNT) >= 2);
    lab.source().hintUnregister("0000:00:02.0/vga.vram", 3 * MIB, 1);
    ChunkTable video = lab.source().telemetry().blocks().get(1);
    new TimeLimit().await("the session", () -> video.remoteKey(3) == 0);
    lab.source().setBandwidthLimit(0);
    lab.source().setDowntimeLimit(Duration.ofSeconds(10));
    join(lab);
    assertThat(lab.source().report().verified()).as(lab.source().outcome()).isTrue();
  }

  /** A lab that does not end by itself, with a balloon of 4 MiB. */
  private static LabSettings ballooned(boolean pinAll) {
    return new LabSettings(
        new MigrationSettings(
                new GuestSettings.Synthetic(
                    32 * MIB,
                    400 * MIB,
                    0,
                    0.3,
                    7,
                    new VirtioSettings(0, VirtioFault.NONE),
                    4 * MIB))
            .with(MigrationSetting.PIN_ALL, pinAll)
            .with(MigrationSetting.BANDWIDTH, 100L * MIB)
            .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(1))
            .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(50)));
  }

  /** The guest's RAM is prepared by the session itself. */
  @Test
  void openedDestination_receivesAGuest_orIsClosedAtOnce() throws Exception {
    Session destination = sessions.openDestination(destination("rdma:127.0.0.1:0", guest(64, 0)));
    Session source = sessions.startSource(source(destination.uri(), guest(64, 0)));
    assertThat(source.await(END)).isTrue();
    assertThat(destination.await(END)).isTrue();
    assertThat(source.status()).as(source.outcome()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(destination.preparing()).isFalse();
    assertThat(sessions.ramProgress()).isEqualTo(RamProgress.NONE);

    Session closed = sessions.openDestination(destination("rdma:127.0.0.1:0", guest(256, 0)));
    sessions.remove(closed);
    assertThat(closed.status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(sessions.ramProgress()).isEqualTo(RamProgress.NONE);
  }

  @Test
  void whatOperatorsDo_isInTheLogs_whenItChangesSomething() throws Exception {
    Lab lab = sessions.startLab(lab(guest(32, 4), false, MIB));
    Session source = lab.source();
    Session destination = lab.destination();
    new TimeLimit().await("the session", () -> source.status() == MigrationStatus.ACTIVE);
    assertThat(source.stopGuest()).isTrue();
    assertThat(source.stopGuest()).isFalse();
    assertThat(source.continueGuest()).isTrue();
    assertThat(destination.stopGuest()).isFalse();
    assertThat(destination.continueGuest()).isFalse();
    assertThat(source.stopGuest()).isTrue();
    source.setBandwidthLimit(0);
    join(lab);
    assertThat(destination.guestStopped()).as(destination.outcome()).isTrue();
    assertThat(destination.continueGuest()).isTrue();
    assertThat(operated(source))
        .containsExactly(
            OperatorAct.PAUSED,
            OperatorAct.CONTINUED,
            OperatorAct.PAUSED,
            OperatorAct.LIMITED_BANDWIDTH);
    // Not what happened after its end.
    assertThat(operated(destination))
        .containsExactly(OperatorAct.TO_ARRIVE_PAUSED, OperatorAct.TO_ARRIVE_RUNNING);
    for (Session end : List.of(source, destination)) {
      assertThat(end.telemetry().log().read(0, Integer.MAX_VALUE))
          .extracting(Event::nanos)
          .isSorted();
    }
  }

  private static List<OperatorAct> operated(Session session) {
    return session.telemetry().log().read(0, Integer.MAX_VALUE).stream()
        .filter(event -> event.kind() == EventKind.OPERATED)
        .map(event -> OperatorAct.values()[event.detail()])
        .toList();
  }

  private static void assertRefused(
      Session session, String block, long offset, long length, String says) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> session.hintUnregister(block, offset, length))
        .withMessageContaining(says);
  }

  /** One device executes the requests of both ends in order, so that nothing overtakes. */
  @Test
  void lab_withASharedQueue_completesAsLongAsNothingOvertakes() throws Exception {
    Lab lab =
        sessions.startLab(
            new LabSettings(
                    new MigrationSettings(guest(32, 50))
                        .with(MigrationSetting.DOWNTIME_LIMIT, LIMIT)
                        .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(50)))
                .with(MigrationSetting.COMPLETION_QUEUES, CompletionQueues.SHARED));
    join(lab);

    assertThat(lab.source().report().verified()).as(lab.source().outcome()).isTrue();
    for (Session end : List.of(lab.source(), lab.destination())) {
      assertThat(end.telemetry().metrics().get(Metric.COMPLETIONS_DROPPED)).isZero();
      assertThat(end.telemetry().messagesSent().get(ControlType.HEARTBEAT)).isZero();
      assertThat(end.telemetry().waits()).anyMatch(wait -> wait.kind() == Wait.Kind.SEND);
    }
  }

  @Test
  void lab_ofAnImage_leavesAnEqualFile() throws Exception {
    Path image = folder.resolve("ram.img");
    byte[] content = new byte[(int) (3 * MIB + 4096)];
    new Random(3).nextBytes(content);
    Arrays.fill(content, 8192, (int) MIB, (byte) 0);
    Files.write(image, content);
    Path out = folder.resolve("out.img");

    Lab lab =
        sessions.startLab(
            lab(
                new GuestSettings.Image(image, Output.of("out", out, FileKind.RAM), content.length),
                false,
                0));
    join(lab);

    assertThat(lab.source().report().verified()).as(lab.source().outcome()).isTrue();
    assertThat(Files.mismatch(image, out)).isEqualTo(-1);
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("ram.img", "out.img");
  }

  @Test
  void lab_ofAnImageThatIsCancelled_leavesNoFile() throws Exception {
    Path image = folder.resolve("ram.img");
    byte[] content = new byte[(int) (16 * MIB)];
    new Random(4).nextBytes(content);
    Files.write(image, content);

    Lab lab =
        sessions.startLab(
            lab(
                new GuestSettings.Image(
                    image,
                    Output.of("out", folder.resolve("out.img"), FileKind.RAM),
                    content.length),
                false,
                MIB));
    lab.source().cancel();
    join(lab);
    sessions.remove(lab.source());
    sessions.remove(lab.destination());

    assertThat(lab.source().status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(folder.toFile().list()).containsExactly("ram.img");
    assertThat(Files.readAllBytes(image)).isEqualTo(content);
  }

  @Test
  void cancel_whileRamIsSent_leavesTheGuestRunningAtTheSource() throws Exception {
    Lab lab = sessions.startLab(lab(guest(64, 10), false, 4 * MIB));
    new TimeLimit()
        .await(
            "the session",
            () -> lab.source().telemetry().metrics().get(Metric.WRITES_COMPLETED) > 0);
    lab.source().cancel();
    join(lab);

    assertThat(lab.source().status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(lab.destination().status()).isEqualTo(MigrationStatus.FAILED);
    assertThat(lab.source().guestRunning()).isTrue();
    assertThat(lab.destination().guestRunning()).isFalse();
    assertThat(lab.destination().outcome()).endsWith("The guest was not started here.");
  }

  @Test
  void bandwidthLimit_raisedWhileRamIsSent_letsTheMigrationEnd() throws Exception {
    // A thousand times slower than needed to end in time.
    Lab lab = sessions.startLab(lab(guest(64, 0), false, 64 << 10));
    new TimeLimit()
        .await(
            "the session", () -> lab.source().telemetry().metrics().get(Metric.WRITES_POSTED) > 0);
    assertThat(lab.source().await(Duration.ofMillis(200))).isFalse();
    lab.source().setBandwidthLimit(0);
    join(lab);

    assertThat(lab.source().status()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(lab.source().telemetry().metrics().get(Metric.BANDWIDTH_LIMIT)).isZero();
  }

  /** A lab or a destination whose file exists, a source whose file does not. */
  @Test
  void guestIsNotShutDown_byAStartThatFails(@TempDir Path folder) throws Exception {
    Path image = Files.write(folder.resolve("image"), new byte[4096]);
    Path taken = Files.writeString(folder.resolve("taken"), "mine");
    Output out = Output.of("out", taken, FileKind.RAM);
    Lab lab = sessions.startLab(lab(guest(4, 0), false, 0));
    join(lab);

    assertThatIOException()
        .isThrownBy(
            () -> sessions.startLab(lab(new GuestSettings.Image(image, out, 4096), false, 0)));
    assertThatIOException()
        .isThrownBy(() ->
            sessions.startSource(
                source("rdma:127.0.0.1:1", new GuestSettings.Restore(folder.resolve("none")))));
    assertThatIOException()
        .isThrownBy(() ->
            sessions.startDestination(
                destination("rdma:127.0.0.1:0", new GuestSettings.Capture(out))));

    assertThat(lab.destination().guestFate()).isNull();
    assertThat(lab.destination().guestRunning()).isTrue();
    assertThat(taken).hasContent("mine");
  }

  /** RAM of a guest of 64 MiB, including video memory and firmware. */
  private static final long GUEST_OF_64_MIB = 81 * MIB;

  @Test
  void endedLabs_keepTheMemoryOfOneGuest_andAllThatViewsShow() throws Exception {
    long before = NativeMemory.mappedBytes();
    var labs = new ArrayList<Lab>();
    for (int i = 0; i < 4; i++) {
      Lab lab = sessions.startLab(lab(guest(64, 10), false, 0));
      join(lab);
      assertThat(lab.source().report().verified()).as(lab.source().outcome()).isTrue();
      assertThat(NativeMemory.mappedBytes() - before).isBetween(64 * MIB, GUEST_OF_64_MIB);
      labs.add(lab);
    }
    Lab last = labs.removeLast();
    assertThat(last.destination().guestRunning()).isTrue();
    assertThat(last.destination().guestFate()).isNull();
    for (Lab lab : labs) {
      assertThat(lab.destination().guestRunning()).isFalse();
      assertThat(lab.destination().guestFate()).startsWith("was shut down later");
      // Where it ran at the end is not said any more, at neither end.
      for (String outcome :
          List.of(
              String.valueOf(lab.destination().outcome()),
              Objects.requireNonNull(Endings.of(lab.source(), lab.destination())).sentence())) {
        assertThat(outcome)
            .startsWith("The guest was shut down later, to make room for the next migration.")
            .doesNotContain("runs")
            .contains("equal");
      }
      assertThat(lab.source().guestFate()).isNull();
      for (Session end : List.of(lab.source(), lab.destination())) {
        assertThat(end.report().digests().source()).isNotEmpty();
        assertThat(end.report().virtio()).isNotNull();
        assertThat(end.virtio().orElseThrow().queues()).isNotEmpty();
        assertThat(end.telemetry().blocks().getFirst().name()).isEqualTo("pc.ram");
        assertThat(end.telemetry().log().size()).isPositive();
      }
      sessions.remove(lab.destination());
    }
  }

  @Test
  void guestOfAFailedMigration_runsUntilTheNextOneIsStarted() throws Exception {
    long before = NativeMemory.mappedBytes();
    Lab lab = sessions.startLab(lab(guest(64, 10), false, 4 * MIB));
    new TimeLimit()
        .await(
            "the session",
            () -> lab.source().telemetry().metrics().get(Metric.WRITES_COMPLETED) > 0);
    lab.source().cancel();
    join(lab);
    assertThat(lab.source().guestRunning()).isTrue();
    assertThat(NativeMemory.mappedBytes() - before)
        .as("the memory at the destination is given back")
        .isBetween(64 * MIB, GUEST_OF_64_MIB);

    Lab next = sessions.startLab(lab(guest(64, 10), false, 4 * MIB));
    assertThat(lab.source().guestRunning()).isFalse();
    assertThat(lab.source().outcome())
        .endsWith(". The guest was shut down later, to make room for the next migration.");
    new TimeLimit()
        .await(
            "the session",
            () -> next.source().telemetry().metrics().get(Metric.WRITES_COMPLETED) > 0);
    Session waiting = sessions.startDestination(destination("rdma:127.0.0.1:0", guest(1, 0)));
    assertThat(next.source().guestRunning()).as("while its migration goes on").isTrue();
    waiting.cancel();
    next.source().cancel();
    join(next);
    assertThat(next.source().guestFate()).isNull();
  }

  @Test
  void guestThatIsInDoubt_isNeverShutDown() throws Exception {
    var config = SyntheticGuestConfig.of(MIB, 0, 0, 0.3, 7);
    try (var guest = new SessionGuest(SyntheticGuest.boot(config))) {
      guest.ended(Custody.IN_DOUBT);
      guest.makeRoom(Custody.IN_DOUBT);
      assertThat(guest.isRunning()).isTrue();
      guest.ended(Custody.HERE);
      assertThat(guest.isRunning()).isTrue();
      guest.guest().ramBlocks().getFirst().memory().fill((byte) 0);
    }
  }

  @Test
  void guestOfAFile_isNeverShutDown() throws Exception {
    Path image = folder.resolve("ram.img");
    Files.write(image, new byte[4096]);
    try (var guest = new SessionGuest(ImageGuest.open(image))) {
      guest.makeRoom(Custody.HERE);
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.fate()).isNull();
    }
  }

  @Test
  void startDestination_onAPortInUse_isRefusedWithASentence() throws Exception {
    Session first = sessions.startDestination(destination("rdma:127.0.0.1:4444", guest(1, 0)));
    assertThat(first.uri()).isEqualTo("rdma:127.0.0.1:4444");

    assertThatThrownBy(
            () -> sessions.startDestination(destination("rdma:localhost:4444", guest(1, 0))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("4444");
    assertThat(sessions.sessions()).containsExactly(first);
  }

  @Test
  void startSource_whereNobodyListens_failsAndKeepsTheGuest() throws Exception {
    Session source = sessions.startSource(source("rdma:127.0.0.1:4445", guest(1, 0)));

    assertThat(source.await(END)).isTrue();
    assertThat(source.status()).isEqualTo(MigrationStatus.FAILED);
    assertThat(source.outcome())
        .contains("4445")
        .endsWith("The guest keeps running at the source.");
    assertThat(source.guestRunning()).isTrue();
  }

  @Test
  void startSource_ofAnotherRamSize_isToldWhy_andTheDestinationWaitsOn() throws Exception {
    Session destination = sessions.startDestination(destination("rdma:127.0.0.1:0", guest(2, 0)));
    Session source = sessions.startSource(source(destination.uri(), guest(1, 0)));
    assertThat(source.await(END)).as("%s", source.telemetry().waitingFor()).isTrue();

    new TimeLimit()
        .await("the session", () -> destination.telemetry().turnedAway().counts().total() == 1);
    assertThat(destination.status().isEnd()).isFalse();
    assertThat(source.outcome())
        .contains("pc.ram")
        .endsWith("The guest keeps running at the source.");
    assertThat(source.guestRunning()).isTrue();
    assertThat(destination.guestRunning()).isFalse();
  }

  @Test
  void startSource_toAHostThatNobodyKnows_saysSo() {
    // Longer than any name, so that nobody is asked.
    String host = "no-such-host-".repeat(30);
    assertThatThrownBy(() -> sessions.startSource(source("rdma:" + host + ":4444", guest(1, 0))))
        .isInstanceOf(IOException.class)
        .hasMessageMatching("The host name 'no-such-.*' cannot be resolved; check the spelling\\.");
  }

  @Test
  void startSource_withANonsenseUri_saysHowToWriteIt() {
    assertThatThrownBy(() -> sessions.startSource(source("tcp:1.2.3.4", guest(1, 0))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rdma:HOST:PORT");
  }

  /** Otherwise a running engine would write to freed memory. */
  @Test
  void close_interrupted_waitsForTheEngineAllTheSame() throws Exception {
    Lab lab = sessions.startLab(lab(guest(64, 16), false, MIB));
    var endedFirst = new AtomicBoolean();
    var interrupted = new AtomicBoolean();
    Thread closing =
        Thread.ofPlatform()
            .start(() -> {
              Thread.currentThread().interrupt();
              lab.source().close();
              endedFirst.set(lab.source().status().isEnd());
              interrupted.set(Thread.currentThread().isInterrupted());
            });
    closing.join();
    assertThat(endedFirst).isTrue();
    assertThat(interrupted).isTrue();
    join(lab);
    assertThat(lab.source().status()).isEqualTo(MigrationStatus.CANCELLED);
  }

  @Test
  void start_interrupted_givesUpAndLeavesNothing() throws Exception {
    var refused = new AtomicReference<Exception>();
    Thread starting =
        Thread.ofPlatform()
            .start(() -> {
              Thread.currentThread().interrupt();
              try {
                sessions.startLab(lab(guest(64, 16), false, 0));
              } catch (IOException e) {
                refused.set(e);
              }
            });
    starting.join();
    assertThat(refused.get()).hasMessageContaining("interrupted");
    assertThat(sessions.sessions()).isEmpty();
  }
}
