// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.TimeLimit;
import org.wridscope.control.FakeSession;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.qmp.Access;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;

/** Sessions of one process, shown and steered in another: both are this one here. */
@Timeout(120)
final class RemoteWridscopeTest {
  private static final long RATE = 4 << 20;

  @TempDir private Path directory;

  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  private final List<Session> shown = new CopyOnWriteArrayList<>();

  private RemoteControl open(boolean readOnly, Supplier<List<Session>> of) throws IOException {
    return RemoteControl.open(
        new RemoteControl.Settings(
            new QmpAddress.Unix(directory.resolve("w.qmp")), Access.OWNER, readOnly),
        "wridscope test",
        of,
        new NoLauncher(),
        () -> {});
  }

  private RemoteWridscope attach(RemoteControl control) throws IOException, InterruptedException {
    return RemoteWridscope.attach(control.address(), RATE, shown::add);
  }

  private static void await(Session session) throws InterruptedException {
    assertThat(session.await(Duration.ofSeconds(60))).isTrue();
  }

  private FakeSession add(Role role) {
    var session = new FakeSession("source 1", "rdma:127.0.0.1:4444", role, false);
    session.telemetry().setStatus(MigrationStatus.ACTIVE);
    sessions.add(session);
    return session;
  }

  // ------------------------------------------------------------------------------------ shown

  @Test
  void aLab_isShownAsItIsThere() throws Exception {
    try (var manager = new LocalSessions();
        RemoteControl control = open(false, manager::sessions)) {
      Lab lab =
          manager.startLab(
              new LabSettings(
                  new MigrationSettings(new GuestSettings.Synthetic(32 << 20, 8 << 20, 0, 0.3, 7))
                      .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(50))));
      try (RemoteWridscope remote = attach(control)) {
        assertThat(remote.migrations()).hasSize(1);
        SessionPair pair = remote.migrations().getFirst();
        for (Session there : List.of(lab.source(), lab.destination())) {
          Session here = there.role() == Role.SOURCE ? pair.source() : pair.destination();
          assertThat(here).isNotNull();
          assertThat(here.name()).startsWith("w.qmp").endsWith(": " + there.name());
          await(there);
          await(here);
          requireEqual(here, there);
        }
        assertThat(String.valueOf(pair.ending()))
            .isEqualTo(String.valueOf(new SessionPair(lab.source(), lab.destination()).ending()));
      }
    }
  }

  private static void requireEqual(Session here, Session there) {
    assertThat(here.uri()).isEqualTo(there.uri());
    assertThat(here.host()).isEmpty();
    assertThat(here.device()).isEqualTo(there.device());
    assertThat(here.status()).isEqualTo(MigrationStatus.COMPLETED).isEqualTo(there.status());
    assertThat(here.outcome()).isEqualTo(there.outcome());
    assertThat(here.guestRunning()).isEqualTo(there.guestRunning());
    assertThat(here.notes()).isEmpty();
    assertThat(report(here)).isEqualTo(report(there));
    for (Metric metric : Metric.values()) {
      assertThat(here.telemetry().metrics().get(metric))
          .as(metric.name())
          .isEqualTo(there.telemetry().metrics().get(metric));
    }
    for (ControlType type : ControlType.values()) {
      assertThat(here.telemetry().messagesSent().get(type))
          .isEqualTo(there.telemetry().messagesSent().get(type));
    }
    assertThat(here.telemetry().phases().stream().map(Phase::name))
        .isEqualTo(there.telemetry().phases().stream().map(Phase::name).toList());
    assertThat(here.telemetry().waits()).isEqualTo(there.telemetry().waits());
    assertThat(events(here)).isEqualTo(events(there));
    assertThat(chunks(here)).isNotEmpty().isEqualTo(chunks(there));
    assertThat(here.virtio().isPresent()).isEqualTo(there.virtio().isPresent());
    assertThat(here.telemetry().eventsLeftOut()).isEqualTo(there.telemetry().eventsLeftOut());
  }

  /** Without the devices of the guest, which go on after the end. */
  private static JsonObject report(Session session) {
    JsonObject report = new Gson().toJsonTree(session.report()).getAsJsonObject();
    report.remove("virtio");
    return report;
  }

  /** With times since the beginning of the session. */
  private static List<Event> events(Session session) {
    long start = session.telemetry().startNanos();
    return session.telemetry().log().read(0, Integer.MAX_VALUE).stream()
        .map(event ->
            new Event(
                event.number(),
                event.nanos() - start,
                event.kind(),
                event.detail(),
                event.length(),
                event.wrid(),
                event.argument()))
        .toList();
  }

  private static List<String> chunks(Session session) {
    var chunks = new ArrayList<String>();
    for (ChunkTable table : session.telemetry().blocks()) {
      for (int i = 0; i < table.chunkCount(); i++) {
        chunks.add(
            "%s %d: %s %d %d %d %d"
                .formatted(
                    table.name(),
                    i,
                    table.state(i),
                    table.timesSent(i),
                    table.inTransit(i),
                    table.localKey(i),
                    table.remoteKey(i)));
      }
    }
    return chunks;
  }

  @Test
  void aSessionThatIsStartedLater_isShown_whileItRuns() throws Exception {
    try (RemoteControl control = open(false, () -> sessions);
        RemoteWridscope remote = attach(control)) {
      assertThat(remote.migrations()).isEmpty();
      FakeSession there = add(Role.SOURCE);
      new TimeLimit().await("the other end", () -> !shown.isEmpty());
      Session here = shown.getFirst();
      there.telemetry().metrics().set(Metric.RAM_TRANSFERRED, 4711);
      there.telemetry().beginRound(1);
      new TimeLimit()
          .await(
              "the other end",
              () -> here.telemetry().metrics().get(Metric.RAM_TRANSFERRED) == 4711);
      new TimeLimit().await("the other end", () -> here.telemetry().phases().size() == 1);
      assertThat(here.status()).isEqualTo(MigrationStatus.ACTIVE);
      assertThat(here.outcome()).isNull();
      assertThat(here.report().role()).isEqualTo("source");
      assertThat(here.isRemote()).isTrue();
    }
  }

  // --------------------------------------------------------------------------- bounded, counted

  @Test
  void events_thatComeFasterThanTheyAreSent_areLeftOut_andCounted() throws Exception {
    FakeSession there = add(Role.SOURCE);
    try (RemoteControl control = open(true, () -> sessions);
        RemoteWridscope _ = RemoteWridscope.attach(control.address(), 128 << 10, shown::add)) {
      Session here = shown.getFirst();
      // Far more than 128 KiB a second can carry.
      for (int burst = 0; burst < 10; burst++) {
        for (int i = 0; i < 40_000; i++) {
          there
              .telemetry()
              .log()
              .add(System.nanoTime(), EventKind.POST_WRITE, 1, 4096, i, i * 4096L);
        }
        long posted = (burst + 1) * 40_000L;
        there.telemetry().metrics().set(Metric.WRITES_POSTED, posted);
        new TimeLimit()
            .await(
                "the other end",
                () -> here.telemetry().metrics().get(Metric.WRITES_POSTED) == posted);
      }
      there.end(MigrationStatus.COMPLETED, "It is done.");
      await(here);
      long arrived = here.telemetry().log().size();
      assertThat(arrived).isLessThan(200_000);
      assertThat(arrived + here.telemetry().eventsLeftOut()).isEqualTo(400_000);
      assertThat(here.telemetry().metrics().get(Metric.WRITES_POSTED)).isEqualTo(400_000);
      assertThat(here.notes())
          .singleElement()
          .asString()
          .contains("events were left out on the way from", "the counters are complete");
    }
  }

  // ------------------------------------------------------------------------------------- steered

  @Test
  void aSession_isSteered() throws Exception {
    FakeSession there = add(Role.SOURCE);
    try (RemoteControl control = open(false, () -> sessions);
        RemoteWridscope _ = attach(control)) {
      Session here = shown.getFirst();
      assertThat(here.isWatched()).isFalse();
      here.setBandwidthLimit(1234);
      here.setDowntimeLimit(Duration.ofNanos(5_678_000));
      new TimeLimit()
          .await(
              "the other end",
              () -> here.telemetry().metrics().get(Metric.BANDWIDTH_LIMIT) == 1234);
      new TimeLimit()
          .await(
              "the other end",
              () -> here.telemetry().metrics().get(Metric.DOWNTIME_LIMIT) == 5_678_000);
      here.permitSwitchover();
      new TimeLimit().await("the other end", there::permitted);
      here.hintUnregister("pc.ram", 0, 4096);
      new TimeLimit().await("the other end", () -> there.hints().size() == 1);
      assertThat(here.unregister("pc.ram", 4096, 4096, Duration.ofSeconds(1))).isPositive();
      here.cancel();
      new TimeLimit().await("the other end", there::cancelled);
    }
  }

  @Test
  void whoMayOnlyLook_cannotSteer_andCancelEndsTheLook() throws Exception {
    FakeSession there = add(Role.SOURCE);
    try (RemoteControl control = open(true, () -> sessions);
        RemoteWridscope _ = attach(control)) {
      Session here = shown.getFirst();
      assertThat(here.isWatched()).isTrue();
      assertThatThrownBy(() -> here.hintUnregister("pc.ram", 0, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("lets others only look");
      assertThatThrownBy(() -> here.unregister("pc.ram", 0, 1, Duration.ZERO))
          .isInstanceOf(StillRegisteredException.class)
          .hasMessageContaining("lets others only look");
      here.cancel();
      await(here);
      assertThat(there.cancelled()).isFalse();
      assertThat(here.outcome()).contains("It is no longer shown; it continues at unix:");
    }
  }

  // --------------------------------------------------------------------------------- the end

  @Test
  void closing_leavesTheSessionAlone() throws Exception {
    FakeSession there = add(Role.SOURCE);
    try (RemoteControl control = open(false, () -> sessions);
        RemoteWridscope _ = attach(control)) {
      try (var manager = new LocalSessions()) {
        manager.add(shown.getFirst());
      }
      await(shown.getFirst());
      assertThat(there.cancelled()).isFalse();
      assertThat(there.await(Duration.ZERO)).isFalse();
    }
  }

  @Test
  void aConnectionThatBreaks_isSaid() throws Exception {
    FakeSession _ = add(Role.SOURCE);
    RemoteControl control = open(false, () -> sessions);
    try (RemoteWridscope _ = attach(control)) {
      Session here = shown.getFirst();
      control.close();
      await(here);
      assertThat(here.status().isEnd()).isTrue();
      assertThat(here.outcome())
          .isEqualTo(
              "The connection to the Wridscope at %s has ended: it closed the connection. What runs there continues; attach again to see it."
                  .formatted(control.address()));
    }
  }
}
