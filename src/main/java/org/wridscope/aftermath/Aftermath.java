// SPDX-License-Identifier: Apache-2.0
package org.wridscope.aftermath;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import org.wridscope.aftermath.Left.Kind;
import org.wridscope.control.CaptureFolders;
import org.wridscope.control.CapturedFile;
import org.wridscope.control.Leftovers;
import org.wridscope.control.guard.Deeds;
import org.wridscope.figures.Observation;
import org.wridscope.guest.Handover;
import org.wridscope.guest.Leftover;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.recording.Recording;
import org.wridscope.recording.RunningRecordings;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Phase;
import org.wridscope.watch.AbandonedWatches;

/**
 * Finds what processes left that were killed. Reads files, and changes nothing but what is asked to
 * be forgotten.
 *
 * @param journals of changed QEMUs
 * @param deeds of guards
 * @param captures directories in which guests were captured
 * @param recordings notes about them
 * @param watches of QEMUs
 */
public record Aftermath(
    Journals journals,
    Deeds deeds,
    List<Path> captures,
    RunningRecordings recordings,
    AbandonedWatches watches) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  /** What happened to processes of this process's user. */
  public static Aftermath ofUser() {
    return new Aftermath(
        Journals.ofUser(),
        Deeds.ofUser(),
        CaptureFolders.ofUser().list(),
        RunningRecordings.ofUser(),
        AbandonedWatches.ofUser());
  }

  /** All that is left; what needs a decision comes first. Not for the JavaFX thread. */
  public List<Left> find() {
    var found = new ArrayList<Left>();
    addJournals(found);
    watches
        .sentences()
        .forEach(sentence ->
            found.add(
                new Left(
                    Kind.WATCH,
                    sentence,
                    "Its guest is where it was: a watch changes nothing of it.",
                    "",
                    null)));
    deeds
        .all()
        .forEach(sentences ->
            found.add(
                new Left(
                    Kind.GUARD,
                    "Wridscope was killed, and its guard has put a QEMU right.",
                    String.join(" ", sentences),
                    "",
                    null)));
    addCaptures(found);
    recordings.abandoned().forEach(file -> found.add(recorded(file)));
    return found;
  }

  /** Forgets what needs nothing to be done: what guards did, and which recordings were running. */
  public void forget() {
    deeds.forget();
    recordings.forget();
  }

  // -------------------------------------------------------------------------------- journals

  private void addJournals(List<Left> found) {
    try {
      Journals.Listing left = journals.left();
      for (Journal journal : left.journals()) {
        JournalEntry entry = journal.entry();
        found.add(
            new Left(
                Kind.QEMU,
                what(entry),
                guest(entry),
                "To put this QEMU right: %s".formatted(Journals.command(entry.qemu().qmp())),
                null));
      }
      for (String sentence : left.unreadable()) {
        found.add(
            new Left(
                Kind.QEMU,
                sentence,
                "What ran there, and where its guest is, is not known.",
                "",
                null));
      }
    } catch (IOException e) {
      found.add(
          new Left(
              Kind.QEMU,
              "Journals of QEMUs cannot be read: %s".formatted(e.getMessage()),
              "Whether a migration was cut off is not known.",
              "",
              null));
    }
  }

  private static String what(JournalEntry entry) {
    GuardedQemu qemu = entry.qemu();
    String name = qemu.name().isEmpty() ? "" : " of %s".formatted(qemu.name());
    return "Wridscope was killed while QEMU %d%s (%s) was the %s of a migration, after %s."
        .formatted(
            qemu.pid(),
            name,
            qemu.qmp(),
            entry.role() == JournalEntry.Role.SOURCE ? "source" : "destination",
            time(entry.since()));
  }

  /** Where the guest of a migration is, by the stage at which it was cut off. */
  static String guest(JournalEntry entry) {
    String ended;
    boolean running;
    try {
      running = Journals.isRunning(entry);
      ended = running ? "" : " This QEMU has ended.";
    } catch (IOException e) {
      return "Where its guest is is not known: %s".formatted(e.getMessage());
    }
    return switch (entry.stage()) {
      case LEAVING ->
          running
              ? entry.run()
                  ? "The guest is in this QEMU, and was paused for the switch-over."
                  : "The guest is in this QEMU."
              : "The guest was in this QEMU, which has ended, and the guest with it.";
      case HANDING_OVER ->
          "It is not known which end has the guest: the destination%s may have been told to start it.%s"
              .formatted(destination(entry), ended);
      case HANDED_OVER ->
          "The guest is at the destination%s.%s".formatted(destination(entry), ended);
      case WAITING ->
          "Nothing of a guest was loaded here; if a source had begun, the guest was still there."
              + ended;
      case LOADING -> "The guest was at its source; what is loaded here is incomplete." + ended;
      case LOADED ->
          "It is not known which end has the guest: it was loaded here, and its source may have been told."
              + ended;
      case SWITCHING_OVER ->
          "The source had handed the guest over; whether it was started here is not known." + ended;
      case RUNNING ->
          running
              ? "The guest is in this QEMU."
              : "The guest was in this QEMU, which has ended, and the guest with it.";
    };
  }

  private static String destination(JournalEntry entry) {
    Handover handover = entry.handover();
    return handover == null
        ? ""
        : " (%s:%d)".formatted(handover.host(), handover.destination().getPort());
  }

  // -------------------------------------------------------------------------------- captures

  private void addCaptures(List<Left> found) {
    var left = new LinkedHashSet<Leftover>();
    for (Path folder : captures) {
      try {
        left.addAll(Leftover.in(folder));
      } catch (IOException e) {
        // This user cannot have captured a guest in a directory that it may not read.
      }
    }
    for (Leftover each : left) {
      boolean whole = each.seemsWhole();
      found.add(
          new Left(
              Kind.CAPTURE,
              Leftovers.sentence(each),
              whole
                  ? "Whether the guest still runs at its source is not known: make sure that it does not, before you start it."
                  : "The guest was not captured; look at its source.",
              "",
              null));
    }
  }

  // ------------------------------------------------------------------------------ recordings

  private static Left recorded(Path file) {
    String open = "To see it: ./wridscope %s".formatted(CapturedFile.quoted(file.toString()));
    try (Recording recording = Recording.open("Recording", file)) {
      var what = new ArrayList<String>();
      var guests = new LinkedHashSet<String>();
      for (RecordedSession session : recording.sessions()) {
        what.add(last(session));
        if (session.migrates()) {
          guests.add(guest(session));
        }
      }
      return new Left(
          Kind.RECORDING,
          "Wridscope was killed while it recorded %s: %s.".formatted(file, String.join("; ", what)),
          String.join(" ", guests),
          open,
          file);
    } catch (IOException | IllegalArgumentException e) {
      return new Left(
          Kind.RECORDING,
          "Wridscope was killed while it recorded %s.".formatted(file),
          "What ran, and where its guest is, is not known: %s".formatted(e.getMessage()),
          "",
          null);
    }
  }

  /** A session and how far it was. */
  private static String last(RecordedSession session) {
    List<Phase> phases = session.phases();
    return "%s (%s), %s at %s"
        .formatted(
            session.ownName(),
            session.uri(),
            phases.isEmpty() ? "not begun" : phases.getLast().name(),
            time(session.wallClock(session.lastNanos())));
  }

  private static String guest(RecordedSession session) {
    if (session.status().isEnd() && session.outcome() != null) {
      return "%s: %s".formatted(session.ownName(), session.outcome());
    }
    String then =
        !session.tellsGuest() || session.measuredBefore().isEmpty()
            ? "Whether the guest ran at the %s then is not in it.".formatted(session.role().text())
            : session.guestRunning()
                ? "At the last moment in it the guest ran at the %s."
                    .formatted(session.role().text())
                : "At the last moment in it the guest did not run at the %s."
                    .formatted(session.role().text());
    return then
        + (session.observation() == Observation.ENGINE
            ? " A guest within Wridscope itself ended with it; where another one is now is not known."
            : " Where it is now is not known.");
  }

  private static String time(Instant at) {
    return TIME.format(at.atZone(ZoneId.systemDefault()));
  }
}
