// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.replay.ClockAlignment;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Role;

/**
 * The ends of a recorded migration on one clock; at least one of them is present.
 *
 * @param of the recordings that contain them
 */
public record RecordedMigration(
    @Nullable RecordedSession source, @Nullable RecordedSession destination, List<Recording> of) {

  /**
   * Finds the sessions that belong together: those with the same URI in one file, and a source and
   * a destination in two files, which are converted to the clock of the source. A program that is
   * not ours stands alone.
   *
   * @param notes receives remarks for the user, a sentence each
   */
  public static List<RecordedMigration> find(List<Recording> recordings, List<String> notes)
      throws IOException {
    var lone = new LinkedHashMap<RecordedSession, Recording>();
    var found = new ArrayList<RecordedMigration>();
    for (Recording recording : recordings) {
      var rest = new ArrayList<>(recording.sessions());
      while (!rest.isEmpty()) {
        RecordedSession first = rest.removeFirst();
        RecordedSession other = counterpart(first, rest);
        if (other == null) {
          lone.put(first, recording);
        } else {
          rest.remove(other);
          found.add(of(first, other, List.of(recording)));
        }
      }
    }
    List<RecordedSession> ends = List.copyOf(lone.keySet());
    if (ends.size() == 2
        && ends.stream().allMatch(RecordedSession::migrates)
        && ends.getFirst().role() != ends.getLast().role()) {
      boolean inOrder = ends.getFirst().role() == Role.SOURCE;
      RecordedSession source = inOrder ? ends.getFirst() : ends.getLast();
      RecordedSession destination = inOrder ? ends.getLast() : ends.getFirst();
      ClockAlignment alignment = ClockAlignment.of(source, destination);
      if (alignment.byMessages() || alignment.messages() == 0) {
        notes.add(alignment.sentence());
      }
      found.add(
          of(
              source,
              destination.shifted(alignment.shiftNanos()),
              List.copyOf(new LinkedHashSet<>(lone.values()))));
    } else {
      for (Map.Entry<RecordedSession, Recording> each : lone.entrySet()) {
        found.add(of(each.getKey(), null, List.of(each.getValue())));
      }
    }
    return found;
  }

  /** Moves both to the end of the later one. */
  private static RecordedMigration of(
      RecordedSession one, @Nullable RecordedSession other, List<Recording> of) throws IOException {
    if (other != null) {
      long end = Math.max(one.lastNanos(), other.lastNanos());
      one.moveTo(end);
      other.moveTo(end);
    }
    boolean source = one.role() == Role.SOURCE;
    return new RecordedMigration(source ? one : other, source ? other : one, of);
  }

  /** The other end of the same migration among the sessions of the same file. */
  private static @Nullable RecordedSession counterpart(
      RecordedSession session, List<RecordedSession> others) {
    for (RecordedSession other : others) {
      if (session.migrates()
          && other.migrates()
          && other.role() != session.role()
          && other.uri().equals(session.uri())) {
        return other;
      }
    }
    return null;
  }
}
