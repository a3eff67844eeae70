// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.DiskFull;
import org.wridscope.memory.RamDigester;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.OpaqueStreamHandler;
import org.wridscope.stream.OpaqueStreamReader;
import org.wridscope.stream.RamPhase;
import org.wridscope.stream.StreamEnvelope;

/**
 * A guest that is kept in a file, whatever machine it belongs to.
 *
 * <p>A QEMU has given its guest up as soon as its last message has arrived, without asking. So all
 * RAM is on the storage device before the source is asked for the first byte behind it: whatever
 * fails up to then, such as a full disk, leaves the guest running there. From then on there is no
 * cancelling, for a message that is on its way may be the last; what may be the whole guest is
 * never deleted; and a disk without room is waited for without a limit, since somebody can make
 * room.
 */
final class ArrivingFile extends Arrival implements OpaqueStreamHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ArrivingFile.class);
  private static final int PIECE = 64 << 10;
  private static final String DEVICE_STATES = "the guest's device states";
  private static final String NAME = "the name of the guest's file";

  /** How long it takes until a disk that had no room is tried again. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private static final Duration SLICE = Duration.ofMillis(50);

  private final CapturedGuest guest;
  private @Nullable QemuFileInput input;
  private boolean asked;
  private boolean diskBroken;
  private boolean interrupted;
  private boolean described;

  ArrivingFile(DestinationSession session, Connected peer, CapturedGuest guest) {
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
    session.telemetry.beginPhase("write");
    try {
      session.telemetry.setWaitingFor("RAM to be written to the file");
      guest.writeRam(envelope, this::tend);
      force();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MigrationSession.interrupted(e);
    } finally {
      session.telemetry.setWaitingFor(null);
    }
    if (!peer.control().extensions()) {
      session.cancellation.check();
      session.cancellation.close();
    }
    asked = true;
    session.telemetry.beginPhase("devices");
  }

  private void tend() throws IOException {
    try {
      peer.poller().tend();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MigrationSession.interrupted(e);
    }
  }

  private void force() throws IOException, InterruptedException {
    var work = new Background("fsync", guest::force);
    peer.poller().await(work::isDone, "the file to be on the disk", Limits.OWN);
    work.join();
  }

  /** A QEMU disconnects once it knows that its last message has arrived, and not before. */
  private void awaitQemuToLeave() {
    session.telemetry.setWaitingFor("the source to disconnect");
    if (!peer.poller().hasFailed()) {
      session.awaitGoodbye(peer, session.limits.loading());
    }
    session.telemetry.setWaitingFor(null);
  }

  /**
   * Reads what follows the RAM. A QEMU disconnects behind it; a Wridscope waits for an answer, and
   * sends only streams whose end can be told.
   */
  @Override
  public void tail(InputStream rest) throws IOException {
    if (!peer.control().extensions() && input != null) {
      input.endWithConnection();
    }
    byte[] piece = new byte[PIECE];
    int length;
    while (!described && (length = rest.read(piece)) >= 0) {
      guest.append(piece, 0, length);
      insist(DEVICE_STATES, guest::write);
      // Whoever has sent everything wants no READY, and a QEMU does not wait for one.
      described = rest.available() == 0 && guest.isDescribed();
    }
  }

  @Override
  RamDigester load() throws IOException, InterruptedException {
    if (!isWhole()) {
      throw new MigrationException(
          "The source disconnected before it had sent the states of all its devices; see what it"
              + " reports.");
    }
    if (peer.control().extensions()) {
      force();
    } else {
      // The source is done with it: nothing that happens to the connection matters any more.
      guest.keep();
      session.telemetry.setWaitingFor("the guest to be on the disk");
      insist(DEVICE_STATES, guest::force);
      insist(NAME, guest::markComplete);
      awaitQemuToLeave();
    }
    return guest.beginDigest();
  }

  /** Whether the source has given the guest up, or may do so without asking. */
  private boolean isIrrevocable() {
    return guest.isKept() || (asked && !peer.control().extensions());
  }

  /**
   * Does something on the disk that can be repeated. Once the source may have given the guest up,
   * it is repeated for as long as the disk has no room; nothing else ends it than another error,
   * after which what is there is kept.
   *
   * @param what needs the room, a phrase
   */
  private void insist(String what, Background.Work work) throws IOException {
    boolean waited = false;
    try {
      while (true) {
        try {
          // On a thread that nobody interrupts, for that would close the file.
          new Background("disk", work).join();
          return;
        } catch (IOException e) {
          String full = DiskFull.reason(e);
          if (!isIrrevocable() || full == null) {
            diskBroken = true;
            throw e;
          }
          if (!waited) {
            waited = true;
            LOG.warn("waiting for room on the disk: {}", e.getMessage());
          }
          awaitRoom("room on the disk for %s (%s)".formatted(what, full));
        }
      }
    } finally {
      if (waited) {
        session.telemetry.setWaitingFor(null);
      }
    }
  }

  /** Lets some time pass; an interrupt is put off until the guest is safe. */
  private void awaitRoom(String phrase) {
    session.telemetry.setWaitingFor(phrase);
    long end = System.nanoTime() + RETRY.toNanos();
    while (System.nanoTime() < end) {
      try {
        Thread.sleep(SLICE);
        if (session.isConnected()) {
          peer.poller().tend();
        }
      } catch (IOException e) {
        LOG.debug("while there is no room on the disk: {}", e.getMessage());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  private void interruptAgain() {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether the stream is here to its end, as far as that can be told. */
  private boolean isWhole() throws IOException {
    described = described || guest.isDescribed();
    return described || guest.mayBeComplete();
  }

  @Override
  void takeOver() throws IOException {
    // When it cannot be renamed now, the source still has its guest.
    guest.markComplete();
    guest.keep();
  }

  @Override
  void commit() throws IOException {
    insist(NAME, guest::commit);
    interruptAgain();
  }

  @Override
  boolean hasTakenOver() {
    return guest.isKept();
  }

  @Override
  boolean runs() {
    return false;
  }

  @Override
  String achieved() {
    return session.differs()
        ? kept()
        : "The guest is in %s and stands still.".formatted(guest.target());
  }

  @Override
  String giveBack(boolean takenOver) {
    if (isIrrevocable() && (diskBroken || mayBeAllThereIs())) {
      guest.keep();
    }
    guest.close();
    interruptAgain();
    return guest.isKept() ? kept() : "The guest was not kept here.";
  }

  /** Whether the source may have given up a guest that is here. */
  private boolean mayBeAllThereIs() {
    try {
      return isWhole();
    } catch (IOException e) {
      return true;
    }
  }

  private String kept() {
    return "The source may have given the guest up, so it is kept in %s; finish the capture with ./wridscope recover and this name."
        .formatted(guest.path());
  }

  @Override
  List<String> doubts() {
    return described
        ? List.of()
        : List.of(
            "The stream of this machine type has no mark of its end: the file may be incomplete if"
                + " the source failed.");
  }
}
