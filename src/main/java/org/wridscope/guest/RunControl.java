// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

/**
 * Pauses and starts a guest, for its operator, as QEMU's {@code stop} and {@code cont} do, and for
 * the migrations that take it and bring it. There is one for each guest, so that it can never run
 * at both ends of a migration. Thread-safe.
 *
 * <p>The guest is its operator's, until a migration takes it for the switch-over. Then it is either
 * given back, and runs if it ran before, or given up for good. A guest that is awaited becomes its
 * operator's when it is taken over, and runs if it ran at the source and the operator has not
 * stopped it in advance.
 */
public final class RunControl {
  private final MachineGuest guest;
  private Stage stage = Stage.HERE;

  /** Of a guest that a migration has taken: whether it is to run again. */
  private boolean ran;

  /** Of a guest that is awaited: whether its operator wants it to run. */
  private boolean wanted = true;

  /** Whether the operator has paused it, here or where it came from. */
  private boolean stopped;

  private enum Stage {
    /** The operator's. */
    HERE,
    /** A migration's, between the pause for the switch-over and its end. */
    TAKEN,
    /** The destination's, or in doubt. */
    GIVEN_UP,
    /** It has not arrived. */
    AWAITED,
    /** It was awaited, and has not come. */
    ABSENT
  }

  /** Of a guest that its operator has. */
  public RunControl(MachineGuest guest) {
    this.guest = guest;
  }

  // ------------------------------------------------------------------------------ for operators

  /**
   * Pauses the guest, or makes one that is awaited arrive paused.
   *
   * @return whether it ran
   * @throws GuestException if it is not the operator's; one sentence
   */
  public synchronized boolean stop() throws GuestException {
    requireOperator();
    if (stage == Stage.AWAITED) {
      wanted = false;
      return false;
    }
    boolean runs = guest.isRunning();
    guest.pause();
    stopped = true;
    return runs;
  }

  /**
   * Runs the guest, or makes one that is awaited run when it arrives, if it ran at the source.
   *
   * @return whether it was paused
   * @throws GuestException if it is not the operator's; one sentence
   */
  public synchronized boolean proceed() throws GuestException {
    requireOperator();
    if (stage == Stage.AWAITED) {
      wanted = true;
      return false;
    }
    boolean stood = !guest.isRunning();
    guest.resume();
    stopped = false;
    return stood;
  }

  private void requireOperator() throws GuestException {
    switch (stage) {
      case HERE, AWAITED -> {
        // It is.
      }
      // QEMU's words.
      case TAKEN -> throw new GuestException("Migration is not finalized yet");
      case GIVEN_UP ->
          throw new GuestException(
              "The destination has the guest, or may have it, so it stays paused here; use the"
                  + " destination instead.");
      case ABSENT -> throw new GuestException("The guest has not arrived here, and will not.");
    }
  }

  /** Whether the guest is here, and its operator's. */
  public synchronized boolean isHere() {
    return stage == Stage.HERE;
  }

  /** Whether a migration is to bring the guest. */
  public synchronized boolean isAwaited() {
    return stage == Stage.AWAITED;
  }

  /** Whether the guest is here, and its operator has paused it. */
  public synchronized boolean isStopped() {
    return stage == Stage.HERE && stopped;
  }

  // ------------------------------------------------------------------------------ for a source

  /**
   * Takes the guest from its operator, and pauses it.
   *
   * @return whether it ran
   */
  public synchronized boolean take() {
    ran = guest.isRunning();
    stage = Stage.TAKEN;
    guest.pause();
    return ran;
  }

  /** Whether the guest ran when it was taken. */
  public synchronized boolean ran() {
    return ran;
  }

  /**
   * Gives the guest back, if it was taken, and lets it run if it ran before.
   *
   * @return whether it runs again
   */
  public synchronized boolean giveBack() {
    if (stage != Stage.TAKEN) {
      return false;
    }
    stage = Stage.HERE;
    if (!ran || guest.isRunning()) {
      return false;
    }
    guest.resume();
    return true;
  }

  /** Notes that the guest was handed over, or may have been, so that it must not run here. */
  public synchronized void giveUp() {
    stage = Stage.GIVEN_UP;
  }

  /**
   * Takes back a guest that was given up, since it is known that it runs nowhere else, and lets it
   * run if it ran before.
   *
   * @return whether it runs
   */
  public synchronized boolean reclaim() {
    if (stage == Stage.GIVEN_UP) {
      stage = Stage.HERE;
      if (ran) {
        guest.resume();
      }
      stopped = !ran;
    }
    return guest.isRunning();
  }

  // ------------------------------------------------------------------------- for a destination

  /** Notes that a migration will bring the guest. */
  public synchronized void expect() {
    stage = Stage.AWAITED;
  }

  /**
   * Takes the guest over, which has arrived, and lets it run unless it is to stay paused.
   *
   * @param ranThere whether it ran at the source
   * @return whether it runs
   */
  public synchronized boolean takeOver(boolean ranThere) {
    boolean runs = ranThere && wanted;
    if (runs) {
      try {
        guest.resume();
      } catch (RuntimeException | Error e) {
        // The paused guest at the source is worth more than one that did not start completely.
        guest.pause();
        throw e;
      }
    }
    stage = Stage.HERE;
    stopped = !runs;
    return runs;
  }

  /** Notes that the guest does not come. */
  public synchronized void miss() {
    if (stage == Stage.AWAITED) {
      stage = Stage.ABSENT;
    }
  }
}
