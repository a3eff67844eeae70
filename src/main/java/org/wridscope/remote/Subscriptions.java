// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.wridscope.control.Session;
import org.wridscope.qmp.Arguments;
import org.wridscope.qmp.Client;
import org.wridscope.qmp.CommandException;
import org.wridscope.recording.file.RecordingFeed;

/**
 * {@code x-wridscope-subscribe}: sends a client everything that can be seen of the sessions, as the
 * pieces of a recording, at a bounded rate. Each subscription has a thread, which waits for its
 * client alone.
 */
final class Subscriptions {
  static final String COMMAND = "x-wridscope-subscribe";
  static final String EVENT = "X_WRIDSCOPE_TRACE";
  static final String RATE = "rate";
  static final String STEERING = "steering";
  static final String DATA = "data";

  static final long DEFAULT_RATE = 4 << 20;
  private static final long MIN_RATE = 64 << 10;
  private static final long MAX_RATE = 256 << 20;

  private final Supplier<List<Session>> sessions;
  private final boolean steering;
  private final Set<Client> subscribers = ConcurrentHashMap.newKeySet();

  /**
   * @param steering whether clients may change anything
   */
  Subscriptions(Supplier<List<Session>> sessions, boolean steering) {
    this.sessions = sessions;
    this.steering = steering;
  }

  /** The sessions that exist now are in the answer; they come first. */
  JsonElement subscribe(Arguments arguments) throws CommandException {
    long rate = arguments.number(RATE).orElse(DEFAULT_RATE);
    arguments.requireNoMore();
    if (rate < MIN_RATE || rate > MAX_RATE) {
      throw new CommandException(
          "Parameter 'rate' expects bytes per second from %d to %d".formatted(MIN_RATE, MAX_RATE));
    }
    Client client = arguments.client();
    if (!subscribers.add(client)) {
      throw new CommandException("This client has subscribed already.");
    }
    var names = new JsonArray();
    sessions.get().stream()
        .limit(RecordingFeed.MAX_SESSIONS)
        .map(Session::name)
        .forEach(names::add);
    Thread.ofVirtual().name("qmp subscription").start(() -> run(client, rate));
    var answer = new JsonObject();
    answer.addProperty(RATE, rate);
    answer.addProperty(STEERING, steering);
    answer.add("sessions", names);
    return answer;
  }

  private void run(Client client, long rate) {
    try {
      new RecordingFeed(sessions, rate, new Subscriber(client)).run();
    } catch (IOException e) {
      throw new IllegalStateException("the head of a recording is always taken", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      subscribers.remove(client);
    }
  }

  private record Subscriber(Client client) implements RecordingFeed.Receiver {
    @Override
    public int take(byte[] piece) throws InterruptedException {
      String encoded = Base64.getEncoder().encodeToString(piece);
      return client.tell(EVENT, Json.of(DATA, encoded), Instant.now());
    }

    @Override
    public boolean isOpen() {
      return client.isConnected();
    }
  }
}
