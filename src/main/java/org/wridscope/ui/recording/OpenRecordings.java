// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.recording.ClockAlignment;
import org.wridscope.recording.RecordedSession;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.SessionPair;

/** The recordings that are open, and what of them is shown. Thread-safe. */
public final class OpenRecordings implements AutoCloseable {
  /** What is shown of which files; a file is closed when nothing of it is shown any more. */
  private final Map<SessionPair, List<Recording>> shown = new LinkedHashMap<>();

  /**
   * What was opened.
   *
   * @param pairs the migrations in the files
   * @param notes what is to be known of them, a sentence each
   */
  public record Opened(List<SessionPair> pairs, List<String> notes) {}

  /**
   * Opens files that belong together. A source and a destination of two files become one migration,
   * on the clock of the source.
   *
   * @throws IOException when one cannot be opened, with a sentence for the user; then none is
   * @throws IllegalArgumentException likewise
   */
  public synchronized Opened open(List<Path> files) throws IOException {
    var recordings = new ArrayList<Recording>();
    try {
      for (Path file : files) {
        recordings.add(Recording.open("Recording", file));
      }
      var notes = new ArrayList<String>();
      for (Recording recording : recordings) {
        recording.notes().forEach(note -> notes.add(recording.file().getFileName() + ": " + note));
      }
      return new Opened(pairs(recordings, notes), List.copyOf(notes));
    } catch (IOException | RuntimeException e) {
      for (Recording recording : recordings) {
        recording.close();
      }
      throw e;
    }
  }

  private List<SessionPair> pairs(List<Recording> recordings, List<String> notes)
      throws IOException {
    var lone = new LinkedHashMap<RecordedSession, Recording>();
    var pairs = new ArrayList<SessionPair>();
    for (Recording recording : recordings) {
      var rest = new ArrayList<>(recording.sessions());
      while (!rest.isEmpty()) {
        RecordedSession first = rest.removeFirst();
        RecordedSession other = counterpart(first, rest);
        if (other == null) {
          lone.put(first, recording);
        } else {
          rest.remove(other);
          pairs.add(show(first, other, List.of(recording)));
        }
      }
    }
    List<RecordedSession> ends = List.copyOf(lone.keySet());
    if (ends.size() == 2 && ends.getFirst().role() != ends.getLast().role()) {
      boolean inOrder = ends.getFirst().role() == Role.SOURCE;
      RecordedSession source = inOrder ? ends.getFirst() : ends.getLast();
      RecordedSession destination = inOrder ? ends.getLast() : ends.getFirst();
      ClockAlignment alignment = ClockAlignment.of(source, destination);
      if (alignment.byMessages() || alignment.messages() == 0) {
        notes.add(alignment.sentence());
      }
      pairs.add(
          show(
              source,
              destination.shifted(alignment.shiftNanos()),
              List.copyOf(new LinkedHashSet<>(lone.values()))));
    } else {
      for (Map.Entry<RecordedSession, Recording> entry : lone.entrySet()) {
        pairs.add(show(entry.getKey(), null, List.of(entry.getValue())));
      }
    }
    return pairs;
  }

  /** The other end of the same migration among the sessions of the same file. */
  private static @Nullable RecordedSession counterpart(
      RecordedSession session, List<RecordedSession> others) {
    for (RecordedSession other : others) {
      if (other.role() != session.role() && other.uri().equals(session.uri())) {
        return other;
      }
    }
    return null;
  }

  private SessionPair show(
      RecordedSession one, @Nullable RecordedSession other, List<Recording> of) {
    boolean source = one.role() == Role.SOURCE;
    var pair = new SessionPair(source ? one : other, source ? other : one);
    shown.put(pair, of);
    return pair;
  }

  /** Everything that is shown. */
  public synchronized List<Session> sessions() {
    return shown.keySet().stream().flatMap(pair -> pair.sessions().stream()).toList();
  }

  /** Shows a migration no longer, and closes the files that nothing else is shown of. */
  public synchronized void remove(SessionPair pair) throws IOException {
    List<Recording> of = shown.remove(pair);
    if (of != null) {
      Set<Recording> needed = new LinkedHashSet<>();
      shown.values().forEach(needed::addAll);
      for (Recording recording : of) {
        if (!needed.contains(recording)) {
          recording.close();
        }
      }
    }
  }

  @Override
  public synchronized void close() throws IOException {
    for (SessionPair pair : List.copyOf(shown.keySet())) {
      remove(pair);
    }
  }
}
