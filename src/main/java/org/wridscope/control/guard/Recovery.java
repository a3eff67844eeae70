// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.InquiryAnswers;
import org.wridscope.files.Target;
import org.wridscope.guest.Handover;
import org.wridscope.guest.OtherEnd;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.JournalEntry.Role;
import org.wridscope.guest.qemu.JournalEntry.Stage;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.process.UserfaultInjection;
import org.wridscope.qmp.QemuDiscovery;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;

/**
 * Restores a QEMU whose Wridscope and guard have both ended, by its journal. Does what the guard
 * would have done, with one difference: since then an operator may have started the guest at either
 * end. So a guest that was loaded at a destination is neither started nor ended, unless the user
 * says what the other end does.
 */
public final class Recovery {
  private static final Duration CONNECT = Duration.ofSeconds(15);

  private final Journals journals;
  private final GuardLog log;
  private final Function<QmpAddress, OptionalLong> listening;

  private Recovery(Journals journals, GuardLog log, Function<QmpAddress, OptionalLong> listening) {
    this.journals = journals;
    this.log = log;
    this.listening = listening;
  }

  /** By the journals of this process's user. What it does is in the log of the guards, too. */
  public static Recovery ofUser() {
    return of(GuardProcesses.log());
  }

  /**
   * By the journals in another directory.
   *
   * @param log of the guards, beside the journals
   */
  public static Recovery of(Path log) {
    return of(log, address -> new QemuDiscovery().pidOf(address));
  }

  /**
   * @param log of the guards, beside the journals
   * @param listening finds the process that accepts QMP at an address
   */
  static Recovery of(Path log, Function<QmpAddress, OptionalLong> listening) {
    return new Recovery(
        new Journals(log.resolveSibling(Journals.NAME)), new GuardLog(log, "recover"), listening);
  }

  /** What became of it. */
  public enum Result {
    /** There is no journal of this QEMU. */
    NOTHING,
    /** It is as it should be, or has ended. */
    RIGHT,
    /** Its settings are restored; the user must say what the other end does. */
    UNDECIDED,
    /** It could not be restored. */
    FAILED
  }

  /**
   * Restores all QEMUs whose journals no process owns, as far as that needs no decision.
   *
   * @return a sentence about each
   */
  public List<String> recoverAll() throws IOException, InterruptedException {
    var sentences = new ArrayList<String>();
    for (Journal journal : journals.left().journals()) {
      JournalEntry entry = journal.entry();
      String name = "QEMU %d (%s)".formatted(entry.qemu().pid(), entry.qemu().qmp());
      try {
        sentences.add(
            switch (recover(journal, null)) {
              case RIGHT, NOTHING -> name + " is as it should be.";
              case UNDECIDED ->
                  "%s has its former settings, but it is not known which end has its guest: look at the other end, and call %s --other-end."
                      .formatted(name, Journals.command(entry.qemu().qmp()));
              case FAILED -> name + " is not as it should be yet; see guard.log.";
            });
      } catch (IOException e) {
        sentences.add("%s: %s".formatted(name, e.getMessage()));
      }
    }
    return sentences;
  }

  /**
   * Restores a QEMU.
   *
   * @param otherEnd what the user knows of it; null for nothing
   * @throws IOException if it must not be touched, or its journal cannot be used; one sentence
   */
  public Result recover(QmpAddress qmp, @Nullable OtherEnd otherEnd)
      throws IOException, InterruptedException {
    Optional<Journal> found = journals.at(qmp);
    if (found.isEmpty()) {
      List<String> unreadable = journals.all().unreadable();
      if (!unreadable.isEmpty()) {
        throw new IOException(String.join(" ", unreadable));
      }
      return Result.NOTHING;
    }
    return recover(found.get(), otherEnd);
  }

  private Result recover(Journal journal, @Nullable OtherEnd otherEnd)
      throws IOException, InterruptedException {
    journals.take(journal);
    var repair = new QemuRepair(qemu(journal.entry()), journal.entry().before(), log);
    Watch.Ending ending = Watch.Ending.FAILED;
    try {
      requireSame(journal.entry());
      ending = finish(journal.entry(), repair, otherEnd);
    } finally {
      Guard.end(journal, ending, repair);
    }
    return switch (ending) {
      case RIGHT -> repair.isComplete() || repair.hasEnded() ? Result.RIGHT : Result.FAILED;
      case UNDECIDED -> Result.UNDECIDED;
      case FAILED -> Result.FAILED;
    };
  }

  /** A process of an earlier boot has ended, even if another one has its id and time of start. */
  private static GuardedQemu qemu(JournalEntry entry) throws IOException {
    GuardedQemu qemu = entry.qemu();
    return entry.boot().equals(Journals.boot())
        ? qemu
        : new GuardedQemu(
            new ProcessIdentity(qemu.pid(), -1), qemu.qmp(), qemu.uuid(), qemu.name());
  }

  /** The process must listen at the address, and be the machine that the journal names. */
  private void requireSame(JournalEntry entry) throws IOException, InterruptedException {
    if (!Journals.isRunning(entry)) {
      return;
    }
    GuardedQemu qemu = entry.qemu();
    if (listening.apply(qemu.qmp()).orElse(0) != qemu.pid()) {
      throw new IOException(
          "It is not QEMU %d that accepts QMP at %s; nothing was touched."
              .formatted(qemu.pid(), qemu.qmp()));
    }
    if (!qemu.uuid().isEmpty() && !qemu.uuid().equals(uuid(qemu))) {
      throw new IOException(
          "The QEMU at %s is another machine than the one that was migrated (its UUID differs); nothing was touched."
              .formatted(qemu.qmp()));
    }
  }

  private static String uuid(GuardedQemu qemu) throws IOException, InterruptedException {
    try (Qmp connected = Qmp.connect(qemu.qmp(), CONNECT)) {
      return new QemuMonitor(connected).uuid().orElse("");
    } catch (QmpException e) {
      if (e.kind() == QmpException.Kind.REFUSED) {
        return "";
      }
      throw e;
    }
  }

  private Watch.Ending finish(JournalEntry entry, QemuRepair repair, @Nullable OtherEnd otherEnd)
      throws IOException, InterruptedException {
    boolean running = Journals.isRunning(entry);
    if (running) {
      clean(entry);
    }
    return entry.role() == Role.SOURCE
        ? source(entry, repair, running, otherEnd)
        : destination(entry, repair, running, otherEnd);
  }

  /** Removes what a session leaves beside the settings. */
  private void clean(JournalEntry entry) throws IOException {
    Path socket = entry.socket();
    if (socket != null) {
      try {
        if (!Files.isDirectory(socket, LinkOption.NOFOLLOW_LINKS)) {
          Files.deleteIfExists(socket);
        }
        Files.deleteIfExists(socket.resolveSibling(".").normalize());
      } catch (IOException e) {
        log.add("The directory of %s is left: %s".formatted(socket, Target.reason(e)));
      }
    }
    Integer userfault = entry.userfault();
    long pid = entry.qemu().pid();
    if (userfault != null && isUserfault(pid, userfault)) {
      try {
        UserfaultInjection.close(pid, userfault);
      } catch (IOException e) {
        log.add("A userfaultfd is left open in QEMU %d: %s".formatted(pid, e.getMessage()));
      }
    }
  }

  private static boolean isUserfault(long pid, int descriptor) {
    try {
      return Files.readSymbolicLink(
              Path.of("/proc", Long.toString(pid), "fd", Integer.toString(descriptor)))
          .toString()
          .equals("anon_inode:[userfaultfd]");
    } catch (IOException e) {
      return false;
    }
  }

  // ----------------------------------------------------------------------------------- source

  private Watch.Ending source(
      JournalEntry entry, QemuRepair repair, boolean running, @Nullable OtherEnd otherEnd)
      throws IOException, InterruptedException {
    if (running && repair.runs() && entry.stage() != Stage.LEAVING) {
      return repair.restored(false, "The guest was continued here meanwhile, and is not touched.");
    }
    var watch = new SourceWatch(repair, new OpenedUserfault(entry.qemu()), log);
    if (entry.run()) {
      var _ = watch.take(Note.of(Note.Kind.STOPPING));
    }
    if (entry.stage() == Stage.HANDED_OVER) {
      var _ = watch.take(Note.of(Note.Kind.HANDED_OVER));
    } else if (entry.stage() == Stage.HANDING_OVER) {
      Handover handover = entry.handover();
      if (handover == null) {
        throw new IOException("The journal does not say where the guest was handed over to.");
      }
      if (otherEnd != null) {
        return decided(entry, repair, otherEnd);
      }
      var _ = watch.take(Note.of(Note.Kind.HANDING_OVER, handover));
    }
    Watch.Ending ending = watch.finish();
    if (ending == Watch.Ending.UNDECIDED) {
      log.add(
          "Look at the destination, or run 'recover' there for its QEMU at the same time, and then"
              + " say here what you found: --other-end guest-runs, guest-ended or powered-off.");
    }
    return ending;
  }

  private static Watch.Ending decided(JournalEntry entry, QemuRepair repair, OtherEnd otherEnd)
      throws InterruptedException {
    if (otherEnd == OtherEnd.GUEST_RUNS) {
      return repair.end("The user says that the guest runs at the destination.")
          ? Watch.Ending.RIGHT
          : Watch.Ending.FAILED;
    }
    return repair.restored(
        entry.run(), "The user says that the guest does not run at the destination.");
  }

  // ------------------------------------------------------------------------------ destination

  private Watch.Ending destination(
      JournalEntry entry, QemuRepair repair, boolean running, @Nullable OtherEnd otherEnd)
      throws IOException, InterruptedException {
    DestinationWatch watch = watch(entry, repair);
    boolean loaded =
        switch (entry.stage()) {
          case LOADING -> running && repair.mayBeLoaded();
          case LOADED -> true;
          case SWITCHING_OVER -> entry.run();
          default -> false;
        };
    if (!loaded || !running) {
      return watch.finish();
    }
    if (repair.runs()) {
      if (entry.stage() == Stage.SWITCHING_OVER) {
        return watch.finish();
      }
      return repair.restored(false, "The guest was started here meanwhile, and is not touched.");
    }
    if (otherEnd == OtherEnd.GUEST_RUNS) {
      if (entry.stage() != Stage.SWITCHING_OVER && entry.handover() != null) {
        // Ends it, and tells a source that asks.
        return watch.finish();
      }
      return repair.end("The user says that the guest runs at the source.")
          ? Watch.Ending.RIGHT
          : Watch.Ending.FAILED;
    }
    if (otherEnd != null) {
      return repair.restored(true, "The user says that the guest does not run at the source.");
    }
    boolean handedOver = entry.stage() == Stage.SWITCHING_OVER;
    Watch.Ending ending =
        repair.restored(
            false,
            handedOver
                ? "The source had handed the guest over, and it is loaded here, paused."
                : "The guest is loaded here, paused, and the source had not handed it over.");
    if (ending == Watch.Ending.RIGHT && !repair.hasEnded()) {
      log.add(
          "Look at the source, and then say here what you found: --other-end guest-runs ends this"
              + " QEMU"
              + (handedOver ? "" : ", and answers a source that asks,")
              + " guest-ended or powered-off starts the guest here.");
      return Watch.Ending.UNDECIDED;
    }
    return ending;
  }

  private DestinationWatch watch(JournalEntry entry, QemuRepair repair) throws IOException {
    var watch = new DestinationWatch(repair, log, InquiryAnswers.AGAIN);
    Handover handover = entry.handover();
    if (handover != null) {
      var _ = watch.take(Note.of(Note.Kind.CONNECTED, handover));
    }
    Note stage =
        switch (entry.stage()) {
          case LOADING -> Note.of(Note.Kind.LOADING);
          case LOADED -> Note.of(Note.Kind.LOADED);
          case SWITCHING_OVER -> Note.switchingOver(entry.run());
          case RUNNING -> Note.of(Note.Kind.RUNNING);
          default -> null;
        };
    if (stage != null) {
      var _ = watch.take(stage);
    }
    return watch;
  }
}
