// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.qmp.Access;
import org.wridscope.qmp.QemuVersion;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpEvent;
import org.wridscope.qmp.QmpServer;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** What clients are told when one migration follows another; the test makes the rounds. */
@Timeout(60)
final class EventPumpTest {
  @TempDir private Path directory;

  private final List<Session> sessions = new ArrayList<>();
  private final BlockingQueue<QmpEvent> received = new LinkedBlockingQueue<>();
  private QmpServer server;
  private Qmp client;
  private EventPump pump;

  @BeforeEach
  void open() throws IOException, InterruptedException {
    server =
        QmpServer.open(
            new QmpAddress.Unix(directory.resolve("w.qmp")),
            Access.OWNER,
            new QemuVersion(7, 2, 0, "test"),
            Map.of());
    var present = new PresentSession(() -> sessions);
    var plan = new Plan();
    var guest = new GuestControl(present, plan, new NoLauncher());
    pump = new EventPump(server, present, guest, new Capabilities(present, plan, true));
    client = Qmp.connect(server.address(), Duration.ofSeconds(20));
    var _ = client.onEvent(received::add);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private FakeSession begin(Role role) {
    var session = new FakeSession("lab 1 " + role, "rdma:127.0.0.1:4444", role, false);
    sessions.add(session);
    status(session, MigrationStatus.ACTIVE);
    return session;
  }

  /** Its status is known at once, and its log may have that later. */
  private static void status(Session of, MigrationStatus status) {
    of.telemetry().setStatus(status);
    log(of, EventKind.STATUS, status.ordinal());
  }

  private static void log(Session of, EventKind kind, int detail) {
    of.telemetry().log().add(System.nanoTime(), kind, detail, 0, 0, 0);
  }

  /** What the client is told by a round. */
  private List<String> round() throws InterruptedException {
    pump.pump();
    server.event("ROUND", null, Instant.EPOCH);
    var texts = new ArrayList<String>();
    while (true) {
      QmpEvent event = received.poll(20, TimeUnit.SECONDS);
      assertThat(event).isNotNull();
      if (event.name().equals("ROUND")) {
        return texts;
      }
      JsonObject data = event.data();
      texts.add(data.has("status") ? data.get("status").getAsString() : event.name());
    }
  }

  @Test
  void theLastEventsOfAMigration_areTold_alsoWhenTheNextOneHasBegun() throws Exception {
    FakeSession first = begin(Role.SOURCE);
    assertThat(round()).containsExactly("active");
    status(first, MigrationStatus.FAILED);
    FakeSession second = begin(Role.SOURCE);
    assertThat(round()).containsExactly("failed", "active");
    log(first, EventKind.GUEST_RESUMED, 0);
    first.end(MigrationStatus.FAILED, "The cable was cut.");
    log(second, EventKind.GUEST_PAUSED, 0);
    assertThat(round()).containsExactly("RESUME", "STOP");
  }

  @Test
  void aMigrationThatBeganAndFailedBetweenTwoRounds_isTold() throws Exception {
    status(begin(Role.SOURCE), MigrationStatus.COMPLETED);
    assertThat(round()).containsExactly("active", "completed");
    status(begin(Role.SOURCE), MigrationStatus.FAILED);
    FakeSession _ = begin(Role.SOURCE);
    assertThat(round()).containsExactly("active", "failed", "active");
  }

  @Test
  void aMigrationThatWasTold_isNotToldAgain_whenTheOneAfterItWasRemoved() throws Exception {
    FakeSession first = begin(Role.SOURCE);
    status(first, MigrationStatus.COMPLETED);
    assertThat(round()).containsExactly("active", "completed");
    first.end(MigrationStatus.COMPLETED, "It was migrated.");
    FakeSession second = begin(Role.SOURCE);
    assertThat(round()).containsExactly("active");
    assertThat(round()).isEmpty();
    sessions.remove(second);
    assertThat(round()).isEmpty();
  }

  @Test
  void ofALab_theSourceIsTold() throws Exception {
    FakeSession destination = begin(Role.DESTINATION);
    assertThat(round()).containsExactly("active");
    FakeSession source = begin(Role.SOURCE);
    log(destination, EventKind.GUEST_RESUMED, 0);
    assertThat(round()).containsExactly("active");
    status(destination, MigrationStatus.COMPLETED);
    status(source, MigrationStatus.COMPLETED);
    assertThat(round()).containsExactly("completed");
  }
}
