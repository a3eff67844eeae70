// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.wridscope.guest.GuestDevice;
import org.wridscope.guest.Handover;
import org.wridscope.guest.MachineGuest;
import org.wridscope.guest.MemoryHints;
import org.wridscope.memory.Residency;
import org.wridscope.stream.GlobalState;
import org.wridscope.stream.MigrationStreamWriter;
import org.wridscope.telemetry.EventKind;

/** A guest that runs at the source until the switch-over. */
record DepartingGuest(SourceSession session, MachineGuest guest) implements Departure {

  @Override
  public void prepare() {}

  @Override
  public void begin() {
    guest.dirtyLog().start();
    guest.setMemoryHints(session);
  }

  @Override
  public void end(boolean handedOver) {
    guest.setMemoryHints(MemoryHints.NONE);
    guest.dirtyLog().stop();
    if (handedOver) {
      guest.runControl().giveUp();
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
    return true;
  }

  @Override
  public void header(MigrationStreamWriter stream) throws IOException {
    stream.header(guest.machineType());
  }

  @Override
  public long sync(RamSender sender) throws IOException {
    return sender.sync(guest.dirtyLog()::fetchAndClear);
  }

  @Override
  public void pause() {
    session.downtime.begin();
    boolean ran = guest.runControl().take();
    session.telemetry.event(EventKind.GUEST_PAUSED, ran ? 0 : 1, 0, 0, 0);
  }

  @Override
  public void handOver(Handover to) {}

  @Override
  public void rest(MigrationStreamWriter stream) throws IOException {
    for (GuestDevice device : guest.devices()) {
      stream.device(device.name(), device.instance(), device.version(), device.save());
    }
    if (!guest.runControl().ran()) {
      // Not of a guest that ran, so that an older Wridscope can take that.
      stream.device(GlobalState.NAME, 0, GlobalState.VERSION, GlobalState.paused());
    }
    stream.end(stream.vmDescription());
  }

  @Override
  public boolean mustNotRunTwice() {
    return false;
  }

  @Override
  public String place(InetSocketAddress destination) {
    return "";
  }

  @Override
  public String giveBack(boolean handedOver, boolean doubtful) {
    if (handedOver) {
      return "The guest was handed over and is paused here.";
    }
    if (guest.runControl().giveBack()) {
      session.telemetry.event(EventKind.GUEST_RESUMED, 0, 0, 0, 0);
    }
    if (!guest.isRunning()) {
      return doubtful
          ? "The guest is paused here, as it was before; make sure that it does not run at the"
              + " destination before you let it run."
          : "The guest is paused here, as it was before.";
    }
    return doubtful
        ? "The guest keeps running at the source; make sure that it does not run at the"
            + " destination, too."
        : "The guest keeps running at the source.";
  }
}
