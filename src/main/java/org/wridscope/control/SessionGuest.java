// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.engine.Custody;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.Guest;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.MachineGuest;
import org.wridscope.guest.RunControl;
import org.wridscope.guest.RunningMachine;
import org.wridscope.guest.SavedGuest;
import org.wridscope.guest.SyntheticGuest;
import org.wridscope.guest.WaitingMachine;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.qmp.QmpAddress;

/**
 * The guest of a session. Frees the guest's memory as soon as nobody needs it; what views show of
 * the guest is stored elsewhere and stays available. A guest in another process stays there,
 * whatever becomes of the session.
 */
final class SessionGuest implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SessionGuest.class);

  private static final String SHUT_DOWN =
      "was shut down later, to make room for the next migration";

  private final Guest guest;
  private final @Nullable QmpAddress qmp;
  private volatile @Nullable String fate;
  private volatile boolean closed;

  /** A guest in this process or in a file. */
  SessionGuest(Guest guest) {
    this(guest, null);
  }

  /**
   * @param qmp where the guest's machine in another process accepts QMP; null if there is none
   */
  SessionGuest(Guest guest, @Nullable QmpAddress qmp) {
    this.guest = guest;
    this.qmp = qmp;
  }

  Guest guest() {
    return guest;
  }

  boolean isRunning() {
    return fate == null && guest.isRunning();
  }

  /** {@link Session#guestStopped}. */
  boolean isStopped() {
    return !closed && guest instanceof MachineGuest machine && machine.runControl().isStopped();
  }

  /** Whether a migration is to bring the guest, which can be stopped in advance. */
  boolean isAwaited() {
    return guest instanceof MachineGuest machine && machine.runControl().isAwaited();
  }

  /** {@link Session#stopGuest}. */
  synchronized boolean stop() throws GuestException {
    return runControl().stop();
  }

  /** {@link Session#continueGuest}. */
  synchronized boolean proceed() throws GuestException {
    return runControl().proceed();
  }

  private RunControl runControl() throws GuestException {
    RunControl control =
        switch (guest) {
          case MachineGuest machine -> machine.runControl();
          case RunningMachine machine -> throw elsewhere(machine.machine());
          case WaitingMachine machine -> throw elsewhere(machine.machine());
          case SavedGuest _, CapturedGuest _ ->
              throw new GuestException("The guest is in a file and is paused.");
        };
    if (closed && control.isHere()) {
      throw new GuestException("The guest was shut down.");
    }
    return control;
  }

  /** Takes back a guest that was in doubt; returns whether it runs. */
  synchronized boolean reclaim() throws IOException {
    return switch (guest) {
      case MachineGuest machine -> machine.runControl().reclaim();
      case RunningMachine machine -> machine.reclaim();
      case WaitingMachine _, SavedGuest _, CapturedGuest _ -> false;
    };
  }

  /** It is known that the destination has a guest that was in doubt. */
  void gone() {
    if (guest instanceof RunningMachine machine) {
      machine.release(true);
    }
    release();
  }

  /** Ends a guest that was in doubt. */
  void dismiss() throws IOException {
    if (guest instanceof RunningMachine machine) {
      machine.dismiss();
    } else {
      close();
    }
  }

  private static GuestException elsewhere(String machine) {
    return new GuestException(
        "The guest is in %s; that is where it is stopped and continued.".formatted(machine));
  }

  Optional<VirtioSnapshot> virtio() {
    return guest instanceof MachineGuest machine ? machine.virtio() : Optional.empty();
  }

  /** {@link Session#machine()}. */
  Optional<MigrationReport.Machine> machine() {
    if (qmp == null) {
      return Optional.empty();
    }
    return switch (guest) {
      case RunningMachine machine ->
          Optional.of(Reports.machine(machine.machine(), qmp, machine.tracking().orElse(null)));
      case WaitingMachine machine -> Optional.of(Reports.machine(machine.machine(), qmp, null));
      case MachineGuest _, SavedGuest _, CapturedGuest _ -> Optional.empty();
    };
  }

  /** {@link Session#guestFate()}. */
  @Nullable String fate() {
    return fate;
  }

  /**
   * To be called at the end of the session: frees the memory if the guest is elsewhere, and leaves
   * a machine in another process, which others want to control.
   */
  void ended(Custody custody) {
    if (guest instanceof RunningMachine machine && custody == Custody.ELSEWHERE) {
      machine.release(true);
    }
    boolean isInOtherProcess = guest instanceof RunningMachine || guest instanceof WaitingMachine;
    boolean isEmpty =
        custody == Custody.ELSEWHERE && guest instanceof MachineGuest && !guest.isRunning();
    if (isInOtherProcess || isEmpty) {
      release();
    }
  }

  /**
   * To be called after the end of the session: shuts a synthetic guest down to free its memory for
   * others, unless it is in doubt which end has the guest.
   */
  void makeRoom(Custody custody) {
    if (custody == Custody.HERE && guest instanceof SyntheticGuest && !closed) {
      // For a guest that did not run, this phrase would hide that it was lost.
      fate = guest.isRunning() || isStopped() ? SHUT_DOWN : null;
      release();
    }
  }

  private void release() {
    try {
      close();
    } catch (RuntimeException | Error e) {
      LOG.warn("the memory of a guest could not be freed", e);
    }
  }

  /** Stops the guest and frees its memory. Idempotent. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      guest.close();
    }
  }
}
