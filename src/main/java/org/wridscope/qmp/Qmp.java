// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;

/**
 * A connection to a QEMU that speaks the QEMU Machine Protocol (QEMU's {@code
 * docs/interop/qmp-spec}). Several threads may execute commands at the same time; each answer is
 * found by its id.
 *
 * <p>What the peer sends is checked: a message has at most 4 MiB, and what is not QMP ends the
 * connection. Every wait has a limit. A thread reads, another writes, so that a peer that neither
 * answers nor reads blocks nobody for longer.
 */
public final class Qmp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Qmp.class);

  /** Limit for an answer; a QEMU that runs in an emulated machine is slow. */
  public static final Duration ANSWER = Duration.ofSeconds(60);

  private static final String GREETING = "QMP greeting";

  /** After the last line that is written. */
  private static final String NO_MORE = "";

  private final QmpAddress address;
  private final Transport transport;
  private final Thread reader;
  private final LinkedBlockingQueue<String> outgoing = new LinkedBlockingQueue<>();
  private final List<Consumer<QmpEvent>> listeners = new CopyOnWriteArrayList<>();

  /** Completed without a message when the connection ends. */
  private final CompletableFuture<Optional<JsonObject>> greeting = new CompletableFuture<>();

  /** Whether the way to the server is open. */
  private volatile boolean connected;

  /** Completed with the reason when the connection ends. */
  private final CompletableFuture<String> ended = new CompletableFuture<>();

  private volatile Duration answers = ANSWER;

  private final Object lock = new Object();

  /** Commands without an answer by their ids, oldest first. Guarded by the lock. */
  private final Map<String, CompletableFuture<Optional<JsonObject>>> pending =
      new LinkedHashMap<>();

  /** Number of the latest command. Guarded by the lock. */
  private long commands;

  /** Why the connection has ended; null while it has not. Guarded by the lock. */
  private @Nullable End end;

  /**
   * @param reason continues a sentence after a colon
   */
  private record End(QmpException.Kind kind, String reason) {}

  private Qmp(QmpAddress address, Transport transport) {
    this.address = address;
    this.transport = transport;
    reader = Thread.ofPlatform().daemon().name("qmp " + address).unstarted(this::read);
  }

  /**
   * Connects and negotiates.
   *
   * @param limit for all of it
   * @throws QmpException if no QEMU answers there in time
   */
  public static Qmp connect(QmpAddress address, Duration limit)
      throws IOException, InterruptedException {
    Transport transport =
        switch (address) {
          case QmpAddress.Unix unix -> SocketTransport.unix(unix.path());
          case QmpAddress.Tcp tcp -> SocketTransport.tcp(tcp);
          case QmpAddress.Ssh ssh -> new SshTransport(ssh);
          case QmpAddress.Stdio stdio ->
              throw new IllegalArgumentException("only who started it has the " + stdio);
        };
    return over(address, transport, limit);
  }

  /**
   * Negotiates with a child process that was started with {@code -qmp stdio}. Closing the
   * connection does not end the process.
   *
   * @param limit for its first answers
   * @throws QmpException if it ended or does not answer in time
   */
  public static Qmp overStdio(Process process, Duration limit)
      throws IOException, InterruptedException {
    var address = new QmpAddress.Stdio(process.pid());
    return over(address, new StdioTransport(process), limit);
  }

  static Qmp over(QmpAddress address, Transport transport, Duration limit)
      throws IOException, InterruptedException {
    var qmp = new Qmp(address, transport);
    long deadline = System.nanoTime() + nanos(limit);
    try {
      qmp.start();
      try {
        qmp.await(qmp.greeting, GREETING, limit);
      } catch (QmpException e) {
        throw e.kind() != QmpException.Kind.SILENT || !qmp.connected
            ? e
            : new QmpException(
                QmpException.Kind.SILENT,
                e.getMessage()
                    + " A QEMU serves one client of a QMP socket at a time: end the other one, or"
                    + " give QEMU a second -qmp.");
      }
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      qmp.execute("qmp_capabilities", new JsonObject(), left);
      return qmp;
    } catch (IOException | InterruptedException | RuntimeException e) {
      qmp.close();
      throw e;
    }
  }

  private void start() {
    reader.start();
  }

  public QmpAddress address() {
    return address;
  }

  /** Gives the answers to commands another limit than {@link #ANSWER}. */
  public Qmp answeringWithin(Duration limit) {
    answers = limit;
    return this;
  }

  /** Whether the connection has not ended. */
  public boolean isOpen() {
    synchronized (lock) {
      return end == null;
    }
  }

  /**
   * Executes a command without arguments, with the connection's limit.
   *
   * @return the result
   * @throws QmpException if QEMU refused or did not answer
   */
  public JsonElement execute(String command) throws IOException, InterruptedException {
    return execute(command, new JsonObject());
  }

  /**
   * Executes a command with the connection's limit.
   *
   * @return the result
   * @throws QmpException if QEMU refused or did not answer
   */
  public JsonElement execute(String command, JsonObject arguments)
      throws IOException, InterruptedException {
    return execute(command, arguments, answers);
  }

  /**
   * Executes a command. After the limit the connection can be used on: a late answer is dropped.
   *
   * @return the result, as sent: its texts may be unsafe to show
   * @throws QmpException if QEMU refused or did not answer in time
   * @throws IllegalStateException on the thread that calls listeners, which reads the answers
   */
  public JsonElement execute(String command, JsonObject arguments, Duration limit)
      throws IOException, InterruptedException {
    if (Thread.currentThread().equals(reader)) {
      throw new IllegalStateException("a listener must not wait for an answer");
    }
    var answer = new CompletableFuture<Optional<JsonObject>>();
    String id = send(command, arguments, answer);
    try {
      JsonObject message = await(answer, "answer to " + command, limit);
      JsonElement result = message.get("return");
      if (message.get("error") instanceof JsonObject error) {
        throw QmpException.refused(command, text(error, "class"), text(error, "desc"));
      }
      if (result == null) {
        throw QmpException.invalid(command, "it has neither a result nor an error");
      }
      return result;
    } finally {
      synchronized (lock) {
        pending.remove(id);
      }
    }
  }

  /** Returns the command's id. */
  private String send(
      String command, JsonObject arguments, CompletableFuture<Optional<JsonObject>> answer) {
    var message = new JsonObject();
    message.addProperty("execute", command);
    message.add("arguments", arguments);
    synchronized (lock) {
      String id = "wridscope-" + ++commands;
      message.addProperty("id", id);
      if (end == null) {
        pending.put(id, answer);
        outgoing.add(message.toString());
      } else {
        answer.complete(Optional.empty());
      }
      return id;
    }
  }

  private JsonObject await(
      CompletableFuture<Optional<JsonObject>> awaited, String what, Duration limit)
      throws QmpException, InterruptedException {
    try {
      return awaited.get(nanos(limit), TimeUnit.NANOSECONDS).orElseThrow(() -> ended(what));
    } catch (TimeoutException e) {
      throw new QmpException(
          QmpException.Kind.SILENT,
          "No %s from %s within %s.".formatted(what, address, Format.duration(nanos(limit))));
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private QmpException ended(String what) {
    synchronized (lock) {
      End why = end != null ? end : new End(QmpException.Kind.CLOSED, "the connection has ended");
      return new QmpException(why.kind, "No %s from %s: %s.".formatted(what, address, why.reason));
    }
  }

  private static long nanos(Duration limit) {
    return TimeUnit.NANOSECONDS.convert(limit);
  }

  /** A string member; any other value as JSON. */
  private static String text(JsonObject object, String member) {
    return object.get(member) instanceof JsonPrimitive value
        ? value.getAsString()
        : String.valueOf(object.get(member));
  }

  /**
   * Calls a listener for each event that arrives from now on, on the thread that reads: it must not
   * wait. What it throws is logged.
   *
   * @return ends the calls when it is closed
   */
  public Subscription onEvent(Consumer<QmpEvent> listener) {
    // An object of its own, so that a listener can subscribe twice.
    Consumer<QmpEvent> subscribed = event -> listener.accept(event);
    listeners.add(subscribed);
    return () -> listeners.remove(subscribed);
  }

  /**
   * Calls a listener when the connection has ended, at once if it has.
   *
   * @param listener receives the reason, which continues a sentence after a colon; must not wait
   */
  public void onEnd(Consumer<String> listener) {
    var _ = ended.thenAccept(listener);
  }

  /** Ends the calls of a listener. */
  @FunctionalInterface
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  private void read() {
    var why = new End(QmpException.Kind.CLOSED, "a defect ended the connection");
    try {
      transport.open();
      connected = true;
      Thread.ofPlatform().daemon().name("qmp writer " + address).start(this::write);
      var messages = new MessageReader(transport::read, transport.isMixed());
      for (JsonObject message = messages.next(); message != null; message = messages.next()) {
        take(message);
      }
      why = closed("it closed the connection");
    } catch (MessageReader.InvalidMessageException e) {
      why = new End(QmpException.Kind.INVALID, Legible.of(String.valueOf(e.getMessage())));
    } catch (IOException | InterruptedException e) {
      why = closed(Legible.of(String.valueOf(e.getMessage())));
    } finally {
      end(why);
    }
  }

  private End closed(String reason) {
    String report = transport.report();
    return new End(
        QmpException.Kind.CLOSED, report.isEmpty() ? reason : reason + " (" + report + ")");
  }

  private void write() {
    try {
      for (String line = outgoing.take(); !line.equals(NO_MORE); line = outgoing.take()) {
        transport.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      // What the peer sent before it closed may still explain it, so the reader ends first.
      LOG.debug("QMP of {}: {}", address, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void take(JsonObject message) {
    if (message.has("event")) {
      QmpEvent.of(message).ifPresent(this::tell);
    } else if (message.has("QMP")) {
      greeting.complete(Optional.of(message));
    } else {
      awaiting(message).ifPresent(answer -> answer.complete(Optional.of(message)));
    }
  }

  /** Who waits for an answer. QEMU sends an error without an id when it cannot read a command. */
  private Optional<CompletableFuture<Optional<JsonObject>>> awaiting(JsonObject message) {
    JsonElement id = message.get("id");
    synchronized (lock) {
      if (id instanceof JsonPrimitive sent) {
        return Optional.ofNullable(pending.get(sent.getAsString()));
      }
      return id == null && message.has("error")
          ? pending.values().stream().filter(answer -> !answer.isDone()).findFirst()
          : Optional.empty();
    }
  }

  private void tell(QmpEvent event) {
    for (Consumer<QmpEvent> listener : listeners) {
      try {
        listener.accept(event);
      } catch (RuntimeException e) {
        LOG.warn("a listener failed at the event {}", event.name(), e);
      }
    }
  }

  private void end(End why) {
    List<CompletableFuture<Optional<JsonObject>>> waiting;
    synchronized (lock) {
      if (end == null) {
        end = why;
      }
      waiting = new ArrayList<>(pending.values());
    }
    waiting.add(greeting);
    outgoing.add(NO_MORE);
    transport.close();
    waiting.forEach(answer -> answer.complete(Optional.empty()));
    ended.complete(reason());
  }

  private String reason() {
    synchronized (lock) {
      return end == null ? "" : end.reason;
    }
  }

  /**
   * Ends the connection; who waits for an answer is told. Over ssh this may take four seconds, if
   * ssh does not end when it is asked to.
   */
  @Override
  public void close() {
    end(new End(QmpException.Kind.CLOSED, "the connection was closed here"));
  }
}
