// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.wridscope.TimeLimit;
import org.wridscope.qmp.QmpAddress;

/**
 * A QMP server that answers as a QEMU would, for one client at a time; the test decides how its
 * migration goes. It does not migrate anything.
 */
public final class SimulatedQemu implements AutoCloseable {
  /** What {@code query-migrate} says of the RAM in the middle of a migration, a JSON member. */
  public static final String RAM =
      """
      "ram": {"transferred": 1000, "remaining": 8192, "total": 40960, "mbps": 1.5, "dirty-pages-rate": 3, "dirty-sync-count": 2, "page-size": 4096, "duplicate": 1, "normal": 7}
      """;

  private static final String GREETING =
      """
      {"QMP": {"version": {"qemu": {"micro": 2, "minor": 1, "major": 9}, "package": ""}, "capabilities": []}}
      """;

  private final Path socket;
  private final ServerSocketChannel listening;
  private final List<String> commands = new CopyOnWriteArrayList<>();
  private final Map<String, Boolean> capabilities = new ConcurrentHashMap<>();
  private final Map<String, Object> parameters = new ConcurrentHashMap<>();
  private final Map<String, Boolean> traceEvents = new ConcurrentHashMap<>();
  private final Map<String, String> refusals = new ConcurrentHashMap<>();
  private volatile String name;
  private volatile String status = "running";
  private volatile String migration = "{}";
  private volatile @Nullable String nextMigration;
  private final AtomicInteger asked = new AtomicInteger();
  private volatile boolean shared = true;
  private volatile boolean logsTraceEvents = true;
  private volatile boolean refusesLogs;
  private volatile @Nullable FileChannel log;
  private final AtomicInteger clients = new AtomicInteger();
  private volatile @Nullable SocketChannel client;

  private SimulatedQemu(Path socket, String name) throws IOException {
    this.socket = socket;
    this.name = name;
    for (String capability :
        List.of("events", "rdma-pin-all", "pause-before-switchover", "auto-converge")) {
      capabilities.put(capability, false);
    }
    parameters.put("max-bandwidth", 128L << 20);
    parameters.put("downtime-limit", 300L);
    listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listening.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofPlatform().daemon().name("simulated QEMU " + name).start(this::serve);
  }

  /** A QEMU whose guest runs. */
  public static SimulatedQemu running(Path directory, String name) throws IOException {
    return new SimulatedQemu(directory.resolve(name + ".qmp"), name);
  }

  /** A QEMU that waits for a guest. */
  public static SimulatedQemu waiting(Path directory, String name) throws IOException {
    SimulatedQemu qemu = running(directory, name);
    qemu.setStatus("inmigrate");
    return qemu;
  }

  /**
   * Lets a migration between two of them complete: the source has sent all, the guest continues.
   */
  public static void complete(SimulatedQemu from, SimulatedQemu to) {
    from.setStatus("postmigrate");
    to.setStatus("paused");
    from.setMigration(
        "{\"status\": \"completed\", \"total-time\": 1500, \"downtime\": 42, %s}".formatted(RAM));
    new TimeLimit().await("the other QEMU", () -> to.commands().contains("cont"));
    to.setStatus("running");
  }

  public QmpAddress address() {
    return new QmpAddress.Unix(socket);
  }

  /** What {@code query-status} says from now on. */
  public void setStatus(String now) {
    status = now;
  }

  /** What {@code query-migrate} says from now on, JSON. */
  public void setMigration(String json) {
    migration = json;
  }

  /** What {@code query-migrate} says from its next answer but one on, JSON. */
  public void setMigrationAfterNextAnswer(String json) {
    nextMigration = json;
  }

  /** How often it was asked {@code query-migrate}. */
  public int answersAboutMigration() {
    return asked.get();
  }

  /** Whether the guest's RAM is shared. */
  public void setShared(boolean now) {
    shared = now;
  }

  /** Its trace events, and whether they are on. */
  public Map<String, Boolean> traceEvents() {
    return traceEvents;
  }

  /** It was built without the log back end for trace events. */
  public void logNothing() {
    logsTraceEvents = false;
  }

  /** It may not open logs that are not devices. */
  public void refuseLogs() {
    refusesLogs = true;
  }

  /** Appends to its present log, if it has one. */
  public void log(String text) throws IOException {
    FileChannel now = log;
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
    while (now != null && bytes.hasRemaining()) {
      if (now.write(bytes) == 0) {
        // A pipe that is full, and nobody waits for room.
        Thread.onSpinWait();
      }
    }
  }

  /** Commands of this name are refused with this reason from now on. */
  public void refuse(String command, String reason) {
    refusals.put(command, reason);
  }

  /** The names of all commands that change something, in order, with their main argument. */
  public List<String> commands() {
    return commands;
  }

  public Map<String, Boolean> capabilities() {
    return capabilities;
  }

  /** Numbers and texts. */
  public Map<String, Object> parameters() {
    return parameters;
  }

  /** How many clients have connected so far. */
  public int clients() {
    return clients.get();
  }

  /** Closes the connection to the present client. */
  public void hangUp() throws IOException {
    SocketChannel now = client;
    if (now != null) {
      now.close();
    }
  }

  private void serve() {
    try {
      while (true) {
        SocketChannel channel = listening.accept();
        client = channel;
        clients.incrementAndGet();
        try (channel) {
          converse(channel);
        } catch (IOException e) {
          // The client, or the test, has closed the connection.
        }
      }
    } catch (ClosedChannelException e) {
      // The test has ended.
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void converse(SocketChannel channel) throws IOException {
    send(channel, GREETING);
    var lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonObject command = JsonParser.parseString(line).getAsJsonObject();
      String what = command.get("execute").getAsString();
      JsonElement arguments = command.get("arguments");
      String reason = refusals.get(what);
      var answer = new JsonObject();
      if (reason == null) {
        answer.add(
            "return",
            JsonParser.parseString(
                result(what, arguments == null ? new JsonObject() : arguments.getAsJsonObject())));
      } else {
        var error = new JsonObject();
        error.addProperty("class", "GenericError");
        error.addProperty("desc", reason);
        answer.add("error", error);
      }
      answer.add("id", command.get("id"));
      send(channel, answer + "\r\n");
    }
  }

  private static void send(SocketChannel channel, String text) throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private String result(String command, JsonObject arguments) {
    return switch (command) {
      case "query-status" ->
          "{\"status\": \"%s\", \"running\": %s}".formatted(status, status.equals("running"));
      case "query-version" ->
          "{\"qemu\": {\"major\": 9, \"minor\": 1, \"micro\": 2}, \"package\": \"\"}";
      case "query-name" -> "{\"name\": \"%s\"}".formatted(name);
      case "query-memdev" ->
          "[{\"id\": \"ram0\", \"size\": 1073741824, \"share\": %s, \"merge\": true, \"dump\": true, \"prealloc\": false, \"host-nodes\": [], \"policy\": \"default\"}]"
              .formatted(shared);
      case "qom-list" -> "[{\"name\": \"ram0\", \"type\": \"child<memory-backend-memfd>\"}]";
      case "query-block" -> "[]";
      case "trace-event-get-state" -> traceStates(arguments.get("name").getAsString());
      case "human-monitor-command" -> human(arguments.get("command-line").getAsString());
      case "query-migrate-capabilities" -> capabilityList();
      case "query-migrate-parameters" -> parameterObject();
      case "query-migrate" -> {
        asked.incrementAndGet();
        String now = migration;
        String next = nextMigration;
        if (next != null) {
          migration = next;
          nextMigration = null;
        }
        yield now;
      }
      default -> {
        perform(command, arguments);
        yield "{}";
      }
    };
  }

  private String traceStates(String pattern) {
    var list = new JsonArray();
    traceEvents.forEach((event, on) -> {
      if (event.startsWith(pattern.replace("*", ""))) {
        var state = new JsonObject();
        state.addProperty("name", event);
        state.addProperty("state", on ? "enabled" : "disabled");
        list.add(state);
      }
    });
    return list.toString();
  }

  /** As QEMU does: closes the former log first. */
  private String logTo(String file) {
    try {
      FileChannel former = log;
      log = null;
      if (former != null) {
        former.close();
      }
      commands.add("logfile " + file);
      if (refusesLogs && !file.startsWith("/dev/")) {
        return "\"Error opening logfile: Permission denied\\r\\n\"";
      }
      log =
          file.startsWith("/dev/")
              ? null
              : FileChannel.open(
                  Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      return "\"\"";
    } catch (IOException e) {
      return "\"Error opening logfile: %s\\r\\n\"".formatted(e.getClass().getSimpleName());
    }
  }

  private String human(String line) {
    if (line.startsWith("logfile ")) {
      return logTo(line.substring("logfile ".length()).replace("\"", ""));
    }
    if (line.equals("help log")) {
      return logsTraceEvents ? "\"trace:PATTERN   enable trace events\\r\\n\"" : "\"none\"";
    }
    return line.equals("info ramblock")
        ? """
        "              Block Name    PSize              Offset               Used              Total                HVA  RO\\r\\n                    ram0    4 KiB  0x0000000000000000 0x0000000040000000 0x0000000040000000 0x00007f9a63e00000  rw\\r\\n         0000:00:02.0/vga.vram    4 KiB  0x0000000040000000 0x0000000001000000 0x0000000001000000 0x00007f9a6dc00000  rw\\r\\n"
        """
        : "\"bus: main-system-bus\\r\\n  type System\\r\\n\"";
  }

  private String capabilityList() {
    var list = new StringBuilder();
    capabilities.forEach((capability, on) ->
        list.append(list.isEmpty() ? "" : ", ")
            .append("{\"capability\": \"%s\", \"state\": %s}".formatted(capability, on)));
    return "[" + list + "]";
  }

  private String parameterObject() {
    var members = new JsonObject();
    parameters.forEach((name, value) ->
        members.add(
            name,
            value instanceof Long number
                ? new JsonPrimitive(number)
                : new JsonPrimitive(value.toString())));
    return members.toString();
  }

  private void perform(String command, JsonObject arguments) {
    switch (command) {
      case "qmp_capabilities" -> {}
      case "migrate-set-capabilities" ->
          arguments
              .getAsJsonArray("capabilities")
              .forEach(one -> {
                JsonObject capability = one.getAsJsonObject();
                capabilities.put(
                    capability.get("capability").getAsString(),
                    capability.get("state").getAsBoolean());
              });
      case "trace-event-set-state" ->
          traceEvents.put(
              arguments.get("name").getAsString(), arguments.get("enable").getAsBoolean());
      case "migrate-set-parameters" ->
          arguments
              .entrySet()
              .forEach(one -> {
                JsonPrimitive value = one.getValue().getAsJsonPrimitive();
                parameters.put(
                    one.getKey(), value.isNumber() ? value.getAsLong() : value.getAsString());
              });
      case "migrate", "migrate-incoming" ->
          commands.add(command + " " + arguments.get("uri").getAsString());
      default -> commands.add(command);
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel now = log;
    if (now != null) {
      now.close();
    }
    listening.close();
    hangUp();
  }
}
