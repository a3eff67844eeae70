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
import org.wridscope.text.Legible;

/**
 * A client of the QEMU Machine Protocol for a QEMU that was started with {@code -qmp stdio}. Not
 * thread-safe.
 */
public final class Qmp {
  private static final Logger LOG = LoggerFactory.getLogger(Qmp.class);

  /** Time limit for an answer; a QEMU that runs in an emulated machine is slow. */
  private static final Duration ANSWER = Duration.ofSeconds(60);

  private static final Duration POLL = Duration.ofMillis(20);

  private final Process process;
  private final Writer commands;
  private final Path log;

  /** An empty Optional marks the end of QEMU's output. */
  private final LinkedBlockingQueue<Optional<JsonObject>> answers = new LinkedBlockingQueue<>();

  private Qmp(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("qmp " + process.pid()).start(this::read);
  }

  /**
   * Waits until a QEMU accepts commands.
   *
   * @param log the file with its messages
   * @throws QmpException if it ended or does not answer
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

  /** The answer in a line; empty for an event, and for a line that QEMU's RDMA code prints. */
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
          "QEMU did not send %s within %d s.".formatted(what, ANSWER.toSeconds()));
    }
    if (answer.isEmpty()) {
      answers.add(answer);
      throw new QmpException("QEMU ended before it sent %s: %s".formatted(what, lastMessage()));
    }
    return answer.get();
  }

  /** The last line of QEMU's log. */
  public String lastMessage() {
    try {
      List<String> lines = Files.readAllLines(log);
      return lines.isEmpty() ? "its log is empty." : Legible.of(lines.getLast());
    } catch (IOException e) {
      return "its log cannot be read: " + e.getMessage();
    }
  }

  /**
   * Executes a command without arguments.
   *
   * @return its result
   */
  public JsonElement execute(String command) throws IOException, InterruptedException {
    return execute(command, new JsonObject());
  }

  /**
   * Executes a command.
   *
   * @return its result
   * @throws QmpException if QEMU refused, with QEMU's reason, or did not answer
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
      throw new QmpException("QEMU's answer to %s is not valid QMP.".formatted(command));
    }
    return returned;
  }

  /** A string member, safe to display; any other value as JSON. */
  private static String text(JsonObject object, String member) {
    return object.get(member) instanceof JsonPrimitive value
        ? Legible.of(value.getAsString())
        : Legible.of(String.valueOf(object.get(member)));
  }

  /** Enables a migration capability, for example {@code rdma-pin-all}. */
  public void enable(String capability) throws IOException, InterruptedException {
    execute(
        "migrate-set-capabilities",
        JsonParser.parseString(
                "{\"capabilities\": [{\"capability\": \"%s\", \"state\": true}]}"
                    .formatted(capability))
            .getAsJsonObject());
  }

  /** Starts to migrate the guest. */
  public void migrate(String uri) throws IOException, InterruptedException {
    execute("migrate", uri(uri));
  }

  /** Starts to wait for a guest; the QEMU must have been started with {@code -incoming defer}. */
  public void listen(String uri) throws IOException, InterruptedException {
    execute("migrate-incoming", uri(uri));
  }

  private static JsonObject uri(String uri) {
    var arguments = new JsonObject();
    arguments.addProperty("uri", uri);
    return arguments;
  }

  /** Removes the bandwidth limit, whose default is 128 MiB/s. */
  public void liftBandwidthLimit() throws IOException, InterruptedException {
    var arguments = new JsonObject();
    arguments.addProperty("max-bandwidth", 1L << 40);
    execute("migrate-set-parameters", arguments);
  }

  /**
   * Waits until the migration has ended.
   *
   * @return the result of {@code query-migrate}
   * @throws QmpException if it did not end in time
   */
  public JsonObject awaitMigration(Duration timeout) throws IOException, InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    while (true) {
      if (!(execute("query-migrate") instanceof JsonObject state)) {
        throw new QmpException("QEMU's answer to query-migrate is not valid QMP.");
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

  /** QEMU reports the status shortly before the total time, which is 0 until then. */
  private static boolean isCompleted(JsonObject state, String status) {
    return status.equals("completed")
        && state.get("total-time") instanceof JsonPrimitive time
        && !time.getAsString().equals("0");
  }
}
