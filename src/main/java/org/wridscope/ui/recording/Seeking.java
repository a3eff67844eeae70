// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.replay.Moment;
import org.wridscope.recording.replay.RecordedSession;

/**
 * Moves recorded migrations to other moments. A moment is decoded in the background and then shown
 * on the JavaFX thread, both ends at once; until then the old moment stays. Of several moments
 * requested meanwhile, only the newest counts. For the JavaFX thread only.
 */
public final class Seeking {
  private static final Logger LOG = LoggerFactory.getLogger(Seeking.class);

  /** Decoding that takes longer is reported as slow. */
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Until then, a moment that is no longer wanted is decoded too, so that dragging shows some. */
  private static final long GIVE_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Executor background;
  private final Executor window;
  private final Consumer<String> tell;
  private final Map<SessionPair, Seek> seeks = new HashMap<>();

  /**
   * @param background reads files
   * @param window runs tasks on the JavaFX thread
   * @param tell receives a sentence when a file can no longer be read
   */
  public Seeking(Executor background, Executor window, Consumer<String> tell) {
    this.background = background;
    this.window = window;
    this.tell = tell;
  }

  /** The wanted moment of one migration. */
  private static final class Seek {
    private final List<RecordedSession> sessions;
    private volatile long wanted;
    private boolean underWay;
    private long shownAt;
    private boolean failed;

    Seek(List<RecordedSession> sessions) {
      this.sessions = sessions;
    }
  }

  /**
   * Shows a moment as soon as it is decoded.
   *
   * @param pair a recorded migration
   */
  void moveTo(SessionPair pair, long nanos) {
    Seek seek = seeks.computeIfAbsent(pair, of -> new Seek(Player.recorded(of)));
    seek.wanted = nanos;
    seek.failed = false;
    if (!seek.underWay && !isAt(seek, nanos)) {
      seek.shownAt = System.nanoTime();
      begin(pair, seek);
    }
  }

  private static boolean isAt(Seek seek, long nanos) {
    return seek.sessions.stream().allMatch(session -> session.position() == nanos);
  }

  private void begin(SessionPair pair, Seek seek) {
    seek.underWay = true;
    long nanos = seek.wanted;
    long began = System.nanoTime();
    BooleanSupplier wanted =
        () -> seek.wanted == nanos || System.nanoTime() - began < GIVE_UP_NANOS;
    background.execute(() -> {
      try {
        List<Moment> moments = decode(seek.sessions, nanos, wanted);
        window.execute(() -> arrived(pair, seek, moments));
      } catch (ClosedChannelException e) {
        LOG.debug("a recording was closed while it was moved", e);
      } catch (IOException e) {
        window.execute(() -> failed(pair, seek, String.valueOf(e.getMessage())));
      } catch (RuntimeException | Error e) {
        LOG.error("moving a recording", e);
        window.execute(() ->
            failed(
                pair,
                seek,
                "The recording cannot be moved because of an error in this program: %s"
                    .formatted(e)));
      }
    });
  }

  /** Decodes the moment of each session; empty if it is no longer wanted. */
  private static List<Moment> decode(
      List<RecordedSession> sessions, long nanos, BooleanSupplier wanted) throws IOException {
    var moments = new ArrayList<Moment>();
    for (RecordedSession session : sessions) {
      Moment moment = session.decode(nanos, wanted);
      if (moment == null) {
        return List.of();
      }
      moments.add(moment);
    }
    return moments;
  }

  private void arrived(SessionPair pair, Seek seek, List<Moment> moments) {
    seek.underWay = false;
    if (seeks.get(pair) != seek) {
      return;
    }
    for (int i = 0; i < moments.size(); i++) {
      seek.sessions.get(i).show(moments.get(i));
      seek.shownAt = System.nanoTime();
    }
    if (!isAt(seek, seek.wanted)) {
      begin(pair, seek);
    }
  }

  private void failed(SessionPair pair, Seek seek, String sentence) {
    seek.underWay = false;
    if (seeks.get(pair) == seek) {
      seek.wanted = seek.sessions.getFirst().position();
      seek.failed = true;
      tell.accept(sentence);
    }
  }

  /** The wanted moment: the shown one, unless another is being decoded. */
  long wanted(SessionPair pair) {
    Seek seek = seeks.get(pair);
    return seek != null && seek.underWay
        ? seek.wanted
        : Player.recorded(pair).stream().mapToLong(RecordedSession::position).findFirst().orElse(0);
  }

  /** Whether decoding the wanted moment takes noticeably long. */
  boolean isSlow(@Nullable SessionPair pair) {
    Seek seek = seeks.get(pair);
    return seek != null && seek.underWay && System.nanoTime() - seek.shownAt > SLOW_NANOS;
  }

  /** Whether the last wanted moment could not be read. */
  boolean hasFailed(@Nullable SessionPair pair) {
    Seek seek = seeks.get(pair);
    return seek != null && seek.failed;
  }

  /** Forgets a migration whose files are closed. */
  public void forget(SessionPair pair) {
    seeks.remove(pair);
  }
}
