// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.Recorder;
import org.wridscope.telemetry.Role;
import org.wridscope.time.Time;

/**
 * Copies of the sessions of a run that stands still again and again, for threads that are none of
 * the run: each shows what a recording would have of its session up to there. A thread of the run
 * looks; while the run stands still, any thread reads.
 */
public final class SteppedSessions {
  private static final SessionRecorder.Pace AT_ONCE =
      new SessionRecorder.Pace(0, Long.MAX_VALUE, Long.MAX_VALUE);

  private final String name;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final RecordingWriter writer;
  private final FeedInput input = new FeedInput(this::begun);
  private final List<Session> known = new ArrayList<>();
  private final List<SessionRecorder> recorders = new ArrayList<>();
  private final List<SteppedSession> copies = new ArrayList<>();
  private volatile @Nullable SessionPair pair;

  /**
   * @param name of the run; the names of its sessions begin with it
   */
  public SteppedSessions(String name) {
    this.name = name;
    try {
      writer = new RecordingWriter(Channels.newChannel(written));
    } catch (IOException e) {
      throw new IllegalStateException("memory is always written", e);
    }
  }

  private void begun(FeedReplay feed) {
    copies.add(new SteppedSession(name, feed));
  }

  /**
   * Copies what is new.
   *
   * @param sessions those that were started; at most {@link Recorder#MAX_SESSIONS}
   * @param ended whether nothing follows
   */
  public void look(List<Session> sessions, boolean ended) {
    try {
      for (Session session : sessions) {
        if (!known.contains(session)) {
          recorders.add(new SessionRecorder(writer, known.size(), session, AT_ONCE));
          known.add(session);
        }
      }
      for (SessionRecorder recorder : recorders) {
        if (ended) {
          recorder.finish();
        } else {
          recorder.look();
        }
      }
      long now = Time.nanos();
      input.add(written.toByteArray(), now);
      written.reset();
      copies.forEach(copy -> copy.standsAt(now));
    } catch (IOException e) {
      throw new IllegalStateException("what was just written is read", e);
    }
    if (!copies.isEmpty()) {
      pair = new SessionPair(of(Role.SOURCE), of(Role.DESTINATION));
    }
  }

  private @Nullable SteppedSession of(Role role) {
    return copies.stream()
        .filter(copy -> copy.role() == role)
        .min(Comparator.comparing(SteppedSession::name))
        .orElse(null);
  }

  /** The copies; null if no session has been started. */
  public @Nullable SessionPair pair() {
    return pair;
  }
}
