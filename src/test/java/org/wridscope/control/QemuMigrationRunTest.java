// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.TimeLimit;
import org.wridscope.analysis.Ending;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;

/** Migrations by QEMU's own engine, with two QEMUs where they are installed. */
@Tag("qemu")
final class QemuMigrationRunTest {
  private static final Duration END = Duration.ofSeconds(60);

  /** Slow enough that a test can steer a migration of {@link QemuProcess#RAM}. */
  private static final long SLOW = 1 << 20;

  @TempDir private Path directory;
  private final LocalSessions manager = new LocalSessions();
  private final List<QemuProcess> qemus = new ArrayList<>();

  @BeforeEach
  void qemuIsInstalled() {
    QemuProcess.assumeInstalled();
  }

  @AfterEach
  void close() {
    manager.close();
    for (QemuProcess qemu : qemus) {
      qemu.close();
    }
  }

  private QemuProcess running() throws IOException, InterruptedException {
    return add(QemuProcess.running(directory, "source"));
  }

  private QemuProcess waiting() throws IOException, InterruptedException {
    return add(QemuProcess.waiting(directory, "destination"));
  }

  private QemuProcess add(QemuProcess qemu) {
    qemus.add(qemu);
    return qemu;
  }

  private String socket() {
    return "unix:" + directory.resolve("migration");
  }

  private static String tcp() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "tcp:127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static QemuMigrationSettings settings(
      @Nullable QemuProcess source, @Nullable QemuProcess destination, String uri, long bandwidth) {
    return new QemuMigrationSettings(
        source == null ? null : source.address(),
        destination == null ? null : destination.address(),
        QemuUri.parse(uri),
        Settings.USUAL.with(MigrationSetting.BANDWIDTH, bandwidth));
  }

  private static QemuMigrationSettings held(QemuMigrationSettings settings) {
    return new QemuMigrationSettings(
        settings.source(),
        settings.destination(),
        settings.uri(),
        settings.settings().with(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true));
  }

  private SessionPair start(QemuMigrationSettings settings) {
    List<Session> ends = manager.startQemuMigration(settings);
    return settings.source() == null
        ? new SessionPair(null, ends.getFirst())
        : new SessionPair(ends.getFirst(), ends.size() > 1 ? ends.getLast() : null);
  }

  private static void awaitEnd(SessionPair pair) throws InterruptedException {
    for (Session session : pair.sessions()) {
      assertThat(session.await(END)).as(session.name() + " ended").isTrue();
    }
  }

  private static Ending ending(SessionPair pair) {
    return Objects.requireNonNull(pair.ending(), "it has not ended");
  }

  private static void awaitRam(Session source) {
    new TimeLimit(END)
        .await(
            "RAM to be sent",
            () -> source.telemetry().metrics().get(Metric.RAM_TRANSFERRED) > SLOW / 2);
  }

  private static <T> T ask(QemuProcess qemu, Question<T> question) throws Exception {
    try (Qmp qmp = Qmp.connect(qemu.address(), END)) {
      return question.ask(new QemuMonitor(qmp));
    }
  }

  private interface Question<T> {
    T ask(QemuMonitor monitor) throws Exception;
  }

  /** What a migration may change in a QEMU. */
  private static Map<String, String> settingsOf(QemuProcess qemu) throws Exception {
    return ask(
        qemu,
        monitor -> {
          var all = new TreeMap<String, String>();
          monitor.capabilities().forEach((name, on) -> all.put(name, on.toString()));
          for (String name : List.of("max-bandwidth", "downtime-limit")) {
            all.put(name, monitor.parameters().get(name).getAsString());
          }
          return all;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bothEnds_carryTheGuestAndSayTheSame(boolean overTcp) throws Exception {
    QemuProcess from = running();
    QemuProcess to = waiting();
    Map<String, String> before = settingsOf(from);
    SessionPair pair = start(settings(from, to, overTcp ? tcp() : socket(), 0));
    awaitEnd(pair);
    Session source = pair.leading();
    assertThat(source.status()).as(source.outcome()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(source.outcome())
        .isEqualTo("QEMU migrated the guest. The guest runs at the destination.");
    assertThat(source.guestRunning()).isFalse();
    assertThat(pair.sessions().getLast().guestRunning()).isTrue();
    assertThat(pair.sessions().getLast().status()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(ending(pair).headline()).startsWith("completed: QEMU migrated the guest.");
    MigrationReport report = source.report();
    assertThat(report.ram().total()).isGreaterThanOrEqualTo(QemuProcess.RAM);
    assertThat(report.ram().transferred()).isGreaterThan(QemuProcess.RAM / 2);
    assertThat(report.totalTime()).isPositive();
    assertThat(report.downtime()).isNotNull();
    assertThat(report.peer()).isEqualTo(MigrationReport.QEMU);
    assertThat(source.telemetry().phases())
        .extracting(Phase::name)
        .startsWith("connect", "set-up")
        .endsWith("completed");
    assertThat(ask(from, QemuMonitor::status).status()).isEqualTo("postmigrate");
    assertThat(ask(to, QemuMonitor::status).running()).isTrue();
    assertThat(settingsOf(from)).isEqualTo(before);
  }

  @Test
  void pauseBeforeSwitchover_waitsForPermission() throws Exception {
    QemuProcess from = running();
    QemuProcess to = waiting();
    SessionPair pair = start(held(settings(from, to, socket(), 0)));
    Session source = pair.leading();
    new TimeLimit(END).await("the source to be held", source::heldBeforeSwitchover);
    assertThat(source.status()).isEqualTo(MigrationStatus.PRE_SWITCHOVER);
    assertThat(source.telemetry().waitingFor()).isEqualTo(new Wait(Wait.Kind.PERMISSION));
    assertThat(source.mustFinish()).isFalse();
    source.permitSwitchover();
    awaitEnd(pair);
    assertThat(source.status()).as(source.outcome()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(source.heldBeforeSwitchover()).isFalse();
  }

  @Test
  void cancelledWhileHeld_theGuestRunsOnAtTheSource() throws Exception {
    QemuProcess from = running();
    SessionPair pair = start(held(settings(from, waiting(), socket(), 0)));
    Session source = pair.leading();
    new TimeLimit(END).await("the source to be held", source::heldBeforeSwitchover);
    source.cancel();
    awaitEnd(pair);
    assertThat(source.status()).as(source.outcome()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(ask(from, QemuMonitor::status).running()).isTrue();
  }

  @Test
  void cancel_leavesTheGuestAndTheSettingsAsTheyWere() throws Exception {
    QemuProcess from = running();
    Map<String, String> before = settingsOf(from);
    SessionPair pair = start(settings(from, waiting(), socket(), SLOW));
    awaitRam(pair.leading());
    pair.leading().cancel();
    awaitEnd(pair);
    assertThat(pair.leading().status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(ending(pair).sentence())
        .startsWith("QEMU cancelled its migration.")
        .endsWith("The guest keeps running at the source.");
    assertThat(pair.leading().guestRunning()).isTrue();
    assertThat(ask(from, QemuMonitor::status).running()).isTrue();
    assertThat(settingsOf(from)).isEqualTo(before);
  }

  @Test
  void bandwidthLimit_takesEffectAtOnce() throws Exception {
    SessionPair pair = start(settings(running(), waiting(), socket(), SLOW));
    awaitRam(pair.leading());
    pair.leading().setBandwidthLimit(0);
    awaitEnd(pair);
    assertThat(pair.leading().status()).isEqualTo(MigrationStatus.COMPLETED);
  }

  @Test
  void deathOfTheDestination_leavesTheGuestAtTheSource() throws Exception {
    QemuProcess from = running();
    QemuProcess to = waiting();
    SessionPair pair = start(settings(from, to, socket(), SLOW));
    awaitRam(pair.leading());
    to.kill();
    awaitEnd(pair);
    assertThat(pair.leading().status()).isEqualTo(MigrationStatus.FAILED);
    assertThat(ending(pair).sentence())
        .startsWith("QEMU's migration failed")
        .contains("The destination has ended")
        .endsWith("The guest keeps running at the source.");
    assertThat(ask(from, QemuMonitor::status).running()).isTrue();
  }

  @Test
  void deathOfTheSource_saysThatNothingIsKnown() throws Exception {
    QemuProcess from = running();
    SessionPair pair = start(settings(from, waiting(), socket(), SLOW));
    awaitRam(pair.leading());
    from.kill();
    awaitEnd(pair);
    assertThat(pair.leading().status()).isEqualTo(MigrationStatus.UNDECIDED);
    assertThat(pair.leading().outcome())
        .contains("It is not known whether its migration continues");
  }

  @Test
  void runningQemu_isNoDestination() throws Exception {
    QemuProcess from = running();
    QemuProcess to = add(QemuProcess.running(directory, "other"));
    SessionPair pair = start(settings(from, to, socket(), 0));
    awaitEnd(pair);
    assertThat(ending(pair).sentence())
        .contains(
            "does not wait for a guest (its state is running); start it with -incoming defer.")
        .endsWith("The guest keeps running at the source.");
  }

  @Test
  void nobodyListens_isQemusReason() throws Exception {
    SessionPair pair = start(settings(running(), null, socket(), 0));
    awaitEnd(pair);
    assertThat(ending(pair).sentence())
        .startsWith("QEMU's migration failed: Failed to connect to")
        .endsWith("The guest keeps running at the source.");
  }

  @Test
  void oneEndEach_isPairedByTheirUri() throws Exception {
    QemuProcess from = running();
    QemuProcess to = waiting();
    SessionPair there = start(settings(null, to, socket(), 0));
    new TimeLimit(END)
        .await(
            "the destination to listen",
            () -> new Wait(Wait.Kind.QEMU_SOURCE).equals(there.leading().telemetry().waitingFor()));
    assertThat(there.leading().status()).isEqualTo(MigrationStatus.NONE);
    SessionPair here = start(settings(from, null, socket(), 0));
    awaitEnd(here);
    awaitEnd(there);
    assertThat(here.leading().status()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(here.leading().outcome()).contains("It is not known here whether it runs there");
    assertThat(there.leading().status()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(there.leading().uri()).isEqualTo(here.leading().uri());
  }

  @Test
  void destinationAlone_cancelOnlyEndsTheWatch() throws Exception {
    QemuProcess to = waiting();
    SessionPair there = start(settings(null, to, socket(), 0));
    new TimeLimit(END)
        .await(
            "the destination to listen",
            () -> new Wait(Wait.Kind.QEMU_SOURCE).equals(there.leading().telemetry().waitingFor()));
    there.leading().cancel();
    awaitEnd(there);
    assertThat(there.leading().status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(there.leading().outcome()).contains("keeps waiting at " + socket());
    assertThat(to.isAlive()).isTrue();
  }
}
