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
import org.wridscope.control.Session;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
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
    var pairs = new ArrayList<SessionPair>();
    for (RecordedMigration migration : RecordedMigration.find(recordings, notes)) {
      var pair = new SessionPair(migration.source(), migration.destination());
      shown.put(pair, migration.of());
      pairs.add(pair);
    }
    return pairs;
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
