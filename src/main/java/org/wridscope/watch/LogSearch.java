// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Folder;
import org.wridscope.telemetry.Role;

/**
 * Finds out which logs belong to a migration, and which end writes each: named files, or those of a
 * directory.
 */
final class LogSearch implements AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(50);

  /** The logs of both ends usually show within this time whose they are. */
  private static final Duration OTHER_END = Duration.ofSeconds(2);

  /** Files of a directory that are looked into. */
  private static final int MOST_FILES = 256;

  private final @Nullable Path directory;
  private final List<LogWatch> logs = new ArrayList<>();
  private final Set<Path> known = new HashSet<>();
  private final Map<Role, LogWatch> found = new EnumMap<>(Role.class);

  /**
   * @param places a directory, or one or two files
   */
  LogSearch(List<Path> places) throws IOException {
    directory = Files.isDirectory(places.getFirst()) ? places.getFirst() : null;
    if (directory == null) {
      for (Path place : places) {
        open(place);
      }
    }
  }

  private void open(Path path) throws IOException {
    if (known.add(path) && known.size() <= MOST_FILES) {
      logs.add(new LogWatch(new FollowedFile(path)));
    }
  }

  /**
   * Waits until it is known which end writes each named file, or until a directory has the log of
   * an end, and if possible that of the other one.
   *
   * @param first the end that writes the first named file, null if its lines are to show that
   * @return the logs by their ends, which are the caller's now
   * @throws IOException when two logs are of the same end, or one cannot be read; one sentence
   */
  Map<Role, LogWatch> await(@Nullable Role first) throws IOException, InterruptedException {
    if (first != null) {
      found.put(first, logs.getFirst());
    }
    long foundAt = System.nanoTime();
    while (true) {
      boolean none = found.isEmpty();
      if (directory != null) {
        list(directory);
      }
      for (LogWatch log : logs) {
        Role end = found.containsValue(log) ? null : log.recognise();
        if (end != null && (found.putIfAbsent(end, log) != null) && directory == null) {
          throw new IOException(
              "%s and %s are logs of the same end of a migration; name one of each end."
                  .formatted(logs.getFirst().path(), logs.getLast().path()));
        }
      }
      if (none) {
        foundAt = System.nanoTime();
      }
      boolean other = System.nanoTime() - foundAt < OTHER_END.toNanos();
      if (!found.isEmpty() && (found.size() == 2 || (directory == null ? isOne() : !other))) {
        break;
      }
      Thread.sleep(LOOK);
    }
    logs.removeAll(found.values());
    return found;
  }

  /** Whether one file was named; if it is one of two, the other one is that of the other end. */
  private boolean isOne() {
    if (logs.size() == 2) {
      Role known = found.keySet().iterator().next();
      LogWatch other = found.containsValue(logs.getFirst()) ? logs.getLast() : logs.getFirst();
      found.put(known.other(), other);
    }
    return true;
  }

  private void list(Path folder) throws IOException {
    for (Path file : Folder.entries(folder)) {
      if (Files.isRegularFile(file) && Files.isReadable(file)) {
        try {
          open(file);
        } catch (IOException e) {
          // It is gone, or is none of the logs, which can be read; another may take its name.
          known.remove(file);
        }
      }
    }
  }

  /** Closes the files that are not of the migration. */
  @Override
  public void close() {
    logs.forEach(LogWatch::close);
  }
}
