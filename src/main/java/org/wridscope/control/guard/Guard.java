// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.InquiryAnswers;
import org.wridscope.files.Target;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.JournalEntry.Role;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.process.UserfaultInjection;
import org.wridscope.qmp.QmpAddress;

/** Takes notes, and acts at their end unless it was told to leave. */
final class Guard {
  /** After which a guard ends, whatever it is doing. */
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final GuardLog log;
  private final Duration again;
  private @Nullable Watch watch;
  private @Nullable QemuRepair repair;
  private @Nullable Path journal;
  private boolean left;

  /** Each in a directory of its own; the process may have deleted both. */
  private final List<Path> sockets = new ArrayList<>();

  Guard(GuardLog log) {
    this(log, InquiryAnswers.AGAIN);
  }

  /**
   * @param again how long the guard of a destination goes on after an answer
   */
  Guard(GuardLog log, Duration again) {
    this.log = log;
    this.again = again;
  }

  /**
   * Does once, to no effect, what the first notes ask for: a virtual machine that has just started
   * takes half a second for it, and a guard usually starts before it is needed. Only a source has a
   * userfaultfd opened.
   */
  static void prepare(Role role) {
    if (role == Role.SOURCE) {
      Thread.ofPlatform().daemon().name("prepare").start(UserfaultInjection::prepare);
    }
    try {
      Note sample =
          Note.of(
              Note.Kind.SOURCE,
              new GuardedQemu(new ProcessIdentity(0, 0), QmpAddress.parse("unix:/none"), "", ""),
              new GuardedSettings(Map.of("capability", true), new JsonObject(), false));
      Note parsed = Note.parse(sample.line());
      var _ = parsed.qemu().isAlive();
      var _ = parsed.before();
    } catch (IOException e) {
      // The first note meets the same, and its answer says so.
    }
  }

  /** Answers each line of the input until its end. */
  void watch(BufferedReader notes, PrintStream answers) throws IOException {
    String line;
    while (!left && (line = notes.readLine()) != null) {
      JsonObject answer;
      try {
        answer = take(Note.parse(line));
      } catch (IOException | RuntimeException e) {
        answer = new JsonObject();
        answer.addProperty(Note.ERROR, "The guard of the QEMU failed: " + e.getMessage());
      }
      answers.print(answer + "\n");
      answers.flush();
    }
    if (!left && watch != null) {
      finish(watch);
    }
  }

  private JsonObject take(Note note) throws IOException {
    switch (note.kind()) {
      case LEAVE -> left = true;
      case SOURCE, DESTINATION -> begin(note);
      case CREATING -> sockets.add(note.socket());
      default -> {
        if (watch == null) {
          throw new IOException("no QEMU was named before " + note.kind());
        }
        return watch.take(note);
      }
    }
    return new JsonObject();
  }

  private void begin(Note note) throws IOException {
    GuardedQemu qemu = note.qemu();
    if (!qemu.isAlive()) {
      throw new IOException("the QEMU %d has ended".formatted(qemu.pid()));
    }
    var repair = new QemuRepair(qemu, note.before(), log);
    this.repair = repair;
    journal = note.journal().orElse(null);
    if (note.kind() == Note.Kind.SOURCE) {
      watch = new SourceWatch(repair, new OpenedUserfault(qemu), log);
    } else {
      watch = new DestinationWatch(repair, log, again);
    }
  }

  private void finish(Watch watch) {
    Thread limit = Thread.ofPlatform().daemon().name("limit").start(this::giveUpInTime);
    try {
      Watch.Ending ending = watch.finish();
      if (journal != null && repair != null) {
        endJournal(journal, ending, repair);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      log.add("It made an error: " + e);
      throw e;
    } finally {
      limit.interrupt();
      sockets.forEach(this::delete);
    }
  }

  private void endJournal(Path file, Watch.Ending ending, QemuRepair repair) {
    try {
      Journal open = Journal.open(file);
      JournalEntry entry = open.entry();
      boolean abandoned = isAbandoned(entry);
      end(open, ending, repair);
      if (abandoned && open.isRemoved()) {
        Deeds.beside(log.file()).add(entry, log.said());
      }
    } catch (IOException e) {
      log.add(String.valueOf(e.getMessage()));
    }
  }

  /** Whether a process of the session has ended, which left its QEMU to this one. */
  private static boolean isAbandoned(JournalEntry entry) throws IOException {
    for (ProcessIdentity owner : entry.owners()) {
      if (owner.pid() != ProcessHandle.current().pid() && !owner.isAlive()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Removes the journal of a restored QEMU, or leaves in it what is still to be decided or done.
   */
  static void end(Journal journal, Watch.Ending ending, QemuRepair repair) throws IOException {
    boolean complete = repair.isComplete() || repair.hasEnded();
    JournalEntry left = journal.entry().withOwners(List.of());
    if (!complete || ending == Watch.Ending.FAILED) {
      journal.write(left);
    } else if (ending == Watch.Ending.UNDECIDED) {
      journal.write(left.restored());
    } else {
      journal.remove();
    }
  }

  /** Ends the process after a time, unless it is interrupted. */
  private void giveUpInTime() {
    try {
      Thread.sleep(LIMIT);
    } catch (InterruptedException e) {
      return;
    }
    log.add("It gave up after %d s.".formatted(LIMIT.toSeconds()));
    Runtime.getRuntime().halt(1);
  }

  private void delete(Path socket) {
    try {
      Files.deleteIfExists(socket);
      Files.deleteIfExists(socket.toAbsolutePath().getParent());
    } catch (IOException e) {
      log.add("The directory of %s is left: %s".formatted(socket, Target.reason(e)));
    }
  }
}
