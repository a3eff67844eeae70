// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.text.Legible;

/**
 * A client of a server. What it sends is checked: a message has at most {@value #MAX_MESSAGE}
 * bytes. Invalid JSON is answered as QEMU does, but before the negotiation it ends the connection,
 * because it comes from something that is no client, such as a browser.
 */
final class ServerConnection implements Client, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

  static final int MAX_MESSAGE = 256 << 10;

  /** Bytes that may wait for a client to read them. */
  static final int MAX_UNREAD = 4 << 20;

  /** Bytes that may wait when a further message for this client alone is added. */
  private static final int LITTLE_UNREAD = 512 << 10;

  private static final String NEGOTIATE = "qmp_capabilities";
  private static final String COMMANDS = "query-commands";
  private static final String VERSION = "query-version";

  private final SocketChannel channel;
  private final QemuVersion version;
  private final Map<String, Command> commands;
  private final Consumer<ServerConnection> ended;
  private final Outbox outbox = new Outbox(MAX_UNREAD);
  private final CountDownLatch written = new CountDownLatch(1);
  private volatile boolean negotiated;

  // Guarded by this.
  private boolean answering;
  private boolean finishing;

  /**
   * @param ended is told when the connection has ended
   */
  ServerConnection(
      SocketChannel channel,
      QemuVersion version,
      Map<String, Command> commands,
      Consumer<ServerConnection> ended) {
    this.channel = channel;
    this.version = version;
    this.commands = commands;
    this.ended = ended;
  }

  void start() {
    Thread.ofVirtual().name("qmp client").start(this::read);
    Thread.ofVirtual().name("qmp client writer").start(this::write);
  }

  boolean isNegotiated() {
    return negotiated;
  }

  /** Sends an event, without waiting; ends the connection if the client does not read. */
  void tell(byte[] line) {
    if (negotiated && !outbox.offer(line)) {
      LOG.info("a QMP client that does not read was disconnected");
      close();
    }
  }

  @Override
  public int tell(String event, JsonObject data, Instant when) throws InterruptedException {
    byte[] line = line(event(event, data, when));
    return outbox.put(line, LITTLE_UNREAD) ? line.length : 0;
  }

  @Override
  public boolean isConnected() {
    return channel.isOpen();
  }

  // ---------------------------------------------------------------------------------- threads

  private void read() {
    try {
      send(greeting());
      var messages = new MessageReader(this::fill, false, MAX_MESSAGE);
      while (next(messages)) {
        // the next one
      }
    } catch (IOException e) {
      LOG.debug("a QMP client: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      outbox.close();
      ended.accept(this);
    }
  }

  private int fill(byte[] into) throws IOException {
    return channel.read(ByteBuffer.wrap(into));
  }

  /** Reads and answers a message; false at the end. */
  private boolean next(MessageReader messages) throws IOException, InterruptedException {
    JsonObject message;
    try {
      message = messages.next();
    } catch (MessageReader.InvalidMessageException e) {
      LOG.debug("a QMP client: {}", e.getMessage());
      send(error(new CommandException("Invalid JSON syntax")));
      return negotiated && e.isFollowed();
    }
    if (message == null || !beginAnswer()) {
      return false;
    }
    send(answer(message));
    return endAnswer();
  }

  /** Returns whether there is still to be an answer. */
  private synchronized boolean beginAnswer() {
    answering = !finishing;
    return answering;
  }

  /** Returns whether there is to be another answer. */
  private synchronized boolean endAnswer() {
    answering = false;
    return !finishing;
  }

  private void write() {
    try (channel) {
      for (byte[] line = outbox.take(); line != null; line = outbox.take()) {
        for (ByteBuffer left = ByteBuffer.wrap(line); left.hasRemaining(); ) {
          channel.write(left);
        }
        outbox.written(line);
      }
    } catch (IOException e) {
      LOG.debug("a QMP client: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      outbox.close();
      written.countDown();
    }
  }

  /** Waits until there is room: who does not read the answers is asked for no further command. */
  private void send(JsonObject message) throws InterruptedException {
    boolean _ = outbox.put(line(message));
  }

  // --------------------------------------------------------------------------------- messages

  static byte[] line(JsonObject message) {
    return (message + "\r\n").getBytes(StandardCharsets.UTF_8);
  }

  private JsonObject greeting() {
    var inner = new JsonObject();
    inner.add("version", versionAnswer());
    inner.add("capabilities", new JsonArray());
    var greeting = new JsonObject();
    greeting.add("QMP", inner);
    return greeting;
  }

  private JsonObject versionAnswer() {
    var numbers = new JsonObject();
    numbers.addProperty("micro", version.micro());
    numbers.addProperty("minor", version.minor());
    numbers.addProperty("major", version.major());
    var answer = new JsonObject();
    answer.add("qemu", numbers);
    answer.addProperty("package", version.build());
    return answer;
  }

  static JsonObject event(String name, @Nullable JsonObject data, Instant when) {
    var timestamp = new JsonObject();
    timestamp.addProperty("seconds", when.getEpochSecond());
    timestamp.addProperty("microseconds", TimeUnit.NANOSECONDS.toMicros(when.getNano()));
    var event = new JsonObject();
    event.addProperty("event", name);
    if (data != null) {
      event.add("data", data);
    }
    event.add("timestamp", timestamp);
    return event;
  }

  static JsonObject error(CommandException e) {
    var inner = new JsonObject();
    inner.addProperty("class", e.errorClass());
    inner.addProperty("desc", e.getMessage());
    var error = new JsonObject();
    error.add("error", inner);
    return error;
  }

  private JsonObject answer(JsonObject message) throws InterruptedException {
    JsonObject answer;
    try {
      answer = new JsonObject();
      answer.add("return", execute(message));
    } catch (CommandException e) {
      answer = error(e);
    } catch (RuntimeException e) {
      LOG.error("the QMP command {}", Legible.of(message.toString(), 200), e);
      answer = error(new CommandException("An internal error occurred: " + e));
    }
    if (message.has("id")) {
      answer.add("id", message.get("id"));
    }
    return answer;
  }

  private JsonElement execute(JsonObject message) throws CommandException, InterruptedException {
    String name = null;
    var arguments = new JsonObject();
    for (Map.Entry<String, JsonElement> member : message.entrySet()) {
      switch (member.getKey()) {
        case "execute" -> {
          if (!(member.getValue() instanceof JsonPrimitive text) || !text.isString()) {
            throw new CommandException("QMP input member 'execute' must be a string");
          }
          name = text.getAsString();
        }
        case "arguments" -> {
          if (!(member.getValue() instanceof JsonObject object)) {
            throw new CommandException("QMP input member 'arguments' must be an object");
          }
          arguments = object;
        }
        case "id" -> {}
        default ->
            throw new CommandException(
                "QMP input member '%s' is unexpected".formatted(Legible.of(member.getKey(), 60)));
      }
    }
    if (name == null) {
      throw new CommandException("QMP input lacks member 'execute'");
    }
    return execute(name, new Arguments(this, arguments));
  }

  private JsonElement execute(String name, Arguments arguments)
      throws CommandException, InterruptedException {
    if (name.equals(NEGOTIATE)) {
      return negotiate(arguments);
    }
    if (!negotiated) {
      throw new CommandException(
          CommandException.NOT_FOUND,
          "Expecting capabilities negotiation with '%s'".formatted(NEGOTIATE));
    }
    return switch (name) {
      case COMMANDS -> {
        arguments.requireNoMore();
        yield commandNames();
      }
      case VERSION -> {
        arguments.requireNoMore();
        yield versionAnswer();
      }
      default -> {
        Command command = commands.get(name);
        if (command == null) {
          throw new CommandException(
              CommandException.NOT_FOUND,
              "The command %s has not been found".formatted(Legible.of(name, 60)));
        }
        yield command.execute(arguments);
      }
    };
  }

  private JsonElement negotiate(Arguments arguments) throws CommandException {
    if (negotiated) {
      throw new CommandException(
          CommandException.NOT_FOUND,
          "Capabilities negotiation is already complete, command ignored");
    }
    List<String> enabled = arguments.texts("enable");
    arguments.requireNoMore();
    if (!enabled.isEmpty()) {
      throw new CommandException(
          "Capability %s not available".formatted(Legible.of(enabled.getFirst(), 60)));
    }
    negotiated = true;
    return new JsonObject();
  }

  private JsonElement commandNames() {
    var names = new TreeSet<>(commands.keySet());
    names.add(NEGOTIATE);
    names.add(COMMANDS);
    names.add(VERSION);
    var list = new JsonArray();
    for (String each : names) {
      var command = new JsonObject();
      command.addProperty("name", each);
      list.add(command);
    }
    return list;
  }

  /**
   * Ends the connection once the client has read the last messages and the answer to the command
   * that is executed now, which may be the one that ends this process.
   */
  synchronized void finish() {
    finishing = true;
    if (!answering) {
      outbox.close();
    }
  }

  /** Waits until the client has read the last messages, and ends the connection in any case. */
  void close(long nanos) {
    try {
      boolean _ = written.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close();
  }

  /** Ends the connection now. */
  @Override
  public void close() {
    outbox.close();
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing a QMP connection: {}", e.getMessage());
    }
  }
}
