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
import org.wridscope.control.SessionPair;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import org.wridscope.recording.qemu.UnknownEndException;
import org.wridscope.telemetry.Role;

/** The open recordings and their migrations. Thread-safe; holds no lock while it accesses files. */
public final class OpenRecordings implements AutoCloseable {
  /** The files of each migration; a file is closed when none of its migrations is shown. */
  private final Map<SessionPair, List<Recording>> shown = new LinkedHashMap<>();

  private boolean closed;

  /**
   * The content of opened files.
   *
   * @param pairs the migrations in the files
   * @param notes what the user should know about them, and about files that cannot be opened, a
   *     sentence each
   */
  public record Opened(List<SessionPair> pairs, List<String> notes) {}

  /** Opens files that all show which end wrote them. */
  public Opened open(List<Path> files) throws IOException {
    return open(files, Map.of());
  }

  /**
   * Opens files that belong together; returns when they have been read. A source and a destination
   * in two files become one migration, with the times of the source.
   *
   * @param ends which end wrote a trace log, as far as the user has said so
   * @throws UnknownEndException if a trace log does not show which end wrote it, and the user has
   *     not said it
   * @throws IOException if no file can be opened, with a sentence for the user
   * @throws IllegalArgumentException likewise
   */
  public Opened open(List<Path> files, Map<Path, Role> ends) throws IOException {
    var notes = new ArrayList<String>();
    List<Recording> recordings = Recording.openAll("Recording", files, ends, notes);
    boolean done = false;
    try {
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

  /** All sessions of open recordings. */
  public synchronized List<Session> sessions() {
    return shown.keySet().stream().flatMap(pair -> pair.sessions().stream()).toList();
  }

  /**
   * Removes a migration, and closes its files unless another migration needs them; waits for
   * running reads.
   */
  public void remove(SessionPair pair) throws IOException {
    close(takeOut(pair));
  }

  /** Removes a migration; returns the files that no other migration needs. */
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
