// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.MigrationSession;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** One end of a migration. Thread-safe; no method waits unless it says so. */
public interface Session extends AutoCloseable {
  /** How long it may take to end after it was cancelled, or the other end has ended. */
  Duration END_PATIENCE = MigrationSession.END_PATIENCE;

  /** The phase with which a migration begins; a destination may have waited before. */
  String CONNECT = "connect";

  /**
   * Name for people, unique among the sessions of this process, for example {@code lab 1 source}.
   */
  String name();

  default Role role() {
    return telemetry().role();
  }

  /** The migration URI, {@code rdma:HOST:PORT}. */
  String uri();

  /** Name of the RDMA device, for example {@code soft0}. */
  String device();

  /** Why this device, a phrase such as {@code the RDMA device that carries 10.9.0.1}. */
  String deviceReason();

  SessionTelemetry telemetry();

  default MigrationStatus status() {
    return telemetry().status();
  }

  /**
   * The moment that times are counted from: when the migration began, which for a destination is
   * later than when it began to listen, or when its first phase or the session itself began while
   * it has not.
   */
  default long originNanos() {
    return originNanos(telemetry().phases(), telemetry().startNanos());
  }

  /**
   * The moment that the times of a session are counted from.
   *
   * @param phases oldest first
   * @param startNanos when the session was made
   */
  static long originNanos(List<Phase> phases, long startNanos) {
    return phases.stream()
        .filter(phase -> phase.name().equals(CONNECT))
        .findFirst()
        .or(() -> phases.stream().findFirst())
        .map(Phase::nanos)
        .orElse(startNanos);
  }

  /**
   * One sentence that says how the session ended or why it failed and what to do; null while it
   * runs.
   */
  @Nullable String outcome();

  /** Whether the guest of this session runs now. */
  boolean guestRunning();

  /**
   * What became of the guest after the session had ended, a phrase such as {@code was shut down
   * later, to make room for the next migration}; null while it is as the outcome says.
   */
  default @Nullable String guestFate() {
    return null;
  }

  /** Where the guest is, in a few words. */
  default String guestPlace() {
    String fate = guestFate();
    if (fate != null) {
      return fate;
    }
    return captured()
        .map(file -> "in " + file.path() + ", stands still")
        .orElse(guestRunning() ? "runs here" : "does not run here");
  }

  /** The file that the guest was captured in; empty while it is not complete, and otherwise. */
  default Optional<CapturedFile> captured() {
    return Optional.empty();
  }

  /** What the virtio devices of the guest do, if it has any. */
  default Optional<VirtioSnapshot> virtio() {
    return Optional.empty();
  }

  /**
   * Asks the session to give up. A source's guest goes on running at the source. Does nothing once
   * the switch-over is decided or the session has ended.
   */
  void cancel();

  /**
   * Whether the source has given the guest up, or may have, and this session has not done yet what
   * it must for the guest, such as to get it to the disk. Ending the process now could lose the
   * guest. {@link #cancel} has no effect any more; the telemetry says what is waited for.
   */
  default boolean mustFinish() {
    return false;
  }

  /**
   * Limits the throughput of RAM, at once.
   *
   * @param bytesPerSecond at least 1, or 0 for no limit
   */
  void setBandwidthLimit(long bytesPerSecond);

  /** Sets how long the guest may stand still at the switch-over, at once. */
  void setDowntimeLimit(Duration limit);

  /**
   * Says that a range of the guest's RAM need not stay registered: what covers part of it is given
   * back at both ends once nothing of it is in transit, and registered again when something of it
   * is sent again.
   *
   * @param block name of the RAM block, for example {@code pc.ram}
   * @param offset of the first byte in the block
   * @param length bytes, at least 1, up to the end of the block
   * @throws IllegalArgumentException when it cannot be: one sentence for the user that says why
   */
  default void hintUnregister(String block, long offset, long length) {
    throw new IllegalArgumentException(
        "%s does not send RAM here, so that nothing of it can be given back.".formatted(name()));
  }

  /** What there is to report, now or at the end. */
  MigrationReport report();

  /**
   * Waits for the session to end.
   *
   * @return whether it ended in time
   */
  boolean await(Duration timeout) throws InterruptedException;

  /**
   * Cancels if need be, waits for the end, and releases the guest and all else. An interrupt does
   * not end the wait; neither does time while the session {@linkplain #mustFinish must finish}.
   */
  @Override
  void close();
}
