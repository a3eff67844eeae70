// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.qmp.QmpAddress;

/**
 * A process that does nothing, and beside it a QMP socket with the states of a QEMU. As a QEMU it
 * serves one client after another.
 */
final class PretendedQemu implements AutoCloseable {
  private final Process process = new ProcessBuilder("sleep", "600").start();
  private final ServerSocketChannel listening;
  private final GuardedQemu guarded;

  /** What it was told to do, without questions. */
  private final List<String> done = new CopyOnWriteArrayList<>();

  /** Commands that it refuses. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  /** Commands that it answers only once {@link #goOn} was called. */
  private final Set<String> slow = ConcurrentHashMap.newKeySet();

  private final CountDownLatch going = new CountDownLatch(1);

  /** How many clients it does not greet. */
  private final AtomicInteger notGreeted = new AtomicInteger();

  private volatile String uuid = "00000000-0000-0000-0000-000000000000";
  private volatile String status = "running";
  private volatile String migration = "none";

  PretendedQemu(Path socket) throws IOException {
    guarded = GuardedQemu.of(process.pid(), new QmpAddress.Unix(socket));
    listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listening.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofPlatform().daemon().name("pretended QEMU").start(this::serve);
  }

  GuardedQemu guarded() {
    return guarded;
  }

  PretendedQemu uuid(String other) {
    uuid = other;
    return this;
  }

  PretendedQemu status(String state) {
    status = state;
    return this;
  }

  PretendedQemu migration(String state) {
    migration = state;
    return this;
  }

  PretendedQemu refuse(String command) {
    refused.add(command);
    return this;
  }

  PretendedQemu slowAt(String command) {
    slow.add(command);
    return this;
  }

  /** Hangs up on the next clients, as a QEMU that is busy with another one seems to. */
  PretendedQemu hangUp(int clients) {
    notGreeted.set(clients);
    return this;
  }

  void goOn() {
    going.countDown();
  }

  List<String> done() {
    return List.copyOf(done);
  }

  String status() {
    return status;
  }

  /** As a guard sees it: {@code process} learns of the end a moment later. */
  boolean isAlive() throws IOException {
    return guarded.isAlive();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  private void serve() {
    while (listening.isOpen()) {
      try (SocketChannel client = listening.accept()) {
        serve(client);
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        // The client has gone; the next one is served.
      }
    }
  }

  private void serve(SocketChannel client) throws IOException {
    if (notGreeted.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      return;
    }
    var commands = new BufferedReader(Channels.newReader(client, StandardCharsets.UTF_8));
    Writer answers = Channels.newWriter(client, StandardCharsets.UTF_8);
    answers.write(
        """
        {"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": ""}, \
        "capabilities": ["oob"]}}
        """);
    answers.flush();
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      JsonObject command = JsonParser.parseString(line).getAsJsonObject();
      var answer = new JsonObject();
      answer.add("id", command.get("id"));
      String name = command.get("execute").getAsString();
      if (slow.contains(name)) {
        awaitGoing();
      }
      if (refused.contains(name)) {
        answer.add("error", JsonParser.parseString("{\"class\":\"GenericError\",\"desc\":\"no\"}"));
      } else {
        answer.add("return", execute(name, command.get("arguments")));
      }
      answers.write(answer + "\n");
      answers.flush();
      if (name.equals("quit")) {
        process.destroyForcibly();
        return;
      }
    }
  }

  private void awaitGoing() throws IOException {
    try {
      going.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private JsonElement execute(String command, JsonElement arguments) {
    switch (command) {
      case "query-status" -> {
        return JsonParser.parseString(
            "{\"status\":\"%s\",\"running\":%b}".formatted(status, status.equals("running")));
      }
      case "query-uuid" -> {
        return JsonParser.parseString("{\"UUID\":\"%s\"}".formatted(uuid));
      }
      case "query-migrate" -> {
        return JsonParser.parseString("{\"status\":\"%s\"}".formatted(migration));
      }
      case "migrate_cancel" -> {
        done.add(command);
        // One that waits to be woken stays so.
        if (!migration.equals("cancelling")) {
          cancelled();
        }
      }
      case "migrate-continue" -> {
        done.add(command + " " + arguments.getAsJsonObject().get("state").getAsString());
        cancelled();
      }
      case "cont" -> {
        done.add(command);
        status = status.equals("inmigrate") ? status : "running";
      }
      case "migrate-set-capabilities", "migrate-set-parameters" ->
          done.add(command + " " + arguments);
      case "quit" -> done.add(command);
      default -> {}
    }
    return new JsonObject();
  }

  /** QEMU continues a guest that ran. */
  private void cancelled() {
    migration = "cancelled";
    status = status.equals("finish-migrate") ? "running" : status;
  }

  @Override
  public void close() throws IOException {
    goOn();
    listening.close();
    process.destroyForcibly();
  }
}
