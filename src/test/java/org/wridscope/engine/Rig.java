// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.account.Account;
import org.wridscope.guest.Guest;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftFabric;
import org.wridscope.verbs.soft.SoftNetwork;

/**
 * A source and a destination on two software devices, each session on a thread of its own. The
 * devices reach each other within the process, or over loopback TCP if {@link OverTcp} is on. In a
 * class that is {@link UnderSchedule}, all of it is.
 */
final class Rig implements AutoCloseable {
  /** Longer than any wait of the engine that a test provokes. */
  static final Duration END = Duration.ofSeconds(60);

  /** For inquiries that are answered at once, on a loaded machine. */
  static final Limits SHORT_INQUIRY = inquiry(Duration.ofSeconds(3));

  /** For peers that never inquire, and never answer an inquiry. */
  static final Limits NO_INQUIRY = inquiry(Duration.ofMillis(20));

  /** How long a thread may take to end after its work. */
  private static final Duration LEAVING = Duration.ofSeconds(5);

  /** Between two checks of a condition for which there is no event. */
  private static final Duration GLANCE = Duration.ofMillis(1);

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final String name = "rig" + NUMBER.incrementAndGet();
  private final Limits limits;
  private final int backlog;
  private final SoftFabric fabric = new SoftFabric();
  final SoftDevice sourceDevice = open("-source-device");
  final SoftDevice destinationDevice = open("-destination-device");
  private ConnectionListener listener;
  private boolean monitored;

  Rig() throws IOException {
    this(Limits.DEFAULT);
  }

  Rig(Limits limits) throws IOException {
    this(limits, 5);
  }

  Rig(Limits limits, int backlog) throws IOException {
    this.limits = limits;
    this.backlog = backlog;
    listener = listen();
  }

  private SoftDevice open(String role) throws IOException {
    return OverTcp.isOn() ? SoftNetwork.open(name + role) : fabric.open(name + role);
  }

  /** Makes its sessions keep events, which takes memory. */
  Rig monitored() {
    monitored = true;
    return this;
  }

  /**
   * Makes a device fail, as one that is torn out, while the source posts a request.
   *
   * @param end whose device it is
   * @param request its number, from 0
   */
  void tearOut(Role end, long request) {
    SoftDevice device = end == Role.SOURCE ? sourceDevice : destinationDevice;
    sourceDevice.setFaultPlan((_, ordinal, _, _) -> {
      if (ordinal == request) {
        Time.start(name + "-tear-out", device::fail);
        return new Fault.Delay(20_000_000);
      }
      return Fault.PROCEED;
    });
  }

  /** The default limits with another one for inquiries. */
  static Limits inquiry(Duration inquiry) {
    Limits limits = Limits.DEFAULT;
    return new Limits(
        limits.connect(),
        limits.answer(),
        limits.work(),
        limits.goodbye(),
        inquiry,
        limits.heartbeat(),
        limits.silence());
  }

  private ConnectionListener listen() throws IOException {
    return destinationDevice.listen(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), backlog);
  }

  /** Listens again, since a destination's session closes its listener. */
  void listenAgain() throws IOException {
    listener.close();
    listener = listen();
  }

  ConnectionListener listener() {
    return listener;
  }

  /** Where the destination listens. */
  InetSocketAddress address() {
    return listener.localAddress();
  }

  static MigrationParameters parameters(boolean pinAll, boolean extensions) {
    return parameters(pinAll, extensions, Duration.ofMillis(300));
  }

  static MigrationParameters parameters(
      boolean pinAll, boolean extensions, Duration downtimeLimit) {
    return new MigrationParameters(
            Settings.USUAL
                .with(MigrationSetting.PIN_ALL, pinAll)
                .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45))
                .with(MigrationSetting.DOWNTIME_LIMIT, downtimeLimit))
        .extending(extensions);
  }

  /** Parameters of a source that waits for permission to switch over. */
  static MigrationParameters held(boolean extensions) {
    return new MigrationParameters(
            Settings.USUAL
                .with(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true)
                .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45)))
        .extending(extensions);
  }

  /** Parameters with which registrations are deregistered as soon as possible. */
  static MigrationParameters unregistering(boolean extensions) {
    return unregistering(extensions, Duration.ofMillis(300));
  }

  static MigrationParameters unregistering(boolean extensions, Duration downtimeLimit) {
    return new MigrationParameters(
            Settings.USUAL
                .with(MigrationSetting.UNREGISTER, true)
                .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45))
                .with(MigrationSetting.DOWNTIME_LIMIT, downtimeLimit))
        .extending(extensions);
  }

  SourceSession source(Guest guest, MigrationParameters parameters) {
    return new SourceSession(
        sourceDevice,
        address(),
        guest,
        parameters,
        new SessionTelemetry(Role.SOURCE, monitored, Account::new),
        limits);
  }

  DestinationSession destination(Guest guest, MigrationParameters parameters) {
    return destination(guest, parameters, null);
  }

  DestinationSession destination(
      Guest guest, MigrationParameters parameters, @Nullable Preparation preparation) {
    return new DestinationSession(
        destinationDevice,
        listener,
        guest,
        parameters,
        new SessionTelemetry(Role.DESTINATION, monitored, Account::new),
        preparation,
        limits);
  }

  /** A destination that continues to listen after callers that send no RAM. */
  DestinationSession listening(Guest guest, MigrationParameters parameters) {
    return new DestinationSession(
        destinationDevice,
        listener,
        guest,
        parameters,
        new SessionTelemetry(Role.DESTINATION, monitored, Account::new),
        null,
        DestinationSession.Admission.FIRST_WITH_RAM,
        limits);
  }

  /** Starts a session. */
  Thread start(MigrationSession session) {
    String role = session.telemetry().role().text();
    return Time.start(name + "-" + role, session::run);
  }

  /** Waits for a session that was started. */
  static void join(Thread thread, MigrationSession session) throws InterruptedException {
    assertThat(Time.join(thread, END.toNanos()))
        .as(
            "%s has ended; it waits for %s, at %s",
            thread.getName(),
            session.telemetry().waitingFor(),
            Arrays.toString(thread.getStackTrace()))
        .isTrue();
    assertEnded(session);
  }

  /** Checks what is true of every session that has ended. */
  static void assertEnded(MigrationSession session) {
    MigrationStatus status = session.telemetry().status();
    assertThat(status.isEnd()).as("%s is an end", status).isTrue();
    assertThat(session.outcome())
        .isNotNull()
        .matches("(?![a-z]+ )[^\\p{Cntrl}]+[.]")
        .doesNotContain("This program made an error", "Exception", "null");
  }

  /** Runs both to their ends. */
  void run(SourceSession source, DestinationSession destination) throws InterruptedException {
    Thread there = start(destination);
    Thread here = start(source);
    join(here, source);
    join(there, destination);
  }

  /** Runs a session and its scripted peer, which is on the calling thread, to their ends. */
  void run(MigrationSession session, ScriptedPeer peer) throws IOException, InterruptedException {
    Thread there = start(session);
    peer.run();
    join(there, session);
  }

  static void assertCompleted(MigrationSession... sessions) {
    for (MigrationSession session : sessions) {
      assertThat(session.telemetry().status())
          .as(session.outcome())
          .isEqualTo(MigrationStatus.COMPLETED);
    }
  }

  /** Checks that the guest is where a session claims, which its memory is released after. */
  static void assertCustody(Custody custody, BlockGuest own, BlockGuest other) {
    switch (custody) {
      case HERE -> assertThat(own.isRunning()).as("%s", custody).isTrue();
      case ELSEWHERE -> {
        assertThat(own.isRunning()).as("%s", custody).isFalse();
        assertThat(other.isRunning()).as("%s", custody).isTrue();
      }
      case IN_DOUBT -> {}
    }
  }

  /** Waits until a condition holds for which there is no event. */
  static void await(BooleanSupplier condition, Supplier<String> otherwise)
      throws InterruptedException {
    long end = Time.nanos() + END.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(end - Time.nanos()).as(otherwise.get()).isPositive();
      Time.sleep(GLANCE);
    }
  }

  /** Closes the devices, which fails if a session did not destroy all verbs objects. */
  @Override
  public void close() throws IOException {
    listener.close();
    sourceDevice.close();
    destinationDevice.close();
    // A thread ends a moment after it has said that its work is done.
    long end = Time.nanos() + LEAVING.toNanos();
    while (!threads().isEmpty() && Time.nanos() < end) {
      Time.letOthersRun();
    }
    assertThat(threads()).as("threads left").isEmpty();
  }

  private List<String> threads() {
    Scheduler scheduler = Scheduler.current();
    Stream<String> all =
        scheduler == null
            ? Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
            : scheduler.threads().stream();
    return all.filter(thread -> thread.startsWith(name + "-")).toList();
  }
}
