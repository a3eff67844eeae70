// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.DiskFull;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.ControlType;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.StreamEnvelope;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;

/**
 * Captures a guest of any machine type in a file.
 *
 * <p>QEMU hands its guest over with its last message, without an acknowledgement. So all RAM is on
 * the storage device before the source is asked for the first byte after it: until then, a failure
 * such as a full disk leaves the guest running at the source. From then on the migration cannot be
 * cancelled, because any message may be the last; what may be the whole guest is never deleted; and
 * if the disk is full, the session waits without a limit until space has been freed.
 */
final class ArrivingFile extends OpaqueArrival {
  private static final Logger LOG = LoggerFactory.getLogger(ArrivingFile.class);

  /** Time between two attempts to write to a full disk. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private static final Duration SLICE = Duration.ofMillis(50);

  private final CapturedGuest guest;
  private boolean asked;
  private boolean diskBroken;
  private boolean interrupted;

  ArrivingFile(DestinationSession session, Connected peer, CapturedGuest guest) {
    super(session, peer);
    this.guest = guest;
  }

  @Override
  List<RamBlock> prepare(List<BlockListing> theirs) throws IOException {
    session.work(new Wait(Wait.Kind.GUEST_MEMORY), () -> guest.prepare(theirs, session.pinAll()));
    return guest.ramBlocks();
  }

  @Override
  void take(long bytes) throws IOException {
    guest.take(bytes);
  }

  @Override
  boolean letGo(boolean writable) {
    guest.release();
    return true;
  }

  @Override
  void append(byte[] bytes, int length) throws IOException {
    guest.append(bytes, 0, length);
    insist(Wait.Kind.SPACE_FOR_STATES, guest::write);
  }

  @Override
  boolean endsInDescription() throws IOException {
    return guest.isDescribed();
  }

  @Override
  public void ramComplete(StreamEnvelope envelope) throws IOException {
    session.telemetry.beginPhase(Phase.Kind.WRITE);
    try {
      session.telemetry.setWaitingFor(new Wait(Wait.Kind.RAM_WRITTEN));
      guest.writeRam(envelope, session::tend);
      force();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MigrationSession.interrupted(e);
    } finally {
      session.telemetry.setWaitingFor(null);
    }
    endCancellation();
    asked = true;
    session.telemetry.beginPhase(Phase.Kind.DEVICES);
  }

  private void force() throws IOException, InterruptedException {
    var work = new Background("fsync", guest::force);
    peer.poller().await(work::isDone, new Wait(Wait.Kind.FILE_ON_DISK), Limits.OWN);
    work.join();
  }

  @Override
  RamDigester load() throws IOException, InterruptedException {
    if (!isWhole()) {
      throw cutOff();
    }
    if (peer.control().extensions()) {
      force();
    } else {
      // The source has handed the guest over, so failures of the connection no longer matter.
      guest.keep();
      session.telemetry.setWaitingFor(new Wait(Wait.Kind.GUEST_ON_DISK));
      insist(Wait.Kind.SPACE_FOR_STATES, guest::force);
      insist(Wait.Kind.SPACE_FOR_NAME, guest::markComplete);
      awaitQemuToLeave();
    }
    return guest.beginDigest();
  }

  /** Whether the source has handed the guest over, or may do so without an acknowledgement. */
  private boolean isIrrevocable() {
    return guest.isKept() || (asked && !peer.control().extensions());
  }

  /**
   * Executes an idempotent operation on the disk. Once the source may have handed the guest over,
   * it is repeated for as long as the disk is full. After any other error, the file is kept.
   *
   * @param space what it waits for while the disk is full
   */
  private void insist(Wait.Kind space, Background.Work work) throws IOException {
    boolean waited = false;
    try {
      while (true) {
        try {
          // On a thread that is never interrupted, which would close the file.
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
            LOG.warn("waiting for space on the disk: {}", e.getMessage());
          }
          awaitSpace(new Wait(space, full));
        }
      }
    } finally {
      if (waited) {
        session.telemetry.setWaitingFor(null);
      }
    }
  }

  /** Waits before the next attempt; an interrupt is deferred until the guest is safe. */
  private void awaitSpace(Wait space) {
    session.telemetry.setWaitingFor(space);
    long end = Time.nanos() + RETRY.toNanos();
    while (Time.nanos() < end) {
      try {
        Time.sleep(SLICE);
        if (session.isConnected()) {
          peer.poller().tend();
        }
      } catch (IOException e) {
        LOG.debug("while the disk is full: {}", e.getMessage());
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

  /** Whether the stream is complete, as far as that can be determined. */
  private boolean isWhole() throws IOException {
    described = described || guest.isDescribed();
    return described || guest.mayBeComplete();
  }

  @Override
  void takeOver() throws IOException {
    // If it cannot be renamed, the source still has its guest.
    guest.markComplete();
    guest.keep();
  }

  @Override
  void commit() throws IOException {
    insist(Wait.Kind.SPACE_FOR_NAME, guest::commit);
    interruptAgain();
  }

  @Override
  boolean hasTakenOver() {
    return guest.isKept();
  }

  @Override
  int running() {
    return ControlType.KEPT_IN_A_FILE;
  }

  @Override
  String achieved() {
    return session.differs()
        ? kept()
        : "The guest is in %s and is paused.".formatted(guest.target());
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

  /** Whether this may be the only copy of the guest. */
  private boolean mayBeAllThereIs() {
    try {
      return isWhole();
    } catch (IOException e) {
      return true;
    }
  }

  private String kept() {
    return "The source may have handed the guest over, so it is kept in %s; finish the capture with ./wridscope recover and this name."
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
