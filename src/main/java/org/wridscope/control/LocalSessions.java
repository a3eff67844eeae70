// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.account.Account;
import org.wridscope.engine.DestinationSession;
import org.wridscope.engine.MigrationParameters;
import org.wridscope.engine.Preparation;
import org.wridscope.engine.SourceSession;
import org.wridscope.guest.Guest;
import org.wridscope.guest.GuestException;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.stream.Checkpoint;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Automaton;
import org.wridscope.time.Scheduler;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.WireTap;

/** Starts sessions whose engines run in this process. */
public final class LocalSessions implements SessionManager {
  /** The kernel's limit (rdma_ucm), because most pending connections may not be sources. */
  private static final int BACKLOG = 1024;

  private static final MigrationUri ANY_LOOPBACK_PORT = new MigrationUri("127.0.0.1", 0);

  /** The limit of a destination, because only the source decides about the downtime. */
  private static final Duration NO_DOWNTIME_LIMIT = Duration.ofDays(1);

  private final Devices devices;
  private final CaptureFolders captureFolders;
  private final Sampler sampler = new Sampler();
  private final CounterSampler counters = new CounterSampler();
  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  private final AtomicInteger started = new AtomicInteger();
  private final RamPreparation preparation = new RamPreparation();
  private final Guests guests = new Guests();

  /** Uses the devices of this machine and the software device. */
  public LocalSessions() {
    this(new KernelDevices());
  }

  LocalSessions(InstalledDevices installed) {
    this(installed, new CaptureFolders(null));
  }

  /** Also remembers where guests are captured, for {@code doctor}. */
  public LocalSessions(CaptureFolders captureFolders) {
    this(new KernelDevices(), captureFolders);
  }

  private LocalSessions(InstalledDevices installed, CaptureFolders captureFolders) {
    devices = new Devices(installed);
    this.captureFolders = captureFolders;
  }

  /** Selects the device of a session for an address. */
  @FunctionalInterface
  private interface DeviceFor {
    Devices.Selected select(InetSocketAddress address) throws IOException;
  }

  /** Decides when the guest of a destination is prepared. */
  @FunctionalInterface
  private interface Readiness {
    /** What the session is to do for the guest; null if it is prepared. */
    @Nullable Preparation of(Guest guest) throws IOException;
  }

  /** An address of a destination and the device through which it is reached. */
  private record Route(InetSocketAddress address, Devices.Selected selected) {}

  /** A listener and its device. */
  private record Listening(ConnectionListener listener, Devices.Selected selected) {}

  @Override
  public Session startSource(SourceSettings settings) throws IOException {
    MigrationUri uri = parse(settings.uri());
    if (uri.port() == 0) {
      throw new IOException(
          "A source cannot use port 0; write the port on which the destination listens.");
    }
    var routes = new ArrayList<Route>();
    for (InetSocketAddress address : addresses(uri)) {
      routes.add(new Route(address, devices.forReaching(settings.device(), address)));
    }
    GuestSettings guest = settings.migration().guest();
    try (var run = preparation.begin(guest)) {
      Guest booted = guests.boot(guest, this::makeRoom, run::add);
      makeRoom();
      return startSource("source " + started.incrementAndGet(), settings, booted, routes);
    }
  }

  @Override
  public Session startDestination(DestinationSettings settings) throws IOException {
    try (var run = preparation.begin(settings.guest())) {
      return startDestination(settings, guest -> prepare(guest, run));
    }
  }

  @Override
  public Session openDestination(DestinationSettings settings) throws IOException {
    return startDestination(
        settings,
        guest ->
            pieces -> {
              try (var run = preparation.begin(settings.guest())) {
                prepare(guest, run, pieces);
              }
            });
  }

  private Session startDestination(DestinationSettings settings, Readiness readiness)
      throws IOException {
    if (settings.guest() instanceof GuestSettings.Capture capture) {
      captureFolders.add(capture.out().path());
    }
    return startDestination(
        "destination " + started.incrementAndGet(),
        settings,
        address -> devices.forListening(settings.device(), address),
        readiness,
        DestinationSession.Admission.FIRST_WITH_RAM);
  }

  /** Prepares a guest now, so that its session need not. */
  private static @Nullable Preparation prepare(Guest guest, RamPreparation.Run run)
      throws GuestException {
    guest.prepare(run::add);
    return null;
  }

  private static void prepare(Guest guest, RamPreparation.Run run, Checkpoint pieces)
      throws GuestException {
    guest.prepare(bytes -> {
      run.add(bytes);
      try {
        pieces.pass();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  @Override
  public void tap(WireTap tap) {
    devices.tap(tap);
  }

  @Override
  public Lab startLab(LabSettings settings) throws IOException {
    var device = new Devices.Selected(devices.lab(), "the software device, within this process");
    return startLab(
        "lab " + started.incrementAndGet(), settings, settings.destinationGuest(), device, device);
  }

  @Override
  public Lab startLab(LabSettings settings, LabFaults faults) throws IOException {
    String name = faults.devices();
    Devices.Ends ends = devices.ends(name);
    for (Session session : sessions) {
      if (session.device().equals(ends.source().name()) && !session.status().isEnd()) {
        throw new IOException(
            "%s is still running with the same devices; wait for its end, or cancel it."
                .formatted(session.name()));
      }
    }
    var sourceFaults = new ObservedFaults(faults.source());
    var destinationFaults = new ObservedFaults(faults.destination());
    ends.source().setFaultPlan(sourceFaults);
    ends.destination().setFaultPlan(destinationFaults);
    String reason = "the lab's own software device";
    Lab lab =
        startLab(
            name + " " + started.incrementAndGet(),
            settings.with(MigrationSetting.RELEASE, faults.release()),
            faults.destinationGuest(),
            new Devices.Selected(ends.source(), reason),
            new Devices.Selected(ends.destination(), reason));
    sourceFaults.tell(lab.source());
    destinationFaults.tell(lab.destination());
    letBeKilled(lab, name, ends);
    return lab;
  }

  /** Under a schedule, the process of an end may be killed, and others may answer for it. */
  private void letBeKilled(Lab lab, String devicesName, Devices.Ends ends) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler != null
        && lab.source() instanceof LocalSession source
        && lab.destination() instanceof LocalSession destination) {
      List<Automaton> rare = new ArrayList<>();
      rare.add(new KillableEnd(source, () -> vanish(ends.source(), devicesName)));
      var killable = new KillableEnd(destination, () -> vanish(ends.destination(), devicesName));
      rare.add(killable);
      rare.add(new Liar(destination, ends.fabric(), killable::kill, ends.destination()::cutAll));
      rare.forEach(scheduler::add);
      source.atEnd(() -> scheduler.remove(rare.getFirst()));
      destination.atEnd(() -> rare.stream().skip(1).forEach(scheduler::remove));
    }
  }

  private void vanish(SoftDevice device, String devicesName) {
    device.fail();
    devices.replace(devicesName);
  }

  private Lab startLab(
      String name,
      LabSettings settings,
      GuestSettings destinationGuest,
      Devices.Selected sourceDevice,
      Devices.Selected destinationDevice)
      throws IOException {
    try (var run = preparation.begin(settings.guest(), destinationGuest)) {
      return startBothEnds(name, settings, destinationGuest, sourceDevice, destinationDevice, run);
    }
  }

  private Lab startBothEnds(
      String name,
      LabSettings settings,
      GuestSettings destinationGuest,
      Devices.Selected sourceDevice,
      Devices.Selected destinationDevice,
      RamPreparation.Run run)
      throws IOException {
    var software = new DeviceChoice.Software();
    Guest guest = guests.boot(settings.guest(), this::makeRoom, run::add);
    Session destination;
    try {
      destination =
          startDestination(
              name + " destination",
              new DestinationSettings(
                  ANY_LOOPBACK_PORT.toString(),
                  software,
                  destinationGuest,
                  settings
                      .migration()
                      .settings()
                      .only(setting -> !setting.isOfSource())
                      .with(MigrationSetting.TIMEOUT, Duration.ZERO),
                  List.of()),
              _ -> destinationDevice,
              prepared -> prepare(prepared, run),
              DestinationSession.Admission.FIRST);
    } catch (IOException | RuntimeException e) {
      guest.close();
      throw e;
    }
    try {
      Session source =
          startSource(
              name + " source",
              new SourceSettings(destination.uri(), software, settings.migration()),
              guest,
              addresses(parse(destination.uri())).stream()
                  .map(address -> new Route(address, sourceDevice))
                  .toList());
      return new Lab(source, destination);
    } catch (IOException | RuntimeException e) {
      remove(destination);
      throw e;
    }
  }

  @Override
  public List<Session> startQemuMigration(QemuMigrationSettings settings) {
    String name = "QEMU " + started.incrementAndGet();
    var run = new QemuMigrationRun(name, settings, sampler);
    List<Session> ends = List.copyOf(run.sessions());
    sessions.addAll(ends);
    run.start(name);
    return ends;
  }

  @Override
  public void add(Session session) {
    sessions.add(session);
  }

  /** Takes ownership of the guest, and closes it if the start fails. */
  private Session startSource(String name, SourceSettings settings, Guest guest, List<Route> routes)
      throws GuestException {
    try {
      MigrationSettings migration = settings.migration();
      var sessionGuest = new SessionGuest(guest, migration.guest().qmp());
      var telemetry =
          new SessionTelemetry(
              Role.SOURCE, migration.get(MigrationSetting.MONITORED), Account::new);
      if (migration.get(MigrationSetting.PAUSED) && sessionGuest.stop()) {
        telemetry.operated(OperatorAct.PAUSED);
      }
      var parameters = new MigrationParameters(migration.settings());
      List<LocalSession.Attempt> attempts =
          routes.stream()
              .map(route ->
                  new LocalSession.Attempt(
                      route.address(),
                      route.selected(),
                      new SourceSession(
                          route.selected().device(),
                          route.address(),
                          guest,
                          parameters,
                          telemetry)))
              .toList();
      return start(
          new LocalSession(
              name, settings.uri(), sessionGuest, parameters, attempts, Duration.ZERO, sampler));
    } catch (GuestException | RuntimeException e) {
      guest.close();
      throw e;
    }
  }

  private Session startDestination(
      String name,
      DestinationSettings settings,
      DeviceFor deviceFor,
      Readiness readiness,
      DestinationSession.Admission admission)
      throws IOException {
    MigrationUri uri = parse(settings.uri());
    Listening listening = listen(uri, deviceFor, settings::admits);
    ConnectionListener listener = listening.listener();
    try {
      var parameters =
          new MigrationParameters(
              settings
                  .settings()
                  .only(setting -> !setting.isOfSource())
                  .with(MigrationSetting.TIMEOUT, Duration.ZERO)
                  .with(MigrationSetting.DOWNTIME_LIMIT, NO_DOWNTIME_LIMIT));
      var telemetry =
          new SessionTelemetry(
              Role.DESTINATION, settings.get(MigrationSetting.MONITORED), Account::new);
      Guest guest = guests.incoming(settings.guest());
      // Its memory is allocated later.
      makeRoom();
      var engine =
          new DestinationSession(
              listening.selected().device(),
              listener,
              guest,
              parameters,
              telemetry,
              prepared(guest, readiness),
              admission);
      InetSocketAddress bound = listener.localAddress();
      return start(
          new LocalSession(
              name,
              new MigrationUri(uri.host(), bound.getPort()).toString(),
              new SessionGuest(guest, settings.guest().qmp()),
              parameters,
              List.of(new LocalSession.Attempt(bound, listening.selected(), engine)),
              settings.get(MigrationSetting.TIMEOUT),
              sampler));
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
  }

  /** Closes the guest if it cannot be prepared. */
  private static @Nullable Preparation prepared(Guest guest, Readiness readiness)
      throws IOException {
    try {
      return readiness.of(guest);
    } catch (IOException | RuntimeException | Error e) {
      guest.close();
      throw e;
    }
  }

  /** Listens on the first usable address of a host name, as QEMU does. */
  private static Listening listen(
      MigrationUri uri, DeviceFor deviceFor, Predicate<InetAddress> admitted) throws IOException {
    var failures = new ArrayList<IOException>();
    for (InetSocketAddress address : addresses(uri)) {
      try {
        Devices.Selected selected = deviceFor.select(address);
        return new Listening(selected.device().listen(address, BACKLOG, admitted), selected);
      } catch (IOException e) {
        failures.add(e);
      }
    }
    if (failures.size() == 1) {
      throw failures.getFirst();
    }
    throw new IOException(
        "Cannot listen on any of the %d addresses of '%s': %s"
            .formatted(
                failures.size(),
                uri.host(),
                String.join(" ", failures.stream().map(IOException::getMessage).toList())));
  }

  /**
   * Shuts down guests that still run after their migrations, before memory is allocated for another
   * guest.
   */
  private void makeRoom() {
    for (Session session : sessions) {
      if (session instanceof LocalSession local) {
        local.makeRoom();
      }
    }
  }

  private Session start(LocalSession session) {
    sessions.add(session);
    session.start(counters);
    return session;
  }

  private static MigrationUri parse(String uri) throws IOException {
    try {
      return MigrationUri.parse(uri);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static List<InetSocketAddress> addresses(MigrationUri uri) throws IOException {
    try {
      return Stream.of(InetAddress.getAllByName(uri.host()))
          .map(address -> new InetSocketAddress(address, uri.port()))
          .toList();
    } catch (UnknownHostException e) {
      throw new IOException(
          "The host name '%s' cannot be resolved; check the spelling.".formatted(uri.host()), e);
    }
  }

  @Override
  public RamProgress ramProgress() {
    return preparation.now();
  }

  @Override
  public RamProgress ramProgress(Thread starter) {
    return preparation.now(starter);
  }

  @Override
  public List<Session> sessions() {
    return List.copyOf(sessions);
  }

  @Override
  public void remove(Session ended) {
    ended.close();
    sessions.remove(ended);
    ended.telemetry().log().leaveBudget();
  }

  @Override
  public void expectMigration() {
    Practice.begin();
  }

  @Override
  public void expectQemu() {
    guests.expectQemu();
  }

  @Override
  public DeviceListing devices() throws IOException {
    return devices.list();
  }

  @Override
  public void sample() {
    sampler.sample();
  }

  @Override
  public void close() {
    sessions.forEach(Session::leave);
    sessions.forEach(Session::close);
    guests.close();
    counters.close();
    sampler.close();
    devices.close();
  }
}
