// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.wridscope.guest.Handover;
import org.wridscope.guest.SavedGuest;
import org.wridscope.memory.Residency;
import org.wridscope.stream.MigrationStreamWriter;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;

/** A guest in a file; the parts of the stream other than RAM are sent unchanged. */
record DepartingFile(SourceSession session, SavedGuest guest) implements Departure {

  @Override
  public void prepare() throws IOException {
    session.telemetry.beginPhase(Phase.Kind.INDEX);
    session.telemetry.setWaitingFor(new Wait(Wait.Kind.FILE_READ));
    try {
      guest.index(session.cancellation::check);
    } finally {
      session.telemetry.setWaitingFor(null);
    }
    session.telemetry.beginPhase(Phase.Kind.CONNECT);
  }

  @Override
  public void begin() {}

  @Override
  public void end(boolean handedOver) {}

  @Override
  public Residency residency() {
    return guest;
  }

  @Override
  public boolean standsStill() {
    return true;
  }

  @Override
  public boolean hasMarkedEnd() {
    return guest.stream().isDescribed();
  }

  @Override
  public void header(MigrationStreamWriter stream) throws IOException {
    stream.header(guest.stream().envelope());
  }

  @Override
  public long sync(RamSender sender) {
    return sender.remaining();
  }

  @Override
  public void pause() {
    session.downtime.begin();
  }

  @Override
  public void handOver(Handover to) {}

  @Override
  public void rest(MigrationStreamWriter stream) throws IOException {
    stream.rest(guest.stream());
  }

  @Override
  public boolean mustNotRunTwice() {
    return false;
  }

  @Override
  public String place(InetSocketAddress destination) {
    return " %s:%d".formatted(destination.getHostString(), destination.getPort());
  }

  @Override
  public String giveBack(boolean handedOver, boolean doubtful) {
    return handedOver || doubtful
        ? "The guest is in its file as before; make sure that it does not run at the destination."
        : "The guest is in its file as before.";
  }
}
