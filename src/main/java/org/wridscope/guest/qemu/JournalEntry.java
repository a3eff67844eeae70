// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.Handover;
import org.wridscope.process.ProcessIdentity;

/**
 * How far a migration is that changed a QEMU, and what must be put back in it.
 *
 * @param stage which begins, or has begun
 * @param since when that was, to the millisecond
 * @param boot the kernel's id of the boot in which the QEMU runs, {@code
 *     /proc/sys/kernel/random/boot_id}
 * @param owners the processes that restore the QEMU as long as one of them runs: the session's and
 *     its guard
 * @param before what must be put back; nothing if that was done
 * @param run at a source, whether the guest ran and was stopped for the migration, so that it is
 *     continued where it belongs to this QEMU; at a destination, whether it is to run once it was
 *     handed over
 * @param handover where the other end asks or is asked; null before a source can ask
 * @param userfault the number of a userfaultfd in the QEMU that was opened for the migration; null
 *     if there is none
 * @param socket a temporary one for QEMU, to be deleted with its directory; null if there is none
 */
public record JournalEntry(
    Stage stage,
    Instant since,
    String boot,
    GuardedQemu qemu,
    List<ProcessIdentity> owners,
    GuardedSettings before,
    boolean run,
    @Nullable Handover handover,
    @Nullable Integer userfault,
    @Nullable Path socket) {

  /** The end of a migration whose QEMU was changed. */
  public enum Role {
    SOURCE,
    DESTINATION
  }

  /** Stages in their order at each end. */
  public enum Stage {
    /** The guest belongs to the source, which may have stopped it. */
    LEAVING(Role.SOURCE),
    /** The destination may have been told to start the guest. */
    HANDING_OVER(Role.SOURCE),
    /** The destination has the guest. */
    HANDED_OVER(Role.SOURCE),

    /** Nothing was loaded. */
    WAITING(Role.DESTINATION),
    /** QEMU loads a guest that belongs to the source. */
    LOADING(Role.DESTINATION),
    /** QEMU has loaded it, and the source may have been told. */
    LOADED(Role.DESTINATION),
    /** The source has handed the guest over, which may have been started. */
    SWITCHING_OVER(Role.DESTINATION),
    /** The guest was started, or is paused as it was at the source. */
    RUNNING(Role.DESTINATION);

    private final Role role;

    Stage(Role role) {
      this.role = role;
    }

    public Role role() {
      return role;
    }
  }

  public JournalEntry {
    since = since.truncatedTo(ChronoUnit.MILLIS);
    owners = List.copyOf(owners);
  }

  /** The first entry about a QEMU, before anything is changed in it. */
  public static JournalEntry first(
      Role role,
      String boot,
      GuardedQemu qemu,
      List<ProcessIdentity> owners,
      GuardedSettings before) {
    return new JournalEntry(
        role == Role.SOURCE ? Stage.LEAVING : Stage.WAITING,
        Instant.now(),
        boot,
        qemu,
        owners,
        before,
        role == Role.DESTINATION,
        null,
        null,
        null);
  }

  public Role role() {
    return stage.role();
  }

  /** The same at another stage. */
  public JournalEntry at(Stage next) {
    return new JournalEntry(
        next, Instant.now(), boot, qemu, owners, before, run, handover, userfault, socket);
  }

  /** The same with another {@link #run}. */
  public JournalEntry withRun(boolean next) {
    return new JournalEntry(
        stage, since, boot, qemu, owners, before, next, handover, userfault, socket);
  }

  /** The same with another {@link #handover}. */
  public JournalEntry withHandover(@Nullable Handover next) {
    return new JournalEntry(stage, since, boot, qemu, owners, before, run, next, userfault, socket);
  }

  /** The same with another {@link #userfault}. */
  public JournalEntry withUserfault(@Nullable Integer next) {
    return new JournalEntry(stage, since, boot, qemu, owners, before, run, handover, next, socket);
  }

  /** The same with another {@link #socket}. */
  public JournalEntry withSocket(@Nullable Path next) {
    return new JournalEntry(
        stage, since, boot, qemu, owners, before, run, handover, userfault, next);
  }

  /** The same with other {@link #owners}. */
  public JournalEntry withOwners(List<ProcessIdentity> next) {
    return new JournalEntry(
        stage, since, boot, qemu, next, before, run, handover, userfault, socket);
  }

  /** The same after everything in the QEMU was put back. */
  public JournalEntry restored() {
    return new JournalEntry(
        stage, since, boot, qemu, owners, GuardedSettings.NONE, run, handover, null, null);
  }
}
