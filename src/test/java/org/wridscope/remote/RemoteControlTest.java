// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.control.FakeSession;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.qmp.Access;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpEvent;
import org.wridscope.qmp.QmpException;
import org.wridscope.qmp.RunState;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** QEMU's commands and events, about sessions that only have telemetry. */
@Timeout(60)
final class RemoteControlTest {
  @TempDir private Path directory;

  /** What a migration is given before anything is set. */
  private final MigrationSettings given =
      new MigrationSettings(new GuestSettings.Synthetic(32 << 20, 0, 0, 0, 7))
          .with(MigrationSetting.BANDWIDTH, 5L);

  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  private final NoLauncher launcher = new NoLauncher();
  private final CountDownLatch quit = new CountDownLatch(1);

  private RemoteControl open(boolean readOnly) throws IOException {
    return RemoteControl.open(
        new RemoteControl.Settings(
            new QmpAddress.Unix(directory.resolve("w.qmp")), Access.OWNER, readOnly),
        "wridscope test",
        () -> sessions,
        launcher,
        quit::countDown);
  }

  private static Qmp connect(RemoteControl control) throws IOException, InterruptedException {
    return Qmp.connect(control.address(), Duration.ofSeconds(20));
  }

  private FakeSession add(Role role) {
    var session = new FakeSession("lab 1 " + role, "rdma:127.0.0.1:4444", role, false);
    sessions.add(session);
    return session;
  }

  private static JsonObject arguments(String name, Object value) {
    var arguments = new JsonObject();
    switch (value) {
      case Number number -> arguments.addProperty(name, number);
      case Boolean flag -> arguments.addProperty(name, flag);
      default -> arguments.addProperty(name, value.toString());
    }
    return arguments;
  }

  @Test
  void beforeAMigration_thereIsNone() throws Exception {
    try (RemoteControl control = open(false);
        Qmp qmp = connect(control)) {
      var monitor = new QemuMonitor(qmp);
      assertThat(qmp.execute("query-migrate")).hasToString("{}");
      assertThat(monitor.status()).isEqualTo(new RunState("prelaunch", false));
      monitor.migrateCancel();
      assertThatThrownBy(() -> monitor.migrateContinue("pre-switchover"))
          .isInstanceOf(QmpException.class)
          .hasMessageContaining("There is no migration in this process yet.");
    }
  }

  @Test
  void whatIsSetBeforeAMigration_appliesToIt() throws Exception {
    try (RemoteControl control = open(false);
        Qmp qmp = connect(control)) {
      var monitor = new QemuMonitor(qmp);
      monitor.migrate("rdma:192.0.2.1:4444");
      assertThat(launcher.wanted.getFirst().apply(given)).isEqualTo(given);
      monitor.setParameters(arguments("max-bandwidth", 1000));
      monitor.setParameters(arguments("downtime-limit", 70));
      monitor.setCapabilities(Map.of("rdma-pin-all", true));
      assertThat(monitor.parameters().get("max-bandwidth").getAsLong()).isEqualTo(1000);
      assertThat(monitor.capabilities()).containsEntry("rdma-pin-all", true);
      monitor.migrate("rdma:192.0.2.1:4445");
      MigrationSettings changed = launcher.wanted.getLast().apply(given);
      assertThat(changed.get(MigrationSetting.BANDWIDTH)).isEqualTo(1000);
      assertThat(changed.get(MigrationSetting.DOWNTIME_LIMIT)).isEqualTo(Duration.ofMillis(70));
      assertThat(changed.get(MigrationSetting.PIN_ALL)).isTrue();
      monitor.migrateIncoming("rdma:0.0.0.0:4446");
      assertThat(launcher.uris)
          .containsExactly(
              "rdma:192.0.2.1:4444", "rdma:192.0.2.1:4445", "incoming rdma:0.0.0.0:4446");
      add(Role.SOURCE).telemetry().setStatus(MigrationStatus.ACTIVE);
      assertThatThrownBy(() -> monitor.migrate("rdma:192.0.2.1:4444"))
          .hasMessageContaining("There's a migration process in progress");
      assertThatThrownBy(() -> monitor.setCapabilities(Map.of("rdma-pin-all", true)))
          .hasMessageContaining("There's a migration process in progress");
    }
  }

  @Test
  void figures_areThoseOfTheReport() throws Exception {
    FakeSession source = add(Role.SOURCE);
    source.telemetry().metrics().set(Metric.RAM_TOTAL, 64 << 20);
    source.telemetry().metrics().set(Metric.RAM_REMAINING, 3 << 20);
    source.telemetry().metrics().set(Metric.RAM_TRANSFERRED, 5 << 20);
    source.telemetry().metrics().set(Metric.NORMAL_PAGES, 1280);
    source.telemetry().metrics().set(Metric.DIRTY_SYNC_COUNT, 2);
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    try (RemoteControl control = open(true);
        Qmp qmp = connect(control)) {
      MigrationInfo info = new QemuMonitor(qmp).migration();
      assertThat(info.status()).isEqualTo("active");
      assertThat(info.ram().orElseThrow())
          .isEqualTo(
              new MigrationInfo.Ram(
                  5 << 20,
                  3 << 20,
                  64 << 20,
                  Objects.requireNonNullElse(source.report().ram().mbps(), 0.0),
                  0,
                  2,
                  4096,
                  0,
                  1280));
      source.end(MigrationStatus.UNDECIDED, "Nobody knows.");
      assertThat(new QemuMonitor(qmp).migration().status()).isEqualTo("postcopy-paused");
      assertThat(new QemuMonitor(qmp).migration().errorDesc()).contains("Nobody knows.");
    }
  }

  @Test
  void limits_areSet_shown_andChecked() throws Exception {
    FakeSession source = add(Role.SOURCE);
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    try (RemoteControl control = open(false);
        Qmp qmp = connect(control)) {
      var monitor = new QemuMonitor(qmp);
      JsonObject limits = arguments("max-bandwidth", 1000);
      limits.addProperty("downtime-limit", 250);
      monitor.setParameters(limits);
      assertThat(monitor.parameters()).isEqualTo(limits);
      for (int wrong : List.of(-1, 0, 2_000_001)) {
        JsonObject both = arguments("max-bandwidth", 2000);
        both.addProperty("downtime-limit", wrong);
        assertThatThrownBy(() -> monitor.setParameters(both))
            .hasMessageContaining(
                "Parameter 'downtime_limit' expects an integer in the range of 1 to 2000000 ms");
      }
      assertThat(monitor.parameters()).as("nothing of a wrong command applies").isEqualTo(limits);
      assertThatThrownBy(() -> monitor.setParameters(arguments("multifd-channels", 2)))
          .hasMessageContaining("Parameter 'multifd-channels' is unexpected");
    }
  }

  @Test
  void aMigration_isContinuedAndCancelled() throws Exception {
    FakeSession source = add(Role.SOURCE);
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    try (RemoteControl control = open(false);
        Qmp qmp = connect(control)) {
      var monitor = new QemuMonitor(qmp);
      assertThatThrownBy(() -> monitor.migrateContinue("pre-switchover"))
          .hasMessageContaining("Migration not in expected state: active");
      source.telemetry().setStatus(MigrationStatus.PRE_SWITCHOVER);
      monitor.migrateContinue("pre-switchover");
      assertThat(source.permitted()).isTrue();
      monitor.migrateCancel();
      assertThat(source.cancelled()).isTrue();
      monitor.quit();
      assertThat(quit.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SOURCE,ACTIVE,true,running",
    "SOURCE,DEVICE,false,finish-migrate",
    "SOURCE,COMPLETED,false,postmigrate",
    "SOURCE,UNDECIDED,false,finish-migrate",
    "DESTINATION,NONE,false,inmigrate",
    "DESTINATION,ACTIVE,false,inmigrate",
    "DESTINATION,COMPLETED,true,running",
    "DESTINATION,FAILED,false,paused"
  })
  void theGuestsState_isInQemusWords(
      Role role, MigrationStatus status, boolean running, String state) throws Exception {
    FakeSession session = add(role);
    session.telemetry().setStatus(status);
    session.setGuestRunning(running);
    try (RemoteControl control = open(true);
        Qmp qmp = connect(control)) {
      assertThat(new QemuMonitor(qmp).status()).isEqualTo(new RunState(state, running));
    }
  }

  @Test
  void stop_andCont_areToldToAll_ifTheyChangeAnything() throws Exception {
    FakeSession destination = add(Role.DESTINATION);
    FakeSession source = add(Role.SOURCE);
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    BlockingQueue<QmpEvent> received = new LinkedBlockingQueue<>();
    try (RemoteControl control = open(false);
        Qmp qmp = connect(control);
        Qmp other = connect(control);
        Qmp.Subscription _ = other.onEvent(received::add)) {
      assertThat(new QemuMonitor(other).status().running()).isTrue();
      var monitor = new QemuMonitor(qmp);
      assertThat(qmp.execute("stop")).hasToString("{}");
      assertThat(monitor.status()).isEqualTo(new RunState("paused", false));
      assertThat(qmp.execute("stop")).hasToString("{}");
      assertThat(qmp.execute("x-wridscope-cont", arguments("session", destination.name())))
          .hasToString("{}");
      assertThat(destination.guestRunning()).isTrue();
      assertThat(qmp.execute("cont")).hasToString("{}");
      assertThat(monitor.status()).isEqualTo(new RunState("running", true));
      source.refuseOperators("Migration is not finalized yet");
      assertThatThrownBy(() -> qmp.execute("cont"))
          .isInstanceOfSatisfying(
              QmpException.class,
              e -> {
                assertThat(e.errorClass()).isEqualTo("GenericError");
                assertThat(e.desc()).isEqualTo("Migration is not finalized yet");
              });
      for (String event : List.of("STOP {}", "RESUME {}")) {
        assertThat(received.poll(20, TimeUnit.SECONDS))
            .extracting(RemoteControlTest::text)
            .isEqualTo(event);
      }
      assertThat(received).isEmpty();
    }
  }

  @Test
  void whatIsStoppedBeforeAMigration_beginsStopped() throws Exception {
    try (RemoteControl control = open(false);
        Qmp qmp = connect(control)) {
      assertThat(qmp.execute("stop")).hasToString("{}");
      new QemuMonitor(qmp).migrate("rdma:192.0.2.1:4444");
      assertThat(launcher.wanted.getFirst().apply(given).get(MigrationSetting.PAUSED)).isTrue();
      assertThat(qmp.execute("cont")).hasToString("{}");
      assertThat(launcher.wanted.getFirst().apply(given).get(MigrationSetting.PAUSED)).isFalse();
    }
  }

  @Test
  void whoMayOnlyAsk_canChangeNothing() throws Exception {
    FakeSession source = add(Role.SOURCE);
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    try (RemoteControl control = open(true);
        Qmp qmp = connect(control)) {
      for (String command :
          List.of(
              "migrate",
              "migrate-incoming",
              "migrate_cancel",
              "migrate-continue",
              "migrate-set-parameters",
              "migrate-set-capabilities",
              "stop",
              "cont",
              "x-wridscope-stop",
              "quit")) {
        assertThatThrownBy(() -> qmp.execute(command))
            .isInstanceOfSatisfying(
                QmpException.class, e -> assertThat(e.errorClass()).isEqualTo("CommandNotFound"));
      }
      assertThat(source.cancelled()).isFalse();
    }
  }

  @Test
  void capabilities_areTheOnesThatExist() throws Exception {
    try (RemoteControl control = open(false);
        Qmp qmp = connect(control)) {
      var monitor = new QemuMonitor(qmp);
      assertThat(monitor.capabilities()).containsEntry("events", false);
      monitor.setCapabilities(Map.of("events", true, "postcopy-ram", false));
      assertThat(monitor.capabilities()).containsEntry("events", true);
      assertThatThrownBy(() -> monitor.setCapabilities(Map.of("multifd", true)))
          .hasMessageContaining("Wridscope does not have the capability 'multifd'.");
      assertThatThrownBy(() -> monitor.setCapabilities(Map.of("nonsense", false)))
          .hasMessageContaining("Invalid parameter 'nonsense'");
    }
  }

  @Test
  void wridscopesOwnCommands_tellOfEachSession() throws Exception {
    FakeSession destination = add(Role.DESTINATION);
    FakeSession source = add(Role.SOURCE);
    var table = new ChunkTable(0, "pc.ram", 3 << 20, 0);
    table.setState(1, ChunkState.REGISTERED);
    source.telemetry().setBlocks(List.of(table));
    source.telemetry().metrics().set(Metric.WRITES_POSTED, 3);
    source.end(MigrationStatus.FAILED, "The cable was cut.");
    try (RemoteControl control = open(true);
        Qmp qmp = connect(control)) {
      assertThat(qmp.execute("x-wridscope-query-sessions").getAsJsonArray())
          .extracting(each -> each.getAsJsonObject().get("name").getAsString())
          .containsExactly(destination.name(), source.name());
      JsonObject report = qmp.execute("x-wridscope-query-report").getAsJsonObject();
      assertThat(report.get("role").getAsString()).isEqualTo("source");
      assertThat(report.getAsJsonObject("completions").getAsJsonObject("send").get("posted"))
          .hasToString("3");
      assertThat(
              qmp.execute("x-wridscope-query-report", arguments("session", destination.name()))
                  .getAsJsonObject()
                  .get("role")
                  .getAsString())
          .isEqualTo("destination");
      assertThat(qmp.execute("x-wridscope-query-chunks"))
          .hasToString(
              "[{\"block\":\"pc.ram\",\"length\":3145728,\"chunk-size\":1048576,\"runs\":["
                  + "{\"state\":\"not-registered\",\"chunks\":1},"
                  + "{\"state\":\"registered\",\"chunks\":1},"
                  + "{\"state\":\"not-registered\",\"chunks\":1}]}]");
      JsonObject explanation = qmp.execute("x-wridscope-explain").getAsJsonObject();
      assertThat(explanation.get("verdict").getAsString()).isEqualTo("failed");
      assertThat(explanation.get("headline").getAsString()).isEqualTo("The cable was cut.");
      assertThatThrownBy(() -> qmp.execute("x-wridscope-explain", arguments("session", "nonsense")))
          .hasMessageContaining("There is no session 'nonsense'");
    }
  }

  @Test
  void events_areThoseOfTheSource_inOrder_sinceTheClientCame() throws Exception {
    FakeSession destination = add(Role.DESTINATION);
    FakeSession source = add(Role.SOURCE);
    source.telemetry().log().add(System.nanoTime(), EventKind.STATUS, 1, 0, 0, 0);
    try (RemoteControl control = open(true);
        Qmp qmp = connect(control)) {
      BlockingQueue<QmpEvent> received = new LinkedBlockingQueue<>();
      try (Qmp.Subscription _ = qmp.onEvent(received::add)) {
        // So that the client is known to have negotiated.
        assertThat(new QemuMonitor(qmp).status().running()).isTrue();
        long now = System.nanoTime();
        destination.telemetry().log().add(now, EventKind.GUEST_RESUMED, 0, 0, 0, 0);
        var log = source.telemetry().log();
        log.add(now, EventKind.STATUS, MigrationStatus.ACTIVE.ordinal(), 0, 0, 0);
        log.add(now, EventKind.ROUND_BEGIN, 1, 0, 0, 0);
        for (int i = 0; i < 10_000; i++) {
          log.add(now, EventKind.POST_WRITE, 1, 4096, i, 0);
        }
        log.add(now, EventKind.GUEST_PAUSED, 0, 0, 0, 0);
        log.add(now, EventKind.STATUS, MigrationStatus.COMPLETED.ordinal(), 0, 0, 0);
        var texts = new ArrayList<String>();
        while (!texts.contains("MIGRATION {\"status\":\"completed\"}")) {
          QmpEvent event = received.poll(20, TimeUnit.SECONDS);
          texts.add(event == null ? "MIGRATION {\"status\":\"completed\"}" : text(event));
          assertThat(event).isNotNull();
        }
        assertThat(texts)
            .filteredOn(text -> !text.contains("setup"))
            .containsExactly(
                "MIGRATION {\"status\":\"active\"}",
                "MIGRATION_PASS {\"pass\":1}",
                "STOP {}",
                "MIGRATION {\"status\":\"completed\"}");
      }
    }
  }

  /** A client that asks knows of the end before the last event is in the log. */
  @Test
  void lastEventsOfASession_areTold_alsoIfTheNextOneHasBegun() throws Exception {
    FakeSession first = add(Role.SOURCE);
    try (RemoteControl control = open(true);
        Qmp qmp = connect(control)) {
      BlockingQueue<QmpEvent> received = new LinkedBlockingQueue<>();
      try (Qmp.Subscription _ = qmp.onEvent(received::add)) {
        assertThat(new QemuMonitor(qmp).status().running()).isTrue();
        tell(first, MigrationStatus.ACTIVE);
        assertThat(next(received)).isEqualTo("MIGRATION {\"status\":\"active\"}");
        first.telemetry().setStatus(MigrationStatus.FAILED);
        FakeSession second = add(Role.SOURCE);
        tell(second, MigrationStatus.SETUP);
        assertThat(next(received)).isEqualTo("MIGRATION {\"status\":\"setup\"}");
        tell(first, MigrationStatus.FAILED);
        first.end(MigrationStatus.FAILED, "The cable was cut.");
        assertThat(next(received)).isEqualTo("MIGRATION {\"status\":\"failed\"}");
        tell(second, MigrationStatus.ACTIVE);
        assertThat(next(received)).isEqualTo("MIGRATION {\"status\":\"active\"}");
      }
    }
  }

  private static void tell(FakeSession session, MigrationStatus status) {
    session.telemetry().log().add(System.nanoTime(), EventKind.STATUS, status.ordinal(), 0, 0, 0);
  }

  private static String next(BlockingQueue<QmpEvent> received) throws InterruptedException {
    QmpEvent event = received.poll(20, TimeUnit.SECONDS);
    assertThat(event).isNotNull();
    return text(event);
  }

  private static String text(QmpEvent event) {
    return event.name() + " " + event.data();
  }

  private static String human(Qmp qmp, String line) throws IOException, InterruptedException {
    return qmp.execute("human-monitor-command", arguments("command-line", line)).getAsString();
  }

  /** The texts are those that a QEMU 7.2.22 answered. */
  @Test
  void theHumanMonitor_answersAsThatOfQemu() throws Exception {
    String globals =
        String.join(
            "\r\n",
            "globals:",
            "store-global-state: on",
            "only-migratable: off",
            "send-configuration: on",
            "send-section-footer: on",
            "decompress-error-check: on",
            "clear-bitmap-shift: 18",
            "");
    try (RemoteControl control = open(false);
        Qmp qmp = connect(control)) {
      assertThat(human(qmp, "info migrate")).isEqualTo(globals);
      assertThat(human(qmp, "info status")).isEqualTo("VM status: paused (prelaunch)\r\n");
      assertThat(human(qmp, "foo bar")).isEqualTo("unknown command: 'foo'\r\n");
      assertThat(human(qmp, "info foo")).isEqualTo("unknown command: 'info foo'\r\n");
      assertThat(human(qmp, "info migrate extra"))
          .isEqualTo(
              String.join(
                  "\r\n",
                  "migrate: extraneous characters at the end of line",
                  "Try \"help info migrate\" for more information",
                  ""));
      assertThat(human(qmp, "migrate_set_capability nonsense on"))
          .startsWith("Error: ")
          .endsWith("\r\n");
      assertThat(human(qmp, "migrate_set_parameter max-bandwidth 100")).isEmpty();
      assertThat(human(qmp, "info migrate_parameters"))
          .contains("max-bandwidth: 104857600 bytes/second\r\n");
      FakeSession source = add(Role.SOURCE);
      source.telemetry().metrics().set(Metric.RAM_TOTAL, 64 << 20);
      source.telemetry().setStatus(MigrationStatus.ACTIVE);
      assertThat(human(qmp, "info migrate"))
          .startsWith(globals + "Migration status: active\r\ntotal time: ")
          .contains(
              "total ram: 65536 kbytes\r\n", "page size: 4 kbytes\r\n", "throughput: 0.00 mbps");
    }
    try (RemoteControl control = open(true);
        Qmp qmp = connect(control)) {
      assertThat(human(qmp, "migrate_cancel")).startsWith("Error: ");
    }
  }
}
