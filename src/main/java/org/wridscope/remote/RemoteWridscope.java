// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpEvent;
import org.wridscope.qmp.QmpException;
import org.wridscope.recording.file.FeedInput;
import org.wridscope.recording.file.FeedReplay;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.telemetry.Role;

/**
 * Another Wridscope, on this machine or another one: its sessions are shown as they are there, and
 * steered if it allows that. They go on when the connection ends. Thread-safe.
 */
public final class RemoteWridscope implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteWridscope.class);

  /** For the connection, which ssh may have to make, and for the first answers. */
  private static final Duration CONNECT = Duration.ofSeconds(30);

  /** How long the other process may take beyond the wait that it was asked for. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  /** How often each label was used. */
  private static final Map<String, Integer> LABELS = new ConcurrentHashMap<>();

  private final Qmp qmp;
  private final String label;
  private final Consumer<Session> begun;
  private final FeedInput input = new FeedInput(this::begin);
  private final List<RemoteSession> sessions = new CopyOnWriteArrayList<>();
  private volatile boolean steerable;
  private volatile boolean left;
  private volatile @Nullable String problem;

  private RemoteWridscope(Qmp qmp, Consumer<Session> begun) {
    this.qmp = qmp;
    this.begun = begun;
    String place =
        switch (qmp.address()) {
          case QmpAddress.Unix unix -> String.valueOf(unix.path().getFileName());
          case QmpAddress.Tcp tcp -> tcp.host() + ":" + tcp.port();
          case QmpAddress.Ssh ssh -> ssh.destination();
          case QmpAddress.Stdio stdio -> stdio.toString();
        };
    int times = LABELS.merge(place, 1, Integer::sum);
    label = times == 1 ? place : "%s (%d)".formatted(place, times);
  }

  /**
   * Attaches to another Wridscope. Returns when the sessions that it has now are known.
   *
   * @param bytesPerSecond limit of what it sends
   * @param begun is told each session when it begins, now and later; must not wait
   * @throws IOException if there is none, or it does not answer; one sentence
   */
  public static RemoteWridscope attach(
      QmpAddress address, long bytesPerSecond, Consumer<Session> begun)
      throws IOException, InterruptedException {
    Qmp qmp = Qmp.connect(address, CONNECT);
    try {
      if (!new QemuMonitor(qmp).version().isWridscope()) {
        throw new IOException(
            "A QEMU answers at %s, not a Wridscope; connect it in the list of QEMUs instead."
                .formatted(address));
      }
      var remote = new RemoteWridscope(qmp, begun);
      remote.subscribe(bytesPerSecond);
      return remote;
    } catch (IOException | InterruptedException | RuntimeException e) {
      qmp.close();
      throw e;
    }
  }

  private void subscribe(long bytesPerSecond) throws IOException, InterruptedException {
    var _ = qmp.onEvent(this::take);
    qmp.onEnd(this::ended);
    if (!(qmp.execute(Subscriptions.COMMAND, Json.of(Subscriptions.RATE, bytesPerSecond), CONNECT)
        instanceof JsonObject answer)) {
      throw new IOException("The Wridscope at %s answers nothing.".formatted(address()));
    }
    steerable =
        answer.get(Subscriptions.STEERING) instanceof JsonPrimitive flag && flag.getAsBoolean();
    int present = answer.get("sessions") instanceof JsonArray names ? names.size() : 0;
    awaitSessions(present);
  }

  private synchronized void awaitSessions(int count) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + CONNECT.toNanos();
    while (sessions.size() < count) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0 || !qmp.isOpen()) {
        throw new IOException(
            "The Wridscope at %s does not send what was asked for.".formatted(address()));
      }
      wait(left);
    }
  }

  // ----------------------------------------------------------------- the thread that reads

  private void take(QmpEvent event) {
    if (!event.name().equals(Subscriptions.EVENT)
        || !(event.data().get(Subscriptions.DATA) instanceof JsonPrimitive data)) {
      return;
    }
    try {
      input.add(Base64.getDecoder().decode(data.getAsString()), System.nanoTime());
      sessions.forEach(RemoteSession::arrived);
    } catch (RecordingException | IllegalArgumentException e) {
      lose("What it sent cannot be shown: " + e.getMessage());
      qmp.close();
    }
  }

  private void begin(FeedReplay feed) {
    var session = new RemoteSession(label + ": " + feed.name(), feed, this);
    sessions.add(session);
    begun.accept(session);
    synchronized (this) {
      notifyAll();
    }
  }

  private void ended(String reason) {
    lose(
        left
            ? "It is no longer shown; it continues at %s.".formatted(address())
            : "The connection to the Wridscope at %s has ended: %s. What runs there continues; attach again to see it."
                .formatted(address(), reason));
    synchronized (this) {
      notifyAll();
    }
  }

  private void lose(String sentence) {
    sessions.forEach(session -> session.lost(sentence));
  }

  // ---------------------------------------------------------------------------- for others

  /** Where it is. */
  public QmpAddress address() {
    return qmp.address();
  }

  /** The sessions that it had at the beginning, by migrations. */
  public List<SessionPair> migrations() {
    var pairs = new ArrayList<SessionPair>();
    for (RemoteSession session : sessions) {
      int at = 0;
      while (at < pairs.size() && !completes(pairs.get(at), session)) {
        at++;
      }
      if (at == pairs.size()) {
        pairs.add(
            session.role() == Role.SOURCE
                ? new SessionPair(session, null)
                : new SessionPair(null, session));
      } else {
        Session other = pairs.get(at).leading();
        pairs.set(
            at,
            session.role() == Role.SOURCE
                ? new SessionPair(session, other)
                : new SessionPair(other, session));
      }
    }
    return pairs;
  }

  /** Whether a session is the missing end of a migration. */
  private static boolean completes(SessionPair pair, RemoteSession session) {
    return pair.following() == null
        && pair.leading() instanceof RemoteSession other
        && session.migrates()
        && other.migrates()
        && other.role() != session.role()
        && other.uri().equals(session.uri())
        && stem(other.nameThere()).equals(stem(session.nameThere()));
  }

  private static String stem(String name) {
    return name.replaceFirst(" (source|destination)$", "");
  }

  boolean isSteerable() {
    return steerable;
  }

  /** A sentence for who tries to steer. */
  String refusal() {
    return "The Wridscope at %s lets others only look.".formatted(address());
  }

  /** The last refusal of a command; null if there was none. */
  @Nullable String problem() {
    return problem;
  }

  /** Sends a command, without waiting for the answer. */
  void steer(String command, JsonObject arguments) {
    Thread.ofVirtual()
        .name("steering " + label)
        .start(() -> {
          try {
            var _ = qmp.execute(command, arguments);
            problem = null;
          } catch (QmpException e) {
            problem =
                e.kind() == QmpException.Kind.REFUSED ? e.desc() : String.valueOf(e.getMessage());
            LOG.info("{} at {}: {}", command, address(), e.getMessage());
          } catch (IOException e) {
            problem = String.valueOf(e.getMessage());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** Has registrations given back, and returns their number. */
  int unregister(JsonObject arguments, Duration limit) throws IOException, InterruptedException {
    return qmp.execute(SessionCommands.UNREGISTER, arguments, limit.plus(GRACE))
                instanceof JsonObject answer
            && answer.get("registrations") instanceof JsonPrimitive count
        ? count.getAsInt()
        : 0;
  }

  /** Ends the connection; the other Wridscope and its sessions go on. */
  @Override
  public void close() {
    left = true;
    qmp.close();
  }
}
