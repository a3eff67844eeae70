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

/**
 * The recordings that are open, and what of them is shown. Thread-safe: what reads or closes files
 * holds no lock meanwhile.
 */
public final class OpenRecordings implements AutoCloseable {
  /** What is shown of which files; a file is closed when nothing of it is shown any more. */
  private final Map<SessionPair, List<Recording>> shown = new LinkedHashMap<>();

  private boolean closed;

  /**
   * What was opened.
   *
   * @param pairs the migrations in the files
   * @param notes what is to be known of them, a sentence each
   */
  public record Opened(List<SessionPair> pairs, List<String> notes) {}

  /**
   * Opens files that belong together, which takes as long as reading them. A source and a
   * destination of two files become one migration, on the clock of the source.
   *
   * @throws IOException when one cannot be opened, with a sentence for the user; then none is
   * @throws IllegalArgumentException likewise
   */
  public Opened open(List<Path> files) throws IOException {
    var recordings = new ArrayList<Recording>();
    boolean done = false;
    try {
      for (Path file : files) {
        recordings.add(Recording.open("Recording", file));
      }
      var notes = new ArrayList<String>();
      for (Recording recording : recordings) {
        recording.notes().forEach(note -> notes.add(recording.file().getFileName() + ": " + note));
      }
      var found = new LinkedHashMap<SessionPair, List<Recording>>();
      for (RecordedMigration migration : RecordedMigration.find(recordings, notes)) {
        found.put(new SessionPair(migration.source(), migration.destination()), migration.of());
      }
      add(found);
      done = true;
      return new Opened(List.copyOf(found.keySet()), List.copyOf(notes));
    } finally {
      if (!done) {
        close(recordings);
      }
    }
  }

  private synchronized void add(Map<SessionPair, List<Recording>> found) throws IOException {
    if (closed) {
      throw new IOException("The window was closed meanwhile.");
    }
    shown.putAll(found);
  }

  /** Everything that is shown. */
  public synchronized List<Session> sessions() {
    return shown.keySet().stream().flatMap(pair -> pair.sessions().stream()).toList();
  }

  /**
   * Shows a migration no longer, and closes the files that nothing else is shown of; that waits for
   * whoever reads them.
   */
  public void remove(SessionPair pair) throws IOException {
    close(takeOut(pair));
  }

  /** The files that nothing is shown of any more. */
  private synchronized List<Recording> takeOut(SessionPair pair) {
    List<Recording> of = shown.remove(pair);
    if (of == null) {
      return List.of();
    }
    Set<Recording> needed = new LinkedHashSet<>();
    shown.values().forEach(needed::addAll);
    return of.stream().filter(recording -> !needed.contains(recording)).toList();
  }

  private static void close(List<Recording> recordings) throws IOException {
    for (Recording recording : recordings) {
      recording.close();
    }
  }

  @Override
  public void close() throws IOException {
    var all = new LinkedHashSet<Recording>();
    synchronized (this) {
      closed = true;
      shown.values().forEach(all::addAll);
      shown.clear();
    }
    close(List.copyOf(all));
  }
}
