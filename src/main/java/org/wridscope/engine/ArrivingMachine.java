// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.Handover;
import org.wridscope.guest.WaitingMachine;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.ControlType;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.OpaqueStreamHandler;
import org.wridscope.stream.OpaqueStreamReader;
import org.wridscope.stream.RamPhase;
import org.wridscope.stream.StreamEnvelope;
import org.wridscope.telemetry.EventKind;

/**
 * A guest that will run in a machine of another process, which loads what follows the RAM.
 *
 * <p>Before the source is asked for the first byte after the RAM, the machine has accepted what
 * comes before it: a QEMU as the source hands its guest over with its last message.
 */
final class ArrivingMachine extends Arrival implements OpaqueStreamHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ArrivingMachine.class);
  private static final int PIECE = 64 << 10;

  private final WaitingMachine guest;
  private @Nullable QemuFileInput input;
  private boolean needsDescription;
  private boolean described;

  ArrivingMachine(DestinationSession session, Connected peer, WaitingMachine guest) {
    super(session, peer);
    this.guest = guest;
  }

  @Override
  void read(QemuFileInput stream) throws IOException {
    input = stream;
    new OpaqueStreamReader(stream).read(this);
    stream.finish();
  }

  @Override
  public void ramBlocks(@Nullable String machineType, List<BlockListing> blocks)
      throws IOException {
    session.telemetry.beginPhase("set-up");
    guest.prepare(blocks);
    expect(guest.ramBlocks());
  }

  @Override
  public void hook(RamPhase phase) throws IOException {
    register(phase);
  }

  @Override
  public void ramComplete(StreamEnvelope envelope) throws IOException {
    session.telemetry.beginPhase("devices");
    needsDescription = envelope.needsDescription();
    waiting("%s to accept the guest", () -> guest.load(envelope, session::tend));
    if (!peer.control().extensions()) {
      session.cancellation.check();
      session.cancellation.close();
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  private void waiting(String phrase, Step step) throws IOException {
    session.telemetry.setWaitingFor(phrase.formatted(guest.machine()));
    try {
      step.run();
    } finally {
      session.telemetry.setWaitingFor(null);
    }
  }

  @Override
  public void tail(InputStream rest) throws IOException {
    if (!peer.control().extensions() && input != null) {
      input.endWithConnection();
    }
    byte[] piece = new byte[PIECE];
    int length;
    while (!described && (length = rest.read(piece)) >= 0) {
      guest.append(piece, 0, length);
      // After the last byte the source does not wait for READY, so none is sent.
      described = rest.available() == 0 && guest.isDescribed();
    }
  }

  @Override
  @Nullable RamDigester load() throws IOException, InterruptedException {
    if (needsDescription && !described) {
      throw new MigrationException(
          "The source disconnected before it had sent the states of all devices; see what it"
              + " reports.");
    }
    if (!peer.control().extensions() && !peer.poller().hasFailed()) {
      // A QEMU whose connection ends before it has ended its migration lets its guest continue.
      waiting(
          "the source to disconnect", () -> session.awaitGoodbye(peer, session.limits.loading()));
    }
    waiting("%s to load the guest", () -> guest.finishLoading(session::tend));
    if (!guest.isCompared() || !peer.control().extensions()) {
      return null;
    }
    RamDigester digester = guest.beginDigest();
    // The guest cannot be made to wait for a digest once it runs.
    try (var worker = new DigestWorker(digester)) {
      peer.poller().await(worker::isDone, "the digests of RAM", session.limits.work());
      var _ = worker.result();
    }
    return digester;
  }

  @Override
  void loaded(Handover handover) throws IOException {
    guest.loaded(handover);
  }

  @Override
  void takeOver() throws IOException {
    // What the source hears meanwhile does not change what is done here.
    new Background("start", guest::start)
        .join(() -> {
          try {
            session.tend();
          } catch (IOException e) {
            LOG.debug("while the guest is started: {}", e.getMessage());
          }
        });
    session.telemetry.event(EventKind.GUEST_RESUMED, 0, 0, 0, 0);
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
  int running() {
    return guest.isCompared() ? 1 : ControlType.RUNNING_UNCOMPARED;
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
    return guest.abandon(described && !peer.control().extensions());
  }
}
