// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.time.Duration;
import org.wridscope.TimeLimit;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionsOnDevice;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.VirtioSettings;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.protocol.ControlType;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** An end of a migration in this process. */
final class Participant implements AutoCloseable {
  static final long RAM = 16L << 20;
  private static final DeviceChoice DEVICE = DeviceChoice.of(SessionsOnDevice.NAME);
  private static final Duration LIVES = Duration.ofSeconds(20);
  private static final Duration SLICE = Duration.ofMillis(20);

  private final SessionManager manager;
  private final Trap trap;
  private final Session session;

  private Participant(SessionManager manager, Trap trap, Session session) {
    this.manager = manager;
    this.trap = trap;
    this.session = session;
  }

  static Participant destination(SessionsOnDevice.Opener device, Trap trap, String uri)
      throws Exception {
    SessionManager manager = SessionsOnDevice.open(device);
    return new Participant(
        manager,
        trap,
        endingWithItsSource(
            manager.startDestination(
                new DestinationSettings(uri, DEVICE, GuestSettings.Synthetic.incoming(RAM))
                    .with(MigrationSetting.MONITORED, false))));
  }

  /** Ends a destination that has lost its source and waits for another one, which never comes. */
  static Session endingWithItsSource(Session destination) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            while (!destination.await(SLICE)) {
              if (destination.status() == MigrationStatus.NONE
                  && destination.telemetry().turnedAway().counts().total() > 0) {
                destination.cancel();
              }
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    return destination;
  }

  /** The source of a guest with a light load, mostly of its virtio devices. */
  static Participant source(SessionsOnDevice.Opener device, Trap trap, String uri)
      throws Exception {
    SessionManager manager = SessionsOnDevice.open(device);
    var guest =
        new GuestSettings.Synthetic(
            RAM, 1 << 20, 0, 0.5, 1, new VirtioSettings(100, VirtioFault.NONE));
    return new Participant(
        manager,
        trap,
        manager.startSource(
            new SourceSettings(
                uri,
                DEVICE,
                new MigrationSettings(guest).with(MigrationSetting.MONITORED, false))));
  }

  Role role() {
    return session.role();
  }

  String uri() {
    return session.uri();
  }

  boolean await(Duration limit) throws InterruptedException {
    return session.await(limit);
  }

  boolean hasPosted(ControlType type) {
    return trap.posted().contains(type);
  }

  Trap trap() {
    return trap;
  }

  /** How its session ended. */
  End end() throws InterruptedException {
    return End.of(session);
  }

  /** Waits until the guest of a session completes a request; false after 20 s. */
  static boolean completesRequests(Session session) throws InterruptedException {
    long before = completed(session);
    var limit = new TimeLimit(LIVES);
    while (completed(session) == before && limit.lasts()) {}
    return completed(session) > before;
  }

  private static long completed(Session session) {
    return session.virtio().stream()
        .flatMap(virtio -> virtio.queues().stream())
        .mapToLong(QueueSnapshot::completed)
        .sum();
  }

  @Override
  public void close() {
    manager.close();
  }
}
