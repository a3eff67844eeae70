// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Lab;
import org.wridscope.control.Session;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.recording.file.RecordingFormat;
import org.wridscope.recording.file.RecordingWriter;
import org.wridscope.recording.file.SessionRecorder;
import org.wridscope.telemetry.Ticker;
import org.wridscope.time.Time;

/**
 * Records sessions into a recording, on its own thread, which reads the telemetry of the sessions.
 * The queue between engine and file is the session's {@linkplain org.wridscope.telemetry.EventLog
 * log}, which discards its oldest events: no engine waits for the file, and events discarded before
 * they were recorded are counted. Thread-safe.
 */
public final class Recorder implements AutoCloseable {
  /** Maximum number of sessions in one file. */
  public static final int MAX_SESSIONS = RecordingFormat.MAX_SESSIONS;

  private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);

  private final Target target;
  private final RecordingWriter writer;
  private final List<SessionRecorder> sessions = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile Path file;
  private volatile @Nullable Path note;
  private volatile boolean closing;
  private volatile @Nullable String failure;
  private volatile long bytes;

  private Recorder(Target target, Path file, RecordingWriter writer) {
    this.target = target;
    this.file = file;
    this.writer = writer;
    thread = Time.startObserver("recorder", this::run);
  }

  /**
   * Creates a file. It gets its name when the first session is added; until then an older recording
   * with that name remains.
   *
   * @throws OutputException when it cannot be written under that name, or a file must not be
   *     replaced
   */
  public static Recorder begin(Output output) throws OutputException {
    Target target = Target.of(output);
    Path path = target.path();
    try {
      if (target.isOpenEnded()) {
        var terminal = FileChannel.open(path, StandardOpenOption.WRITE);
        return new Recorder(target, path, new RecordingWriter(terminal));
      }
      Target.Part part = target.create();
      return new Recorder(target, part.path(), new RecordingWriter(part.channel()));
    } catch (IOException e) {
      throw target.unwritable(e);
    }
  }

  /** The path of the recording. */
  public Path file() {
    return file;
  }

  /**
   * A sentence that says why the file has a name other than the requested one; null when it has
   * that.
   */
  public @Nullable String displaced() {
    return sessions.isEmpty() ? null : target.displaced(file);
  }

  /**
   * Records a session from its start, as far as its telemetry still has it, to its end.
   *
   * @throws IllegalStateException when the file has too many sessions already
   */
  public void add(Session session) {
    add(session, null);
  }

  /**
   * Records both ends of a scenario's first run under its schedule, with what is needed to repeat
   * it.
   *
   * @throws IllegalStateException when the file has too many sessions already
   */
  public void add(Lab lab, Scenario scenario) {
    add(lab.source(), scenario);
    add(lab.destination());
  }

  private synchronized void add(Session session, @Nullable Scenario scenario) {
    if (sessions.size() == MAX_SESSIONS) {
      throw new IllegalStateException("a file holds " + MAX_SESSIONS + " sessions");
    }
    if (sessions.isEmpty() && !target.isOpenEnded()) {
      try {
        file = target.place(file);
      } catch (IOException e) {
        LOG.warn("{} could not be renamed", file, e);
      }
      note = RunningRecordings.ofUser().begin(file);
    }
    sessions.add(
        new SessionRecorder(
            writer, sessions.size(), session, SessionRecorder.Pace.WHOLE, scenario));
  }

  private void run() {
    try {
      var ticker = new Ticker();
      while (!closing) {
        for (SessionRecorder session : sessions) {
          session.pump();
        }
        bytes = writer.bytes();
        ticker.await();
      }
      for (SessionRecorder session : sessions) {
        session.finish();
      }
    } catch (IOException e) {
      failed(e);
    } catch (RuntimeException e) {
      LOG.error("recording to {}", file, e);
      failure = "The recording %s stopped because of an internal error: %s".formatted(file, e);
    } finally {
      try {
        writer.close();
        if (sessions.isEmpty() && !target.isOpenEnded()) {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        failed(e);
      }
      RunningRecordings.end(note);
      bytes = writer.bytes();
    }
  }

  private void failed(IOException e) {
    LOG.warn("recording to {}", file, e);
    if (failure == null) {
      failure =
          "The recording %s stopped (%s); the migration itself is not affected."
              .formatted(file, Target.reason(e));
    }
  }

  /** Whether all sessions have ended and are recorded. */
  public boolean isDone() {
    return failure != null
        || (!sessions.isEmpty() && sessions.stream().allMatch(SessionRecorder::isDone));
  }

  /** A sentence that says why the file could not be continued; null if there was no failure. */
  public @Nullable String failure() {
    return failure;
  }

  /** How many events were discarded before they were recorded. */
  public long leftOut() {
    return sessions.stream().mapToLong(SessionRecorder::leftOut).sum();
  }

  /** How many events have been recorded. */
  public long events() {
    return sessions.stream().mapToLong(SessionRecorder::events).sum();
  }

  /** The length of the file a moment ago. */
  public long bytes() {
    return bytes;
  }

  /**
   * Records what is present now and closes the file, which is deleted if it has no session.
   * Sessions that have not ended continue.
   */
  @Override
  public void close() {
    closing = true;
    Time.unpark(thread);
    Time.join(thread);
  }
}
