// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.wridscope.TimeLimit;
import org.wridscope.account.Account;
import org.wridscope.engine.DestinationSession;
import org.wridscope.engine.MigrationParameters;
import org.wridscope.engine.SourceSession;
import org.wridscope.guest.Guest;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftFabric;

/** A session from its attempts to its end, with real engines on a software device. */
final class LocalSessionTest {
  private static final Duration END = Duration.ofSeconds(60);
  private static final GuestSettings GUEST = new GuestSettings.Synthetic(4 << 20, 0, 0, 0.5, 1);
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  /** Nobody listens there. */
  private static final InetSocketAddress CLOSED = new InetSocketAddress(LOOPBACK, 9);

  private final Sampler sampler = new Sampler();
  private final SoftDevice device = new SoftFabric().open("local-session");
  private final Devices.Selected selected = new Devices.Selected(device, "the test's device");
  private final List<LocalSession> sessions = new ArrayList<>();
  private @Nullable InetSocketAddress listening;

  @AfterEach
  void close() throws IOException {
    sessions.forEach(LocalSession::close);
    sampler.close();
    device.close();
  }

  private static MigrationParameters parameters() {
    return new MigrationParameters(Settings.USUAL);
  }

  private LocalSession source(InetSocketAddress... addresses) throws IOException {
    return source(parameters(), addresses);
  }

  private LocalSession source(MigrationParameters parameters, InetSocketAddress... addresses)
      throws IOException {
    Guest guest = new Guests().boot(GUEST, () -> {}, _ -> {});
    var telemetry = new SessionTelemetry(Role.SOURCE, false, Account::new);
    List<LocalSession.Attempt> attempts = new ArrayList<>();
    for (InetSocketAddress address : addresses) {
      attempts.add(
          new LocalSession.Attempt(
              address, selected, new SourceSession(device, address, guest, parameters, telemetry)));
    }
    return started(
        new LocalSession(
            "source",
            "rdma:h:1",
            new SessionGuest(guest),
            parameters,
            attempts,
            Duration.ZERO,
            sampler));
  }

  private LocalSession destination(Duration waitLimit) throws IOException {
    ConnectionListener listener = device.listen(new InetSocketAddress(LOOPBACK, 0), 8, _ -> true);
    listening = listener.localAddress();
    Guest guest = new Guests().incoming(GuestSettings.Synthetic.incoming(4 << 20));
    MigrationParameters parameters = parameters();
    var engine =
        new DestinationSession(
            device,
            listener,
            guest,
            parameters,
            new SessionTelemetry(Role.DESTINATION, false, Account::new),
            null);
    return started(
        new LocalSession(
            "destination",
            "rdma:h:1",
            new SessionGuest(guest),
            parameters,
            List.of(new LocalSession.Attempt(listening, selected, engine)),
            waitLimit,
            sampler));
  }

  private LocalSession started(LocalSession session) {
    sessions.add(session);
    session.start(new CounterSampler());
    return session;
  }

  private InetSocketAddress listening() {
    if (listening == null) {
      throw new IllegalStateException("no destination was started");
    }
    return listening;
  }

  private static void assertEnded(LocalSession session, MigrationStatus status)
      throws InterruptedException {
    assertThat(session.await(END)).as("%s", session.telemetry().waitingFor()).isTrue();
    assertThat(session.status()).as(session.outcome()).isEqualTo(status);
  }

  @Test
  void anAddressWhereNobodyListens_isFollowedByTheNextOne() throws Exception {
    LocalSession destination = destination(Duration.ZERO);
    LocalSession source = source(CLOSED, listening());
    assertEnded(source, MigrationStatus.COMPLETED);
    assertEnded(destination, MigrationStatus.COMPLETED);
    assertThat(source.outcome()).doesNotContain("addresses");
    assertThat(source.host()).contains("h");
    assertThat(destination.host()).as("it listens on this machine").isEmpty();
    assertThat(source.guestRunning()).isFalse();
    assertThat(destination.guestRunning()).isTrue();
  }

  @Test
  void aSourceThatIsHeld_switchesOverWhenItIsPermitted() throws Exception {
    LocalSession destination = destination(Duration.ZERO);
    LocalSession source =
        source(
            new MigrationParameters(
                Settings.USUAL.with(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true)),
            CLOSED,
            listening());
    var limit = new TimeLimit(END);
    while (!source.heldBeforeSwitchover()) {
      assertThat(limit.lasts()).as("%s", source.outcome()).isTrue();
    }
    assertThat(source.guestRunning()).isTrue();
    assertThat(source.mustFinish()).isFalse();
    assertThat(source.report().status()).isEqualTo("pre-switchover");
    destination.permitSwitchover();
    source.permitSwitchover();
    assertEnded(source, MigrationStatus.COMPLETED);
    assertEnded(destination, MigrationStatus.COMPLETED);
    assertThat(source.heldBeforeSwitchover()).isFalse();
  }

  @Test
  void onlyClosedAddresses_areAllNamedInTheOutcome() throws Exception {
    var other = new InetSocketAddress(LOOPBACK, 10);
    LocalSession source = source(CLOSED, other);
    assertEnded(source, MigrationStatus.FAILED);
    assertThat(source.outcome())
        .startsWith("No destination could be reached at any of the 2 addresses. ")
        .containsSubsequence(LOOPBACK.getHostAddress() + ": ", LOOPBACK.getHostAddress() + ": ");
    assertThat(source.guestRunning()).isTrue();
  }

  @Test
  void aWaitLimit_endsADestinationThatNobodyConnectsTo() throws Exception {
    LocalSession destination = destination(Duration.ofMillis(10));
    assertEnded(destination, MigrationStatus.CANCELLED);
    assertThat(destination.outcome())
        .isEqualTo("No source connected within 10 ms. The guest was not started here.");
  }

  @Test
  void aWaitLimit_doesNotEndAMigrationThatHasBegun() throws Exception {
    LocalSession destination = destination(END);
    LocalSession source = source(listening());
    assertEnded(source, MigrationStatus.COMPLETED);
    assertEnded(destination, MigrationStatus.COMPLETED);
  }

  @Test
  void makeRoom_keepsTheGuestOfASessionThatHasNotEnded() throws Exception {
    LocalSession destination = destination(Duration.ZERO);
    destination.makeRoom();
    LocalSession source = source(listening());
    assertEnded(source, MigrationStatus.COMPLETED);
    assertEnded(destination, MigrationStatus.COMPLETED);
    assertThat(destination.guestRunning()).isTrue();
    destination.makeRoom();
    assertThat(destination.guestRunning()).isFalse();
    assertThat(destination.guestPlace()).startsWith("was shut down later");
    assertThat(destination.outcome()).contains("The guest was shut down later");
  }

  @Test
  void close_cancelsAndWaits_andMayBeRepeated() throws Exception {
    LocalSession destination = destination(Duration.ZERO);
    destination.close();
    assertThat(destination.status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(destination.await(Duration.ZERO)).isTrue();
    destination.close();
    assertThat(destination.mustFinish()).isFalse();
    assertThat(destination.captured()).isEmpty();
  }
}
