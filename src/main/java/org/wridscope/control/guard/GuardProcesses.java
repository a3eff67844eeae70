// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.UserFolder;
import org.wridscope.guest.Handover;
import org.wridscope.guest.qemu.DestinationGuard;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Guards;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.JournalEntry.Role;
import org.wridscope.guest.qemu.JournalEntry.Stage;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.guest.qemu.QemuGuard;
import org.wridscope.guest.qemu.SourceGuard;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.process.SharedSocket;
import org.wridscope.verbs.soft.SoftNetwork;

/** Starts guards as processes of this program. */
public final class GuardProcesses implements Guards {
  private static final Logger LOG = LoggerFactory.getLogger(GuardProcesses.class);

  private static final String FILE = "guard.log";

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path log;
  private final Journals journals;
  private @Nullable GuardProcess spare;

  /**
   * Guards without a process.
   *
   * @param log the file to which they write what they did; journals are in a directory beside it
   */
  public GuardProcesses(Path log) {
    this.log = log;
    journals = new Journals(log.resolveSibling(Journals.NAME));
  }

  /** Guards that write to {@code guard.log} in the state directory of this process's user. */
  public static GuardProcesses ofUser() {
    return new GuardProcesses(log());
  }

  /** The file to which the guards of this process's user write. */
  static Path log() {
    return UserFolder.STATE.ofUser().resolve(FILE);
  }

  /** Guards of one QEMU, of which the first is the process that was started ahead of need here. */
  public GuardProcesses ofQemu() {
    var guards = new GuardProcesses(log);
    guards.spare = takeSpare();
    return guards;
  }

  @Override
  public synchronized void ready(Role role) {
    if (spare == null || !spare.isAlive()) {
      try {
        spare = GuardProcess.spawn(log, role);
      } catch (IOException e) {
        // The next attempt says so to the user.
        LOG.debug("no guard ahead of need: {}", e.getMessage());
      }
    }
  }

  @Override
  public SourceGuard guardSource(GuardedQemu qemu, GuardedSettings before) throws IOException {
    return new Source(begin(Role.SOURCE, Note.Kind.SOURCE, qemu, before));
  }

  @Override
  public DestinationGuard guardDestination(GuardedQemu qemu, GuardedSettings before)
      throws IOException {
    return new Destination(begin(Role.DESTINATION, Note.Kind.DESTINATION, qemu, before));
  }

  @Override
  public void check(GuardedQemu qemu) throws IOException {
    journals.requireNone(qemu);
  }

  private Begun begin(Role role, Note.Kind kind, GuardedQemu qemu, GuardedSettings before)
      throws IOException {
    GuardProcess guard = takeSpare();
    if (guard == null) {
      guard = GuardProcess.spawn(log, role);
    }
    Journal journal;
    try {
      List<ProcessIdentity> owners =
          List.of(
              ProcessIdentity.of(ProcessHandle.current().pid()), ProcessIdentity.of(guard.pid()));
      journal = journals.begin(JournalEntry.first(role, Journals.boot(), qemu, owners, before));
    } catch (IOException | RuntimeException | Error e) {
      // It has no QEMU to restore, and ends.
      guard.takeOver();
      throw e;
    }
    try {
      guard.begin(Note.of(kind, qemu, before, journal.file()));
    } catch (IOException | RuntimeException | Error e) {
      journal.remove();
      throw e;
    }
    return new Begun(guard, journal);
  }

  /** A guard to which its QEMU was named, and the journal of that. */
  private record Begun(GuardProcess guard, Journal journal) {}

  /** Null if there is none, or it has ended meanwhile. */
  private synchronized @Nullable GuardProcess takeSpare() {
    GuardProcess taken = spare;
    spare = null;
    return taken != null && taken.isAlive() ? taken : null;
  }

  @Override
  public void close() {
    GuardProcess unused = takeSpare();
    if (unused != null) {
      // It has no QEMU to restore, and ends.
      unused.takeOver();
    }
  }

  private abstract static class Told implements QemuGuard {
    final GuardProcess guard;
    private final Journal journal;

    /** The present entry, even if it could not be written. */
    private JournalEntry now;

    private boolean over;

    /** Whether it is left to the user which end has the guest. */
    private boolean undecided;

    Told(Begun begun) {
      guard = begun.guard;
      journal = begun.journal;
      now = journal.entry();
    }

    /** Before a stage: makes it durable, and then tells the guard. */
    final synchronized void begin(UnaryOperator<JournalEntry> next, Note note) throws IOException {
      remember(next);
      guard.tell(note);
    }

    /** After an event that a failure to write cannot undo: notes it in any case. */
    final synchronized void happened(UnaryOperator<JournalEntry> next, Note note)
        throws IOException {
      now = next.apply(now);
      try {
        journal.write(now);
      } finally {
        guard.tell(note);
      }
    }

    /** What the guard knows, or has just been told. */
    final synchronized void remember(UnaryOperator<JournalEntry> next) throws IOException {
      JournalEntry written = next.apply(now);
      journal.write(written);
      now = written;
    }

    @Override
    public void creating(Path socket) throws IOException {
      begin(now -> now.withSocket(socket), Note.creating(socket));
    }

    @Override
    public synchronized void takeOver() {
      if (!over) {
        over = true;
        try {
          journal.write(now.withOwners(List.of(ProcessIdentity.of(guard.pid()))));
        } catch (IOException e) {
          LOG.warn("{}", e.getMessage());
        }
        guard.takeOver();
      }
    }

    final synchronized void leaveUndecided() {
      undecided = true;
    }

    /** Removes a journal that was left, unless another process has written to it since. */
    final synchronized void end() {
      try {
        if (Journal.open(journal.file()).entry().equals(journal.entry())) {
          journal.remove();
        }
      } catch (NoSuchFileException e) {
        // It is removed already.
      } catch (IOException e) {
        LOG.warn("{}", e.getMessage());
      }
    }

    @Override
    public synchronized void close() {
      if (!over) {
        over = true;
        try {
          if (undecided || now.stage() == Stage.HANDING_OVER) {
            // It is not known which end has the guest.
            journal.write(now.restored().withOwners(List.of()));
          } else {
            journal.remove();
          }
        } catch (IOException e) {
          LOG.warn("{}", e.getMessage());
        }
        guard.close();
      }
    }
  }

  private static final class Source extends Told implements SourceGuard {
    Source(Begun begun) {
      super(begun);
    }

    @Override
    public int openUserfault() throws IOException {
      int opened = guard.tell(Note.of(Note.Kind.OPEN_USERFAULT)).get(Note.DESCRIPTOR).getAsInt();
      remember(now -> now.withUserfault(opened));
      return opened;
    }

    @Override
    public void closeUserfault() throws IOException {
      guard.tell(Note.of(Note.Kind.CLOSE_USERFAULT));
      remember(now -> now.withUserfault(null));
    }

    @Override
    public void stopping() throws IOException {
      begin(now -> now.withRun(true), Note.of(Note.Kind.STOPPING));
    }

    @Override
    public void resumed() throws IOException {
      begin(now -> now.withRun(false), Note.of(Note.Kind.RESUMED));
    }

    @Override
    public void handingOver(Handover handover) throws IOException {
      begin(
          now -> now.at(Stage.HANDING_OVER).withHandover(handover),
          Note.of(Note.Kind.HANDING_OVER, handover));
    }

    @Override
    public void handedOver() throws IOException {
      happened(now -> now.at(Stage.HANDED_OVER), Note.of(Note.Kind.HANDED_OVER));
    }

    @Override
    public void takenBack() throws IOException {
      happened(now -> now.at(Stage.LEAVING).withHandover(null), Note.of(Note.Kind.TAKEN_BACK));
    }

    @Override
    public void settled() {
      end();
    }
  }

  private static final class Destination extends Told implements DestinationGuard {
    Destination(Begun begun) {
      super(begun);
    }

    @Override
    public void connected(Handover handover) throws IOException {
      begin(now -> now.withHandover(handover), Note.of(Note.Kind.CONNECTED, handover));
      if (handover.device().equals(SoftNetwork.NAME)) {
        share(handover.destination());
      }
    }

    /**
     * Gives the guard the listening socket, so that no other process can listen on its port when
     * this process ends. Without it the guard listens once the port is free. In either case a
     * source accepts only an answer with a proof.
     */
    private void share(InetSocketAddress listening) {
      String token = Long.toHexString(RANDOM.nextLong()) + Long.toHexString(RANDOM.nextLong());
      try {
        JsonObject answer = guard.tell(Note.listening(token));
        SharedSocket.send(
            answer.get(Note.INBOX).getAsString(),
            token.getBytes(StandardCharsets.US_ASCII),
            listening);
      } catch (IOException e) {
        LOG.warn("the guard of the QEMU does not listen with this process: {}", e.getMessage());
      }
    }

    @Override
    public void loading() throws IOException {
      begin(now -> now.at(Stage.LOADING), Note.of(Note.Kind.LOADING));
    }

    @Override
    public void loaded() throws IOException {
      begin(now -> now.at(Stage.LOADED), Note.of(Note.Kind.LOADED));
    }

    @Override
    public void switchingOver(boolean run) throws IOException {
      begin(now -> now.at(Stage.SWITCHING_OVER).withRun(run), Note.switchingOver(run));
    }

    @Override
    public void restored() throws IOException {
      begin(JournalEntry::restored, Note.of(Note.Kind.RESTORED));
    }

    @Override
    public void kept() {
      leaveUndecided();
    }

    @Override
    public void running() throws IOException {
      happened(now -> now.at(Stage.RUNNING), Note.of(Note.Kind.RUNNING));
    }
  }
}
