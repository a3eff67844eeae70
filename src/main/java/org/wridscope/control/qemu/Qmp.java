// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.protocol.Legible;

/**
 * The conversation with a QEMU that was started with {@code -qmp stdio}, in its QEMU Machine
 * Protocol. Used by one thread.
 */
public final class Qmp {
  private static final Logger LOG = LoggerFactory.getLogger(Qmp.class);

  /** How long it may take to answer a command; emulated in an emulated machine it is slow. */
  private static final Duration ANSWER = Duration.ofSeconds(60);

  private static final Duration POLL = Duration.ofMillis(20);

  private final Process process;
  private final Writer commands;
  private final Path log;

  /** An empty one at the end of QEMU's output. */
  private final LinkedBlockingQueue<Optional<JsonObject>> answers = new LinkedBlockingQueue<>();

  private Qmp(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("qmp " + process.pid()).start(this::read);
  }

  /**
   * Waits until a QEMU takes commands.
   *
   * @param log where its messages go
   * @throws QmpException when it ended, or says nothing
   */
  public static Qmp open(Process process, Path log) throws IOException, InterruptedException {
    var qmp = new Qmp(process, log);
    qmp.nextAnswer("its greeting");
    qmp.execute("qmp_capabilities");
    return qmp;
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answer(line).ifPresent(answer -> answers.add(Optional.of(answer)));
      }
    } catch (IOException | JsonParseException | IllegalStateException e) {
      LOG.debug("QMP of process {}: {}", process.pid(), e.getMessage());
    } finally {
      answers.add(Optional.empty());
    }
  }

  /** What a line answers: nothing when it is an event, or one that its RDMA code prints there. */
  static Optional<JsonObject> answer(String line) {
    return line.startsWith("{")
        ? Optional.of(JsonParser.parseString(line).getAsJsonObject())
            .filter(object -> !object.has("event"))
        : Optional.empty();
  }

  private JsonObject nextAnswer(String what) throws QmpException, InterruptedException {
    Optional<JsonObject> answer = answers.poll(ANSWER.toNanos(), TimeUnit.NANOSECONDS);
    if (answer == null) {
      throw new QmpException(
          "QEMU did not give %s within %d s.".formatted(what, ANSWER.toSeconds()));
    }
    if (answer.isEmpty()) {
      answers.add(answer);
      throw new QmpException("QEMU ended instead of giving %s: %s".formatted(what, lastMessage()));
    }
    return answer.get();
  }

  /** The last line that it wrote to its log. */
  public String lastMessage() {
    try {
      List<String> lines = Files.readAllLines(log);
      return lines.isEmpty() ? "it said nothing." : Legible.of(lines.getLast());
    } catch (IOException e) {
      return "its log cannot be read: " + e.getMessage();
    }
  }

  /**
   * Executes a command without arguments.
   *
   * @return what it returned
   */
  public JsonElement execute(String command) throws IOException, InterruptedException {
    return execute(command, new JsonObject());
  }

  /**
   * Executes a command.
   *
   * @return what it returned
   * @throws QmpException with QEMU's own words when it refused, or when it did not answer
   */
  public JsonElement execute(String command, JsonObject arguments)
      throws IOException, InterruptedException {
    var message = new JsonObject();
    message.addProperty("execute", command);
    message.add("arguments", arguments);
    commands.write(message + "\n");
    commands.flush();
    JsonObject answer = nextAnswer("an answer to " + command);
    if (answer.get("error") instanceof JsonObject error) {
      throw new QmpException("QEMU refused %s: %s".formatted(command, text(error, "desc")));
    }
    JsonElement returned = answer.get("return");
    if (returned == null) {
      throw new QmpException("QEMU's answer to %s is none of QMP.".formatted(command));
    }
    return returned;
  }

  /** A member that is a text, safe to show; what stands in its place when it is none. */
  private static String text(JsonObject object, String member) {
    return object.get(member) instanceof JsonPrimitive value
        ? Legible.of(value.getAsString())
        : Legible.of(String.valueOf(object.get(member)));
  }

  /** Switches a migration capability on, for example {@code rdma-pin-all}. */
  public void enable(String capability) throws IOException, InterruptedException {
    execute(
        "migrate-set-capabilities",
        JsonParser.parseString(
                "{\"capabilities\": [{\"capability\": \"%s\", \"state\": true}]}"
                    .formatted(capability))
            .getAsJsonObject());
  }

  /** Starts to migrate the guest away. */
  public void migrate(String uri) throws IOException, InterruptedException {
    execute("migrate", uri(uri));
  }

  /** Starts to wait for a guest; it was started with {@code -incoming defer}. */
  public void listen(String uri) throws IOException, InterruptedException {
    execute("migrate-incoming", uri(uri));
  }

  private static JsonObject uri(String uri) {
    var arguments = new JsonObject();
    arguments.addProperty("uri", uri);
    return arguments;
  }

  /** Lifts the limit of the bandwidth, which is 128 MiB/s otherwise. */
  public void liftBandwidthLimit() throws IOException, InterruptedException {
    var arguments = new JsonObject();
    arguments.addProperty("max-bandwidth", 1L << 40);
    execute("migrate-set-parameters", arguments);
  }

  /**
   * Waits for the migration to end one way or another.
   *
   * @return what {@code query-migrate} says then
   * @throws QmpException when it takes longer
   */
  public JsonObject awaitMigration(Duration timeout) throws IOException, InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    while (true) {
      if (!(execute("query-migrate") instanceof JsonObject state)) {
        throw new QmpException("QEMU's answer to query-migrate is none of QMP.");
      }
      String status = state.has("status") ? text(state, "status") : "none";
      if (List.of("failed", "cancelled").contains(status) || isCompleted(state, status)) {
        return state;
      }
      if (System.nanoTime() > end) {
        throw new QmpException(
            "QEMU's migration was still '%s' after %d s.".formatted(status, timeout.toSeconds()));
      }
      Thread.sleep(POLL);
    }
  }

  /** It says that it has completed a moment before it has computed how long that took. */
  private static boolean isCompleted(JsonObject state, String status) {
    return status.equals("completed")
        && state.get("total-time") instanceof JsonPrimitive time
        && !time.getAsString().equals("0");
  }
}
