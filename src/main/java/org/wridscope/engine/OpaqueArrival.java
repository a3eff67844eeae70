// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.OpaqueStreamHandler;
import org.wridscope.stream.OpaqueStreamReader;
import org.wridscope.stream.RamPhase;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;

/** A guest of any machine type: what follows its RAM is passed on without interpreting it. */
abstract sealed class OpaqueArrival extends Arrival implements OpaqueStreamHandler
    permits ArrivingFile, ArrivingMachine {
  private static final int PIECE = 64 << 10;

  private @Nullable QemuFileInput input;

  /** Whether the description of the machine, which ends a stream, has arrived. */
  boolean described;

  OpaqueArrival(DestinationSession session, Connected peer) {
    super(session, peer);
  }

  /** Makes memory ready for the source's RAM; returns the blocks in the same order. */
  abstract List<RamBlock> prepare(List<BlockListing> theirs) throws IOException;

  /** Passes bytes on that follow the RAM. */
  abstract void append(byte[] bytes, int length) throws IOException;

  /** Whether what was appended ends with a description of the machine. */
  abstract boolean endsInDescription() throws IOException;

  @Override
  final void read(QemuFileInput stream) throws IOException {
    input = stream;
    new OpaqueStreamReader(stream).read(this);
    stream.finish();
  }

  @Override
  public final void ramBlocks(@Nullable String machineType, List<BlockListing> blocks)
      throws IOException {
    session.telemetry.beginPhase(Phase.Kind.SET_UP);
    expect(prepare(blocks));
  }

  @Override
  public final void hook(RamPhase phase) throws IOException {
    if (!peer.control().extensions() && !session.pinAll()) {
      peer.poller().advise(DestinationChunks.ADVICE);
    }
    register(phase);
  }

  /**
   * Reads the rest of the stream after the RAM. QEMU disconnects at its end; a Wridscope waits for
   * an answer, and sends only streams with a marked end.
   */
  @Override
  public final void tail(InputStream rest) throws IOException {
    if (!peer.control().extensions() && input != null) {
      input.endWithConnection();
    }
    byte[] piece = new byte[PIECE];
    int length;
    while (!described && (length = rest.read(piece)) >= 0) {
      append(piece, length);
      // After the last byte the source does not wait for READY, so none is sent.
      described = rest.available() == 0 && endsInDescription();
    }
  }

  /**
   * To be called before the source is asked for the first byte after the RAM: without
   * acknowledgements, it hands the guest over with any message from now on.
   */
  final void endCancellation() throws IOException {
    if (!peer.control().extensions()) {
      session.cancellation.check();
      session.cancellation.close();
    }
  }

  /** Waits for QEMU to disconnect, which it does once its last message has been acknowledged. */
  final void awaitQemuToLeave() throws IOException {
    session.waitingFor(
        new Wait(Wait.Kind.SOURCE_TO_LEAVE),
        () -> {
          if (!peer.poller().hasFailed()) {
            session.awaitGoodbye(peer, session.limits.loading());
          }
        });
  }

  static MigrationException cutOff() {
    return new MigrationException(
        "The source disconnected before it had sent the states of all devices; see what it"
            + " reports.");
  }
}
