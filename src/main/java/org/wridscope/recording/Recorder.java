// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.control.UserFiles;

/**
 * Records sessions in a trace file, on a thread of its own that reads what the sessions' telemetry
 * keeps. The queue between the engine and the file is the {@linkplain
 * org.wridscope.telemetry.EventLog log} of the session, which gives up its oldest events: nobody
 * waits for the file, and what was given up before it was recorded is counted. Thread-safe.
 */
public final class Recorder implements AutoCloseable {
  /** Sessions that one file holds. */
  public static final int MAX_SESSIONS = TraceFile.MAX_SESSIONS;

  private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Path file;
  private final TraceWriter writer;
  private final List<SessionRecorder> sessions = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean closing;
  private volatile @Nullable String failure;
  private volatile long bytes;

  private Recorder(Path file, TraceWriter writer) {
    this.file = file;
    this.writer = writer;
    thread = Thread.ofPlatform().daemon().name("recorder").start(this::run);
  }

  /**
   * Begins a file, in place of what has its name.
   *
   * @param field what the user calls it, for the message
   * @throws IllegalArgumentException when it cannot be written, with one sentence for the user
   */
  public static Recorder begin(String field, Path path) {
    Path file = UserFiles.output(field, path);
    try {
      return new Recorder(file, new TraceWriter(open(file)));
    } catch (IOException e) {
      throw UserFiles.unwritable(field, path, e);
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(
        file,
        StandardOpenOption.CREATE,
        StandardOpenOption.WRITE,
        StandardOpenOption.TRUNCATE_EXISTING);
  }

  public Path file() {
    return file;
  }

  /**
   * Records a session from its beginning, as far as its telemetry still knows it, to its end.
   *
   * @throws IllegalStateException when there are too many already
   */
  public synchronized void add(Session session) {
    if (sessions.size() == MAX_SESSIONS) {
      throw new IllegalStateException("a file holds " + MAX_SESSIONS + " sessions");
    }
    sessions.add(new SessionRecorder(writer, sessions.size(), session));
  }

  private void run() {
    try {
      long next = System.nanoTime();
      while (!closing) {
        for (SessionRecorder session : sessions) {
          session.pump();
        }
        bytes = writer.bytes();
        next += INTERVAL_NANOS;
        long rest = next - System.nanoTime();
        if (rest > 0) {
          LockSupport.parkNanos(rest);
        } else {
          next = System.nanoTime();
        }
      }
      for (SessionRecorder session : sessions) {
        session.finish();
      }
    } catch (IOException e) {
      failed(e);
    } catch (RuntimeException e) {
      LOG.error("recording to {}", file, e);
      failure = "The recording %s broke off by an error of this program: %s".formatted(file, e);
    } finally {
      try {
        writer.close();
        if (sessions.isEmpty()) {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        failed(e);
      }
      bytes = writer.bytes();
    }
  }

  private void failed(IOException e) {
    LOG.warn("recording to {}", file, e);
    if (failure == null) {
      failure =
          "The recording %s broke off (%s); the migration itself is not affected."
              .formatted(file, UserFiles.reason(e));
    }
  }

  /** Whether all sessions have ended and are recorded. */
  public boolean isDone() {
    return failure != null
        || (!sessions.isEmpty() && sessions.stream().allMatch(SessionRecorder::isDone));
  }

  /** One sentence that says why the file could not be written on; null while all is well. */
  public @Nullable String failure() {
    return failure;
  }

  /** How many events were given up before they were recorded. */
  public long leftOut() {
    return sessions.stream().mapToLong(SessionRecorder::leftOut).sum();
  }

  /** How many events are recorded. */
  public long events() {
    return sessions.stream().mapToLong(SessionRecorder::events).sum();
  }

  /** How long the file is by now, a moment ago. */
  public long bytes() {
    return bytes;
  }

  /**
   * Records what there is now, and closes the file; without a session there is none. Sessions that
   * have not ended go on.
   */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
