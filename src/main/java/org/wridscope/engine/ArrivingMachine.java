// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.WaitingMachine;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.ControlType;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.StreamEnvelope;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;

/**
 * A guest that will run in a machine of another process, which loads what follows the RAM.
 *
 * <p>Before the source is asked for the first byte after the RAM, the machine has accepted what
 * comes before it: a QEMU as the source hands its guest over with its last message.
 */
final class ArrivingMachine extends OpaqueArrival {
  private final WaitingMachine guest;

  /** What the stream began with; null until the source may hand its guest over. */
  private @Nullable StreamEnvelope begun;

  ArrivingMachine(DestinationSession session, Connected peer, WaitingMachine guest) {
    super(session, peer);
    this.guest = guest;
  }

  @Override
  List<RamBlock> prepare(List<BlockListing> theirs) throws IOException {
    session.work(
        new Wait(Wait.Kind.MACHINE_SHARE, guest.machine()),
        () -> {
          guest.prepare(theirs, peer.endpoint().pinsMemory());
          if (peer.control().extensions()) {
            guest.connected(session.handover());
          }
        });
    return guest.ramBlocks();
  }

  @Override
  boolean letGo(boolean writable) throws IOException {
    if (!writable) {
      guest.release();
    }
    // What a machine has in its RAM before a guest arrives is not known.
    return !writable;
  }

  @Override
  void append(byte[] bytes, int length) throws IOException {
    guest.append(bytes, 0, length);
  }

  @Override
  boolean endsInDescription() throws IOException {
    return guest.isDescribed();
  }

  @Override
  public void ramComplete(StreamEnvelope envelope) throws IOException {
    session.telemetry.beginPhase(Phase.Kind.DEVICES);
    session.waitingFor(
        new Wait(Wait.Kind.MACHINE_ACCEPT, guest.machine()),
        () -> guest.load(envelope, session::tend));
    endCancellation();
    begun = envelope;
  }

  /**
   * Whether all of the guest may have arrived: the end of an old machine's stream is not marked.
   */
  private boolean mayBeWhole() {
    StreamEnvelope known = begun;
    return known != null && (described || !known.needsDescription());
  }

  @Override
  @Nullable RamDigester load() throws IOException, InterruptedException {
    if (!mayBeWhole()) {
      throw cutOff();
    }
    if (!peer.control().extensions()) {
      // A QEMU whose connection ends before it has ended its migration lets its guest continue.
      awaitQemuToLeave();
    }
    session.waitingFor(
        new Wait(Wait.Kind.MACHINE_LOAD, guest.machine()),
        () -> guest.finishLoading(session::tend));
    if (!guest.isCompared() || !peer.control().extensions()) {
      return null;
    }
    RamDigester digester = guest.beginDigest();
    // The guest cannot be made to wait for a digest once it runs.
    try (var worker = new DigestWorker(digester)) {
      peer.poller().await(worker::isDone, new Wait(Wait.Kind.DIGESTS), session.limits.work());
      var _ = worker.result();
    }
    return digester;
  }

  @Override
  void loaded() throws IOException {
    session.work(new Wait(Wait.Kind.GUARD, guest.machine()), guest::loaded);
  }

  @Override
  void takeOver() throws IOException {
    session.workRegardless(new Wait(Wait.Kind.MACHINE_START, guest.machine()), guest::start);
    if (guest.isRunning()) {
      session.telemetry.event(EventKind.GUEST_RESUMED, 0, 0, 0, 0);
    }
  }

  @Override
  boolean hasTakenOver() {
    return guest.hasStarted();
  }

  @Override
  boolean isDoubtful() {
    return guest.isDoubtful();
  }

  @Override
  void leaveAnswers() {
    guest.leaveAnswers();
  }

  @Override
  int running() {
    if (guest.isRunning()) {
      return guest.isCompared() ? 1 : ControlType.RUNNING_UNCOMPARED;
    }
    return guest.isCompared() ? ControlType.TAKEN_OVER_PAUSED : ControlType.PAUSED_UNCOMPARED;
  }

  @Override
  String achieved() {
    return guest.isRunning()
        ? "The guest runs in %s.".formatted(guest.machine())
        : "The guest is in %s, paused as it was at the source.".formatted(guest.machine());
  }

  @Override
  String giveBack(boolean takenOver) {
    // A source without acknowledgements has handed the guest over with its last message.
    return guest.abandon(mayBeWhole() && !peer.control().extensions());
  }
}
