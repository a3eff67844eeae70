// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.MigrationSession;
import org.wridscope.figures.Observation;
import org.wridscope.figures.Reading;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.ProgramCounts;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * One end of a migration, or a program that is not ours. Thread-safe; no method waits unless it
 * says so.
 */
public interface Session extends AutoCloseable {
  /** Time limit for ending after a cancellation, or after the other end has ended. */
  Duration END_PATIENCE = MigrationSession.END_PATIENCE;

  /** The {@link #device} of a migration that QEMU's own engine makes. */
  String QEMU_ENGINE = "QEMU's own engine";

  /** Display name, unique among the sessions of this process, for example {@code lab 1 source}. */
  String name();

  default Role role() {
    return telemetry().role();
  }

  /** The migration URI, {@code rdma:HOST:PORT}. */
  String uri();

  /**
   * The host to which it migrates, or on which it runs if that is another one; empty if that is
   * this machine, or not known.
   */
  default Optional<String> host() {
    return UriHost.of(uri());
  }

  /** Name of the RDMA device, for example {@code soft0}, or {@link #QEMU_ENGINE}. */
  String device();

  /** How it is known what this end does. */
  default Observation observation() {
    return Observation.ENGINE;
  }

  /**
   * Whether work requests, registrations, chunks and messages can be seen. They cannot in a
   * migration by QEMU's own engine, of which only what {@code query-migrate} tells is known.
   */
  default boolean showsRequests() {
    return observation() != Observation.QMP;
  }

  /** What figures are read from, at the moment that it shows. */
  default Reading reading() {
    return Reports.reading(this, clock(telemetry().now()));
  }

  /**
   * Whether it is an end of a migration. If not, it shows the work requests of a program that is
   * not ours, and its {@linkplain #role role}, guest and report mean nothing.
   */
  default boolean migrates() {
    return true;
  }

  /**
   * A phrase that says why this device was selected, for example {@code the RDMA device with the
   * address 10.9.0.1}.
   */
  String deviceReason();

  SessionTelemetry telemetry();

  default MigrationStatus status() {
    return telemetry().status();
  }

  /** What it has that comes from a file; empty if it is not recorded. */
  default Optional<Recorded> recorded() {
    return Optional.empty();
  }

  /** Whether it shows the last moment of a recording that does not tell how it ended. */
  default boolean isCutOff() {
    return !status().isEnd() && recorded().map(Recorded::isAtEnd).orElse(false);
  }

  /**
   * The origin of the session's times: the beginning of the migration, which for a destination is
   * later than the beginning of its wait, and than callers that were turned away; before that, the
   * beginning of the first phase or of the session.
   */
  default long originNanos() {
    return originNanos(phases(), telemetry().startNanos());
  }

  /**
   * Whether it goes on by itself. If not, it is recorded or stands still, and shows the moment of
   * its {@link #clock}.
   */
  default boolean isLive() {
    return true;
  }

  /**
   * The time that it shows.
   *
   * @param nowNanos the present time
   */
  default long clock(long nowNanos) {
    return nowNanos;
  }

  /** All phases so far, oldest first; of a recording, all that it has, whatever it shows now. */
  default List<Phase> phases() {
    return telemetry().phases();
  }

  /**
   * The origin of a session's times.
   *
   * @param phases oldest first
   * @param startNanos when the session was created
   */
  static long originNanos(List<Phase> phases, long startNanos) {
    long origin = phases.isEmpty() ? startNanos : phases.getFirst().nanos();
    boolean begun = false;
    for (Phase phase : phases) {
      if (phase.kind() == Phase.Kind.LISTEN) {
        // What came before was no source.
        begun = false;
        origin = phases.getFirst().nanos();
      } else if (!begun && phase.kind() == Phase.Kind.CONNECT) {
        begun = true;
        origin = phase.nanos();
      }
    }
    return origin;
  }

  /** How the session ended, or why it failed and what to do; null while it runs. */
  @Nullable SessionOutcome result();

  /** The sentences of the {@link #result}; null while it runs. */
  default @Nullable String outcome() {
    SessionOutcome ended = result();
    return ended == null ? null : ended.sentence();
  }

  /**
   * Whether it only shows a migration that another program makes. Then nothing can be steered, and
   * {@link #cancel} ends the watch, not the migration.
   */
  default boolean isWatched() {
    return false;
  }

  /**
   * Whether it runs in another process that is not ours to end. It goes on there when this process
   * ends; {@link #close} ends only what is shown of it.
   */
  default boolean isRemote() {
    return false;
  }

  /**
   * Whether it was inferred from captured packets, which carry no wr_ids: those that it shows are
   * not those of the programs.
   */
  default boolean ofCapture() {
    return observation() == Observation.PACKETS;
  }

  /**
   * Whether memory is still being prepared for the guest that is awaited. A source may connect, and
   * then waits for that.
   */
  default boolean preparing() {
    return false;
  }

  /** Counts of what a program that is not ours did; empty for anything else. */
  default Optional<ProgramCounts> programCounts() {
    return Optional.empty();
  }

  /** Whether it is known where the guest runs and how memory is pinned. */
  default boolean tellsGuest() {
    return true;
  }

  /** Sentences for the user about what cannot be seen of it. */
  default List<String> notes() {
    return List.of();
  }

  /** Whether the guest runs at this end now. */
  boolean guestRunning();

  /**
   * A phrase that says what happened to the guest after the session ended, for example {@code was
   * shut down later, to make room for the next migration}; null if nothing did.
   */
  default @Nullable String guestFate() {
    return null;
  }

  /**
   * How the process of this end was killed.
   *
   * @param guestRan whether its guest ran then
   * @param handedOver whether it was a source that knew already that the destination has the guest
   */
  record Kill(boolean guestRan, boolean handedOver) {}

  /** How its process was killed, as one of a schedule may be; empty if it was not. */
  default Optional<Kill> killed() {
    return Optional.empty();
  }

  /** A short phrase that says where the guest is. */
  default String guestPlace() {
    String fate = guestFate();
    if (fate != null) {
      return fate;
    }
    String runs = guestRunning() ? "runs " : guestStopped() ? "is paused " : "does not run ";
    return captured()
        .map(file -> "in " + file.path() + ", not running")
        .or(() ->
            machine()
                .map(machine ->
                    (role() == Role.SOURCE && !machine.isReached() ? "is " : runs)
                        + "in "
                        + machine.place()))
        .orElse(runs + (isRemote() ? "there" : "here"));
  }

  /** Whether the guest is here, paused by its operator, who can let it run. */
  default boolean guestStopped() {
    return false;
  }

  /**
   * Pauses the guest, as QEMU's {@code stop} does. It stays paused when a migration moves it. One
   * that is awaited arrives paused. Waits until its threads stand still.
   *
   * @return whether it ran
   * @throws GuestException if that is not possible now; one sentence
   */
  default boolean stopGuest() throws GuestException {
    throw new GuestException(
        "%s has no guest that can be stopped and continued.".formatted(name()));
  }

  /**
   * Lets the guest run that was paused by {@link #stopGuest}, here or where it came from.
   *
   * @return whether it was paused
   * @throws GuestException if that is not possible now; one sentence
   */
  default boolean continueGuest() throws GuestException {
    throw new GuestException(
        "%s has no guest that can be stopped and continued.".formatted(name()));
  }

  /**
   * The ways out of a source that has ended {@linkplain MigrationStatus#UNDECIDED undecided}; empty
   * if it is known where the guest is, or this process does not have it.
   */
  default Optional<Doubt> doubt() {
    return Optional.empty();
  }

  /** The guest's machine in another process; empty if it is in this one or in a file. */
  default Optional<MigrationReport.Machine> machine() {
    return Optional.empty();
  }

  /** The complete file in which the guest was captured; empty if there is none, or not yet. */
  default Optional<CapturedFile> captured() {
    return Optional.empty();
  }

  /** The state of the guest's virtio devices; empty if it has none. */
  default Optional<VirtioSnapshot> virtio() {
    return Optional.empty();
  }

  /**
   * Requests cancellation. The guest of a source continues to run there. Does nothing once the
   * switch-over is decided or the session has ended.
   */
  void cancel();

  /** To be called when this process ends: cancels what would end with it, without waiting. */
  default void leave() {
    cancel();
  }

  /**
   * Whether the source has given the guest up, or may have, and this session still has work to do
   * for the guest, for example writing it to disk. Ending the process now could lose the guest.
   * {@link #cancel} has no effect any more; the telemetry says what the session waits for.
   */
  default boolean mustFinish() {
    return false;
  }

  /**
   * Whether the source waits before the switch-over until {@link #permitSwitchover} is called.
   * {@link #guestRunning} says whether the guest runs meanwhile: by Wridscope's engine it does, by
   * QEMU's own it does not.
   */
  default boolean heldBeforeSwitchover() {
    return status() == MigrationStatus.PRE_SWITCHOVER;
  }

  /** Lets a migration that is {@linkplain #heldBeforeSwitchover held} switch over. */
  default void permitSwitchover() {}

  /**
   * Limits the throughput of RAM, effective immediately. Does nothing if this process only shows
   * what others do, or did.
   *
   * @param bytesPerSecond at least 1, or 0 for no limit
   */
  default void setBandwidthLimit(long bytesPerSecond) {}

  /**
   * Limits the downtime of the guest at the switch-over, effective immediately. Does nothing if
   * this process only shows what others do, or did.
   */
  default void setDowntimeLimit(Duration limit) {}

  /**
   * Marks a range of the guest's RAM as not needing to stay registered. Registrations that overlap
   * it are released at both ends once none of their memory is in transit, and made again if it is
   * sent again.
   *
   * @param block name of the RAM block, for example {@code pc.ram}
   * @param offset of the first byte in the block
   * @param length bytes, at least 1, up to the end of the block
   * @throws IllegalArgumentException if that is not possible; the message is one sentence for the
   *     user
   */
  default void hintUnregister(String block, long offset, long length) {
    throw new IllegalArgumentException(
        "%s does not send RAM, so there are no registrations to release.".formatted(name()));
  }

  /**
   * Deregisters a range of the guest's RAM now, at both ends, and waits until that is done. Must
   * not be called on a thread that has to stay responsive.
   *
   * @param block name of the RAM block, for example {@code pc.ram}
   * @param offset of the first byte in the block
   * @param length bytes, at least 1, up to the end of the block
   * @param limit of the wait
   * @return the number of registrations that were given back for it; they may cover more
   * @throws StillRegisteredException if that is not possible, or not within the limit
   */
  default int unregister(String block, long offset, long length, Duration limit)
      throws StillRegisteredException, InterruptedException {
    throw new StillRegisteredException(
        "%s does not send RAM, so there are no registrations to release.".formatted(name()));
  }

  /** The report, of the present state or of the end. */
  MigrationReport report();

  /**
   * Waits for the session to end.
   *
   * @return whether it ended in time
   */
  boolean await(Duration timeout) throws InterruptedException;

  /**
   * Cancels the session if it has not ended, waits for the end, and releases the guest and all
   * other resources. An interrupt does not end the wait. There is no time limit while the session
   * {@linkplain #mustFinish must finish}.
   */
  @Override
  void close();
}
