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
import org.wridscope.recording.Moment;
import org.wridscope.recording.RecordedSession;
import org.wridscope.ui.SessionPair;

/**
 * Moves recorded migrations to other moments. What a migration was then is decoded in the
 * background, one moment after the other, and shown on the JavaFX thread, both ends at once; until
 * then it stays where it is. Of the moments that are wanted meanwhile only the newest counts. For
 * the JavaFX thread only.
 */
public final class Seeking {
  private static final Logger LOG = LoggerFactory.getLogger(Seeking.class);

  /** What takes longer is worth a word. */
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Before that a moment is decoded to its end, so that something is seen while one is dragged. */
  private static final long GIVE_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Executor background;
  private final Executor window;
  private final Consumer<String> tell;
  private final Map<SessionPair, Seek> seeks = new HashMap<>();

  /**
   * @param background reads files
   * @param window runs what it is given on the JavaFX thread, later
   * @param tell is told in a sentence when a file cannot be read any more
   */
  public Seeking(Executor background, Executor window, Consumer<String> tell) {
    this.background = background;
    this.window = window;
    this.tell = tell;
  }

  /** Where one migration is going. */
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
   * Goes to a moment as soon as it is decoded.
   *
   * @param pair one that is recorded
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
        window.execute(() -> failed(pair, seek, "The recording cannot be moved by an error: " + e));
      }
    });
  }

  /** Decodes the moment of each session; empty when it is not wanted any more. */
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

  /** The moment that is wanted, which is the one that is shown unless it is still on its way. */
  long wanted(SessionPair pair) {
    Seek seek = seeks.get(pair);
    return seek != null && seek.underWay
        ? seek.wanted
        : Player.recorded(pair).stream().mapToLong(RecordedSession::position).findFirst().orElse(0);
  }

  /** Whether another moment than the wanted one is shown, and has been for a while. */
  boolean isSlow(@Nullable SessionPair pair) {
    Seek seek = seeks.get(pair);
    return seek != null && seek.underWay && System.nanoTime() - seek.shownAt > SLOW_NANOS;
  }

  /** Whether the moment that was wanted last could not be read. */
  boolean hasFailed(@Nullable SessionPair pair) {
    Seek seek = seeks.get(pair);
    return seek != null && seek.failed;
  }

  /** Moves a migration no longer, whose files are closed. */
  public void forget(SessionPair pair) {
    seeks.remove(pair);
  }
}
