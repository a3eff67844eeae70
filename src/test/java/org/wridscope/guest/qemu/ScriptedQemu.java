// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.provider.Arguments;
import org.wridscope.memory.NativeMemory;
import org.wridscope.qmp.QmpAddress;

/**
 * A QMP server in this process that answers as a QEMU does whose guest runs, and can be made to
 * misbehave at any command. Its RAM is a file that this process maps.
 */
public final class ScriptedQemu implements AutoCloseable {
  public static final int RAM = 1 << 20;
  public static final int OWN = 8192;
  private static final String GREETING =
      "{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 22, \"minor\": 2, \"major\": 7},"
          + " \"package\": \"\"}, \"capabilities\": []}}";
  private static final Gson GSON = new Gson();

  /** What it does instead of what it should. */
  enum Fault {
    /** Refuses a command. */
    REFUSE,
    /** Closes the connection before it executes a command. */
    CLOSE_BEFORE,
    /** Closes the connection after it has executed a command. */
    CLOSE_AFTER,
    /** Answers a command with a number. */
    NONSENSE,
    /** Answers with what is not QMP, and does not execute the command. */
    NOISE
  }

  final NativeMemory ram;
  public final Map<String, Boolean> capabilities =
      new TreeMap<>(
          Map.of(
              "xbzrle",
              true,
              "events",
              false,
              "x-ignore-shared",
              false,
              "multifd",
              false,
              "pause-before-switchover",
              false,
              "late-block-activate",
              false,
              "dirty-bitmaps",
              false));
  final JsonObject parameters =
      JsonParser.parseString(
              "{\"max-bandwidth\": 134217728, \"downtime-limit\": 300, \"tls-creds\": \"\"}")
          .getAsJsonObject();
  final List<String> executed = new CopyOnWriteArrayList<>();

  /** Its capabilities and parameters when it was told to migrate last. */
  Map<String, Boolean> capabilitiesThen = Map.of();

  JsonObject parametersThen = new JsonObject();
  String version = "{\"micro\": 22, \"minor\": 2, \"major\": 7}";

  /** Answers to lines of the human monitor, by their beginnings. */
  final Map<String, String> human = new TreeMap<>();

  String backends = "[{\"id\": \"ram0\", \"size\": %d, \"share\": true}]".formatted(RAM);
  public String status = "running";
  public boolean running = true;
  String migration = "none";

  /** Why QEMU refuses to migrate; null if it does not. */
  @Nullable String blocker;

  /** The stream of a migration that it runs to its end. */
  byte[] stream = stream();

  /** Whether a migration with a low bandwidth has nothing left to send after its beginning. */
  boolean hasLittle;

  /** As QEMU up to 8.1: a guest that was paused is not so again after a migration has failed. */
  boolean forgetsPause;

  /** As QEMU up to 9.2: {@code migrate_cancel} may not wake a migration that begins to wait. */
  boolean losesWakeUp;

  /** Somebody else's {@code migrate-continue} as soon as a migration waits. */
  boolean isContinued;

  /** Called when it is told to stop, before it does. */
  Runnable stopping = () -> {};

  /** Whether it sends nothing after that. */
  boolean hangs;

  private final Path ramFile;
  private final ServerSocketChannel listening;
  private final Path socket;
  private int faultAt = -1;
  private Fault fault = Fault.REFUSE;
  private volatile @Nullable SocketChannel client;
  private @Nullable SocketChannel outgoing;

  /** Before a migration has stopped the guest. */
  private String statusBefore = "";

  private boolean ranBefore;

  public ScriptedQemu(Path folder) throws IOException {
    ramFile = folder.resolve("ram");
    try (var file =
        FileChannel.open(
            ramFile,
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(1), RAM - 1);
      ram = NativeMemory.mapShared(file, ramFile, RAM);
    }
    socket = folder.resolve("qmp");
    listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listening.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofPlatform().daemon().name("scripted QEMU").start(this::serve);
  }

  public QmpAddress address() {
    return new QmpAddress.Unix(socket);
  }

  /** Why it is refused, for a test with parameters. */
  static Arguments refusal(String name, Consumer<ScriptedQemu> how, String why) {
    return Arguments.of(Named.of(name, how), why);
  }

  /** Misbehaves at the command with this number, the first of which is 0, once. */
  void failAt(int command, Fault how) {
    faultAt = command;
    fault = how;
  }

  private void serve() {
    try {
      while (true) {
        try (SocketChannel accepted = listening.accept()) {
          client = accepted;
          send(GREETING);
          serve(new BufferedReader(Channels.newReader(accepted, StandardCharsets.UTF_8)));
        } catch (IOException e) {
          if (!listening.isOpen()) {
            return;
          }
        }
      }
    } catch (RuntimeException e) {
      executed.add("DEFECT " + e);
      throw e;
    }
  }

  private void serve(BufferedReader lines) throws IOException {
    String line;
    while ((line = lines.readLine()) != null) {
      JsonObject command = JsonParser.parseString(line).getAsJsonObject();
      String name = command.get("execute").getAsString();
      JsonObject arguments =
          command.has("arguments") ? command.getAsJsonObject("arguments") : new JsonObject();
      if (name.equals("qmp_capabilities")) {
        answer(command, "{}");
        continue;
      }
      Fault now = executed.size() == faultAt ? fault : null;
      if (now != null) {
        faultAt = -1;
      }
      synchronized (this) {
        executed.add(name);
        if (now == Fault.CLOSE_BEFORE) {
          return;
        }
        if (now == Fault.NOISE) {
          send("qemu: \"noise\" {");
          return;
        }
        try {
          if (now == Fault.REFUSE) {
            throw new Refusal("not today");
          }
          String result = execute(name, arguments);
          if (now == Fault.CLOSE_AFTER) {
            return;
          }
          answer(command, now == Fault.NONSENSE ? "5" : result);
        } catch (Refusal e) {
          send(
              "{\"error\": {\"class\": \"GenericError\", \"desc\": \"%s\"}, \"id\": %s}"
                  .formatted(e.getMessage(), command.get("id")));
        }
      }
    }
  }

  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    Refusal(String desc) {
      super(desc);
    }
  }

  private void answer(JsonObject command, String result) throws IOException {
    send("{\"return\": %s, \"id\": %s}".formatted(result, command.get("id")));
  }

  private void send(String line) throws IOException {
    SocketChannel to = client;
    if (to != null && to.isOpen()) {
      to.write(StandardCharsets.UTF_8.encode(line + "\r\n"));
    }
  }

  private void event(String name, String data) {
    try {
      send(
          "{\"event\": \"%s\", \"data\": %s, \"timestamp\": {\"seconds\": 1, \"microseconds\": 2}}"
              .formatted(name, data));
    } catch (IOException e) {
      // The client has gone.
    }
  }

  private void migration(String now) {
    migration = now;
    if (capabilities.getOrDefault("events", false)) {
      event("MIGRATION", "{\"status\": \"%s\"}".formatted(now));
    }
  }

  private boolean isMigrating() {
    return Set.of("setup", "active", "pre-switchover", "device", "cancelling").contains(migration);
  }

  private String execute(String name, JsonObject arguments) throws IOException, Refusal {
    return switch (name) {
      case "query-status" -> "{\"status\": \"%s\", \"running\": %b}".formatted(status, running);
      case "query-migrate" ->
          migration.equals("none") ? "{}" : "{\"status\": \"%s\"}".formatted(migration);
      case "query-memdev" -> backends;
      case "qom-list" -> "[{\"name\": \"ram0\", \"type\": \"child<memory-backend-file>\"}]";
      case "qom-get" ->
          arguments.get("property").getAsString().equals("mem-path")
              ? GSON.toJson(ramFile.toString())
              : "\"pc-i440fx-7.2-machine\"";
      case "query-named-block-nodes", "query-block" -> "[]";
      case "query-version" -> "{\"qemu\": %s, \"package\": \"\"}".formatted(version);
      case "query-migrate-capabilities" ->
          capabilities.entrySet().stream()
              .map(each ->
                  "{\"capability\": \"%s\", \"state\": %b}"
                      .formatted(each.getKey(), each.getValue()))
              .toList()
              .toString();
      case "query-migrate-parameters" -> parameters.toString();
      case "migrate-set-capabilities" -> {
        if (isMigrating()) {
          throw new Refusal("There's a migration process in progress");
        }
        arguments
            .getAsJsonArray("capabilities")
            .forEach(each ->
                capabilities.put(
                    each.getAsJsonObject().get("capability").getAsString(),
                    each.getAsJsonObject().get("state").getAsBoolean()));
        yield "{}";
      }
      case "migrate-set-parameters" -> {
        arguments.entrySet().forEach(each -> parameters.add(each.getKey(), each.getValue()));
        yield "{}";
      }
      case "human-monitor-command" -> {
        String line = arguments.get("command-line").getAsString();
        yield GSON.toJson(
            human.entrySet().stream()
                .filter(each -> line.startsWith(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(""));
      }
      case "stop" -> {
        stopping.run();
        if (running) {
          running = false;
          status = "paused";
          event("STOP", "{}");
        }
        yield "{}";
      }
      case "cont" -> {
        if (status.equals("finish-migrate")) {
          throw new Refusal("Migration is not finalized yet");
        }
        running = true;
        status = "running";
        event("RESUME", "{}");
        yield "{}";
      }
      case "migrate" -> {
        migrate(arguments.get("uri").getAsString());
        yield "{}";
      }
      case "migrate_cancel" -> {
        if (migration.equals("pre-switchover") && losesWakeUp) {
          migration("cancelling");
        } else if (isMigrating() && !migration.equals("cancelling")) {
          cancelled();
        }
        yield "{}";
      }
      case "migrate-continue" -> {
        if (!migration.equals(arguments.get("state").getAsString())) {
          throw new Refusal("Migration not in expected state: " + migration);
        }
        cancelled();
        yield "{}";
      }
      default -> throw new Refusal("The command " + name + " has not been found");
    };
  }

  private void cancelled() throws IOException {
    closeOutgoing();
    backToGuest();
    migration("cancelled");
  }

  private void finish() {
    statusBefore = status;
    ranBefore = running;
    if (running) {
      running = false;
      event("STOP", "{}");
    }
    status = "finish-migrate";
  }

  /** After a migration that has not completed. */
  private void backToGuest() {
    if (status.equals("finish-migrate")) {
      running = ranBefore;
      status = forgetsPause && !ranBefore ? "postmigrate" : statusBefore;
      if (running) {
        event("RESUME", "{}");
      }
    }
  }

  private void closeOutgoing() throws IOException {
    if (outgoing != null) {
      outgoing.close();
      outgoing = null;
    }
  }

  private void migrate(String uri) throws IOException, Refusal {
    if (blocker != null) {
      throw new Refusal(blocker);
    }
    capabilitiesThen = Map.copyOf(capabilities);
    parametersThen = parameters.deepCopy();
    migration("setup");
    SocketChannel to = SocketChannel.open(StandardProtocolFamily.UNIX);
    to.connect(UnixDomainSocketAddress.of(uri.substring("unix:".length())));
    outgoing = to;
    migration("active");
    boolean slow = parameters.get("max-bandwidth").getAsLong() < 1 << 20;
    Thread.ofPlatform().daemon().name("scripted migration").start(() -> run(to, slow));
  }

  private void run(SocketChannel to, boolean slow) {
    try {
      if (!slow && !hangs) {
        synchronized (this) {
          finish();
        }
      }
      ByteBuffer bytes = ByteBuffer.wrap(stream);
      if (slow && hasLittle) {
        end(to, bytes);
        return;
      }
      if (slow) {
        bytes.limit(Math.min(bytes.limit(), beginning()));
      }
      while (bytes.hasRemaining()) {
        to.write(bytes);
      }
      if (slow || hangs) {
        return;
      }
      synchronized (this) {
        if (to.equals(outgoing)) {
          migration("completed");
          status = "postmigrate";
          closeOutgoing();
        }
      }
    } catch (IOException e) {
      synchronized (this) {
        if (to.equals(outgoing)) {
          backToGuest();
          migration("failed");
        }
      }
    }
  }

  /** Sends all but the states of devices, and then waits if it is to, before any other command. */
  private synchronized void end(SocketChannel to, ByteBuffer bytes) throws IOException {
    if (!to.equals(outgoing)) {
      return;
    }
    finish();
    boolean waits = capabilities.getOrDefault("pause-before-switchover", false);
    bytes.limit(bytes.limit() - (waits ? REST.length : 0));
    to.write(bytes);
    if (waits) {
      migration("pre-switchover");
    }
    if (!waits || isContinued) {
      migration("device");
      migration("completed");
      status = "postmigrate";
      closeOutgoing();
    }
  }

  /** Length of the stream up to the first page. */
  static int beginning() {
    return stream().length - REST.length - part(2).length - part(3).length + 5;
  }

  private static final byte[] REST = "states of devices, {}".getBytes(StandardCharsets.US_ASCII);

  /** What follows the RAM in the stream. */
  static byte[] rest() {
    return REST.clone();
  }

  /**
   * Makes its stream end as that of a QEMU does: with states, EOF and a description of the machine.
   *
   * @param states their bytes
   * @param description bytes of its JSON, at least 2
   */
  public void describe(int states, int description) {
    byte[] without = stream();
    stream =
        ByteBuffer.allocate(without.length + states + 6 + description)
            .put(without)
            .put(new byte[states])
            .put((byte) 0)
            .put((byte) 6)
            .putInt(description)
            .put(("{" + " ".repeat(description - 2) + "}").getBytes(StandardCharsets.US_ASCII))
            .array();
  }

  /** A stream with {@code x-ignore-shared}: the block ram0 is shared, and another one is not. */
  static byte[] stream() {
    var bytes = new ByteArrayOutputStream();
    try {
      var out = new DataOutputStream(bytes);
      out.writeInt(0x5145564d);
      out.writeInt(3);
      out.writeByte(7);
      out.writeInt("pc-i440fx-7.2".length());
      out.writeBytes("pc-i440fx-7.2");
      out.writeByte(5);
      name(out, "configuration/capabilities");
      out.writeInt(1);
      out.writeInt(1);
      name(out, "x-ignore-shared");
      out.writeByte(1);
      out.writeInt(2);
      name(out, "ram");
      out.writeInt(0);
      out.writeInt(4);
      out.writeLong(RAM + OWN | 4);
      name(out, "ram0");
      out.writeLong(RAM);
      out.writeLong(0);
      name(out, "vga.vram");
      out.writeLong(OWN);
      out.writeLong(0xe0000000L);
      end(out);
      out.write(part(2));
      out.write(part(3));
      out.write(REST);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** A PART or the END of the section, with both pages of the other block: 7 and zero. */
  private static byte[] part(int tag) {
    var bytes = new ByteArrayOutputStream();
    try {
      var out = new DataOutputStream(bytes);
      out.writeByte(tag);
      out.writeInt(2);
      out.writeLong(8);
      name(out, "vga.vram");
      byte[] page = new byte[4096];
      page[100] = 7;
      out.write(page);
      out.writeLong(4096 | 2 | 0x20);
      out.writeByte(0);
      end(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void end(DataOutputStream out) throws IOException {
    out.writeLong(0x10);
    out.writeByte(0x7e);
    out.writeInt(2);
  }

  private static void name(DataOutputStream out, String name) throws IOException {
    out.writeByte(name.length());
    out.writeBytes(name);
  }

  @Override
  public void close() throws IOException {
    listening.close();
    Files.deleteIfExists(socket);
    SocketChannel now = client;
    if (now != null) {
      now.close();
    }
    synchronized (this) {
      closeOutgoing();
    }
    ram.close();
  }
}
