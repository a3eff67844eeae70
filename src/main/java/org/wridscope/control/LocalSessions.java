// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.engine.DestinationSession;
import org.wridscope.engine.MigrationParameters;
import org.wridscope.engine.SourceSession;
import org.wridscope.guest.Guest;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.soft.SoftFabric;

/** Sessions on the embedded software device, their engines in this process. */
public final class LocalSessions implements SessionManager {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSessions.class);
  private static final int BACKLOG = 5;
  private static final MigrationUri ANY_LOOPBACK_PORT = new MigrationUri("127.0.0.1", 0);

  /** A destination takes what the source decides about. */
  private static final Duration NO_DOWNTIME_LIMIT = Duration.ofDays(1);

  private final RdmaDevice device = new SoftFabric().open("soft0");
  private final Sampler sampler = new Sampler();
  private final List<LocalSession> sessions = new CopyOnWriteArrayList<>();
  private final AtomicInteger started = new AtomicInteger();

  @Override
  public Session startSource(SourceSettings settings) throws IOException {
    address(settings.uri());
    return startSource(
        "source " + started.incrementAndGet(), settings, Guests.boot(settings.guest()));
  }

  @Override
  public Session startDestination(DestinationSettings settings) throws IOException {
    return startDestination("destination " + started.incrementAndGet(), settings);
  }

  @Override
  public Lab startLab(LabSettings settings) throws IOException {
    String name = "lab " + started.incrementAndGet();
    Guest guest = Guests.boot(settings.guest());
    Session destination;
    try {
      destination =
          startDestination(
              name + " destination",
              new DestinationSettings(
                  ANY_LOOPBACK_PORT.toString(), settings.guest(), settings.monitored()));
    } catch (IOException | RuntimeException e) {
      guest.close();
      throw e;
    }
    try {
      Session source =
          startSource(
              name + " source",
              new SourceSettings(
                  destination.uri(),
                  settings.guest(),
                  settings.pinAll(),
                  settings.bandwidthLimit(),
                  settings.downtimeLimit(),
                  settings.timeout(),
                  settings.monitored()),
              guest);
      return new Lab(source, destination);
    } catch (IOException | RuntimeException e) {
      remove(destination);
      throw e;
    }
  }

  /** Takes over the guest, and closes it when this fails. */
  private Session startSource(String name, SourceSettings settings, Guest guest)
      throws IOException {
    try {
      var parameters =
          new MigrationParameters(
              settings.pinAll(),
              true,
              settings.timeout(),
              settings.bandwidthLimit(),
              settings.downtimeLimit());
      var telemetry = new SessionTelemetry(Role.SOURCE, settings.monitored());
      var engine = new SourceSession(device, address(settings.uri()), guest, parameters, telemetry);
      return start(
          new LocalSession(
              name, settings.uri(), device.name(), guest, parameters, engine, sampler));
    } catch (IOException | RuntimeException e) {
      guest.close();
      throw e;
    }
  }

  private Session startDestination(String name, DestinationSettings settings) throws IOException {
    ConnectionListener listener = device.listen(address(settings.uri()), BACKLOG);
    try {
      var parameters = new MigrationParameters(false, true, Duration.ZERO, 0, NO_DOWNTIME_LIMIT);
      var telemetry = new SessionTelemetry(Role.DESTINATION, settings.monitored());
      Guest guest = Guests.incoming(settings.guest());
      var engine = new DestinationSession(device, listener, guest, parameters, telemetry);
      String host = MigrationUri.parse(settings.uri()).host();
      String bound = new MigrationUri(host, listener.localAddress().getPort()).toString();
      return start(
          new LocalSession(name, bound, device.name(), guest, parameters, engine, sampler));
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
  }

  private Session start(LocalSession session) {
    sessions.add(session);
    session.start();
    return session;
  }

  private static InetSocketAddress address(String uri) throws IOException {
    MigrationUri parsed;
    try {
      parsed = MigrationUri.parse(uri);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
    var address = new InetSocketAddress(parsed.host(), parsed.port());
    if (address.isUnresolved()) {
      throw new IOException("The host '%s' is not known; check its name.".formatted(parsed.host()));
    }
    return address;
  }

  @Override
  public List<Session> sessions() {
    return List.copyOf(sessions);
  }

  @Override
  public void remove(Session ended) {
    ended.close();
    sessions.remove(ended);
  }

  @Override
  public List<String> devices() {
    return List.of(device.name());
  }

  @Override
  public void close() {
    sessions.forEach(Session::cancel);
    sessions.forEach(LocalSession::close);
    sampler.close();
    try {
      device.close();
    } catch (IOException e) {
      LOG.warn("{}", e.getMessage(), e);
    }
  }
}
