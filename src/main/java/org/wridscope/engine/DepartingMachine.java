// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.wridscope.guest.Handover;
import org.wridscope.guest.RunningMachine;
import org.wridscope.memory.Residency;
import org.wridscope.stream.MigrationStreamWriter;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;

/** A guest that runs in another process until the switch-over. */
record DepartingMachine(SourceSession session, RunningMachine guest) implements Departure {

  @Override
  public void prepare() throws IOException {
    session.telemetry.beginPhase(Phase.Kind.ATTACH);
    session.waitingFor(
        new Wait(Wait.Kind.MACHINE_ATTACH, guest.machine()), () -> guest.attach(session::tend));
    session.telemetry.beginPhase(Phase.Kind.CONNECT);
  }

  @Override
  public void begin() throws IOException {
    new Background("dirty log", guest::track).join(session::tend);
  }

  @Override
  public void end(boolean handedOver) {
    guest.endTracking();
    if (handedOver) {
      guest.release(!session.isUndecided());
    }
  }

  @Override
  public Residency residency() {
    return Residency.ALWAYS;
  }

  @Override
  public boolean standsStill() {
    return false;
  }

  @Override
  public boolean hasMarkedEnd() {
    return guest.envelope().needsDescription();
  }

  @Override
  public void header(MigrationStreamWriter stream) throws IOException {
    stream.header(guest.envelope());
  }

  @Override
  public long sync(RamSender sender) throws IOException {
    return sender.sync(
        into -> new Background("dirty log", () -> guest.collect(into)).join(session::tend));
  }

  @Override
  public void pause() throws IOException {
    session.waitingFor(
        new Wait(Wait.Kind.MACHINE_STOP, guest.machine()),
        () -> guest.stop(this::stopped, session::tend));
  }

  private void stopped() {
    session.downtime.begin();
    session.telemetry.event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
  }

  @Override
  public void handOver(Handover to) throws IOException {
    session.workRegardless(new Wait(Wait.Kind.GUARD, guest.machine()), () -> guest.handOver(to));
  }

  @Override
  public void handedOver() {
    guest.handedOver();
  }

  @Override
  public void rest(MigrationStreamWriter stream) throws IOException {
    stream.rest(guest.rest());
  }

  @Override
  public boolean mustNotRunTwice() {
    return true;
  }

  @Override
  public String place(InetSocketAddress destination) {
    return " at %s:%d".formatted(destination.getHostString(), destination.getPort());
  }

  @Override
  public String giveBack(boolean handedOver, boolean doubtful) {
    if (handedOver) {
      guest.release(!session.isUndecided());
      return "The guest was handed over and is paused in %s.".formatted(guest.machine());
    }
    try {
      guest.giveBack();
    } catch (IOException e) {
      return MigrationSession.sentence(e);
    }
    if (!guest.isReached()) {
      return "The guest was not touched.";
    }
    if (!guest.isRunning()) {
      return guest.wasRunning()
          ? "The guest is paused in %s, though not by Wridscope.".formatted(guest.machine())
          : "The guest is paused in %s, as it was before.".formatted(guest.machine());
    }
    session.telemetry.event(EventKind.GUEST_RESUMED, 0, 0, 0, 0);
    return "The guest keeps running in %s.".formatted(guest.machine());
  }
}
