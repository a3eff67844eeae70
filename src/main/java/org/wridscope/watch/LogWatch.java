// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.recording.qemu.LiveImport;
import org.wridscope.recording.qemu.LogRecognition;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * Follows one trace log of a QEMU, from where it was opened on, until the migration has ended and
 * nothing more is written, or it is told to stop. One thread reads the file and makes a session of
 * its lines.
 */
final class LogWatch {
  private static final Logger LOG = LoggerFactory.getLogger(LogWatch.class);

  private static final Duration LOOK = Duration.ofMillis(50);

  /**
   * How long nothing is written after the migration's end before the watch ends: QEMU cleans up.
   */
  private static final Duration QUIET = Duration.ofSeconds(3);

  private final FollowedFile file;
  private final LogRecognition recognition = new LogRecognition();

  /** What was read before it was known which end writes the log. */
  private final List<Lines> first = new ArrayList<>();

  private final Semaphore wakeUps = new Semaphore(0);
  private volatile boolean stopping;

  LogWatch(FollowedFile file) {
    this.file = file;
  }

  Path path() {
    return file.path();
  }

  /** Reads what is there until it is known which end writes the log, null if that is not said. */
  @Nullable Role recognise() throws IOException {
    Lines next;
    while (recognition.end() == null && (next = file.next()) != null) {
      first.add(next);
      for (String text : next.texts()) {
        recognition.add(text);
      }
    }
    return recognition.end();
  }

  /**
   * Begins the session, with what was read already.
   *
   * @param clockShift what has to be added to nanoseconds since 1970 for {@link System#nanoTime()}
   */
  LiveImport begin(Role role, long clockShift) throws IOException {
    LiveImport begun = LiveImport.ofLog(role, recognition, clockShift);
    for (Lines lines : first) {
      add(begun, lines);
    }
    first.clear();
    begun.show(System.nanoTime());
    return begun;
  }

  private static void add(LiveImport log, Lines lines) throws IOException {
    for (String text : lines.texts()) {
      log.add(text, lines.nanos());
    }
  }

  void start(LiveImport begun, WatchedSession session) {
    Thread.ofPlatform().daemon().name(session.name()).start(() -> follow(begun, session));
  }

  /** Ends the watch soon; from any thread. */
  void stop() {
    stopping = true;
    wakeUps.release();
  }

  private void follow(LiveImport begun, WatchedSession session) {
    String sentence = "This program made an error; see its log.";
    try {
      long written = System.nanoTime();
      while (!stopping && !(begun.telemetry().status().isEnd() && isQuietSince(written))) {
        Lines next = file.next();
        file.newBeginning().ifPresent(begun::note);
        if (next != null) {
          add(begun, next);
          written = System.nanoTime();
        }
        if (isQuietSince(written)) {
          begun.conclude();
        }
        begun.show(System.nanoTime());
        if (next == null) {
          boolean _ = wakeUps.tryAcquire(LOOK.toNanos(), TimeUnit.NANOSECONDS);
        }
      }
      begun.conclude();
      begun.enter(MigrationStatus.CANCELLED);
      begun.finish(System.nanoTime());
      sentence =
          begun.telemetry().status() == MigrationStatus.CANCELLED
              ? "The log is no longer followed; it did not show the end of the migration."
              : "" + begun.outcome();
    } catch (IOException e) {
      sentence = "%s can no longer be followed: %s".formatted(file.path(), e.getMessage());
    } catch (InterruptedException e) {
      // Nobody interrupts this thread; it ends here all the same.
      LOG.error("the watch of {} was interrupted", session.name(), e);
    } catch (RuntimeException | Error e) {
      LOG.error("the watch of {}", session.name(), e);
    } finally {
      close();
      session.end(sentence);
    }
  }

  private static boolean isQuietSince(long nanos) {
    return System.nanoTime() - nanos > QUIET.toNanos();
  }

  /** Closes the file; to be called if the session was not started. */
  void close() {
    try {
      file.close();
    } catch (IOException e) {
      LOG.debug("{}: {}", file.path(), e.getMessage());
    }
  }
}
