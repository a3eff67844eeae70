// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * The commands of a QEMU that a migration needs, with checked answers: texts are legible, and an
 * answer of another form than the protocol says is a {@link QmpException}. Each command waits for
 * at most {@link Qmp#ANSWER}. Thread-safe.
 */
public final class QemuMonitor {
  private final Qmp qmp;

  public QemuMonitor(Qmp qmp) {
    this.qmp = qmp;
  }

  /** The connection, for other commands and for events. */
  public Qmp qmp() {
    return qmp;
  }

  // -------------------------------------------------------------------------------- the guest

  public RunState status() throws IOException, InterruptedException {
    Members answer = object("query-status");
    return new RunState(answer.requiredText("status"), answer.isTrue("running"));
  }

  /** Pauses the guest. Returns when its disks are quiet. */
  public void stop() throws IOException, InterruptedException {
    qmp.execute("stop");
  }

  /** Lets the guest run. */
  public void cont() throws IOException, InterruptedException {
    qmp.execute("cont");
  }

  /** The guest's name, as given by {@code -name}. */
  public Optional<String> name() throws IOException, InterruptedException {
    return object("query-name").text("name");
  }

  /** The UUID of the machine; all zero if it was started without one. */
  public Optional<String> uuid() throws IOException, InterruptedException {
    return object("query-uuid").text("UUID");
  }

  /** The guest's memory back ends that are objects, in QEMU's order. */
  public List<MemoryBackend> memoryBackends() throws IOException, InterruptedException {
    Map<String, String> types = objectTypes();
    var backends = new ArrayList<MemoryBackend>();
    for (Members backend : list("query-memdev")) {
      Optional<String> id = backend.name("id");
      if (id.isPresent()) {
        String type = types.getOrDefault(id.get(), "");
        backends.add(
            new MemoryBackend(
                id.get(),
                type,
                backend.requiredNumber("size"),
                backend.isTrue("share"),
                type.equals("memory-backend-file") ? memPath(id.get()) : null));
      }
    }
    return backends;
  }

  /** Types of the objects below {@code /objects} by their ids. */
  private Map<String, String> objectTypes() throws IOException, InterruptedException {
    String command = "qom-list";
    var types = new HashMap<String, String>();
    for (Members object :
        Members.list(command, qmp.execute(command, arguments("path", "/objects")))) {
      String type = object.requiredText("type");
      Optional<String> name = object.name("name");
      if (name.isPresent() && type.startsWith("child<") && type.endsWith(">")) {
        types.put(name.get(), type.substring("child<".length(), type.length() - 1));
      }
    }
    return types;
  }

  private @Nullable Path memPath(String id) throws IOException, InterruptedException {
    String command = "qom-get";
    JsonObject arguments = arguments("path", "/objects/" + id);
    arguments.addProperty("property", "mem-path");
    JsonElement answer = qmp.execute(command, arguments);
    if (answer instanceof JsonPrimitive path
        && path.isString()
        && Legible.of(path.getAsString()).equals(path.getAsString())) {
      try {
        return path.getAsString().isEmpty() ? null : Path.of(path.getAsString());
      } catch (InvalidPathException e) {
        throw QmpException.invalid(command, "mem-path is not a path");
      }
    }
    throw QmpException.invalid(command, "mem-path is missing or wrong");
  }

  /** The guest's disks that have a medium. */
  public List<BlockDevice> blockDevices() throws IOException, InterruptedException {
    var devices = new ArrayList<BlockDevice>();
    for (Members device : list("query-block")) {
      if (device.has("inserted")) {
        Members medium = device.inner("inserted");
        String drive = device.text("device").orElse("");
        devices.add(
            new BlockDevice(
                drive.isEmpty() ? device.text("qdev").orElse("") : drive,
                medium.text("file").orElse(""),
                medium.isTrue("ro"),
                isDirect(medium)));
      }
    }
    return devices;
  }

  /**
   * Whether QEMU reads or writes any file or device with O_DIRECT. Each node of a disk's graph has
   * its own flag, so all nodes are asked, also those below a disk.
   */
  public boolean usesDirectIo() throws IOException, InterruptedException {
    for (Members node : list("query-named-block-nodes")) {
      if (isDirect(node)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isDirect(Members medium) throws QmpException {
    return medium.has("cache") && medium.inner("cache").isTrue("direct");
  }

  // -------------------------------------------------------------------------------- migration

  /** QEMU's migration capabilities, in its order. */
  public Map<String, Boolean> capabilities() throws IOException, InterruptedException {
    var capabilities = new LinkedHashMap<String, Boolean>();
    for (Members capability : list("query-migrate-capabilities")) {
      capabilities.put(capability.requiredText("capability"), capability.isTrue("state"));
    }
    return capabilities;
  }

  /** Switches capabilities on or off; others stay as they are. */
  public void setCapabilities(Map<String, Boolean> capabilities)
      throws IOException, InterruptedException {
    var list = new JsonArray();
    capabilities.forEach((name, state) -> {
      JsonObject capability = arguments("capability", name);
      capability.addProperty("state", state);
      list.add(capability);
    });
    var arguments = new JsonObject();
    arguments.add("capabilities", list);
    qmp.execute("migrate-set-capabilities", arguments);
  }

  /** QEMU's migration parameters, as sent. */
  public JsonObject parameters() throws IOException, InterruptedException {
    return object("query-migrate-parameters").object();
  }

  /** Sets parameters; others stay as they are. */
  public void setParameters(JsonObject parameters) throws IOException, InterruptedException {
    qmp.execute("migrate-set-parameters", parameters);
  }

  /** Starts to migrate the guest. Returns when the migration has begun. */
  public void migrate(String uri) throws IOException, InterruptedException {
    qmp.execute("migrate", arguments("uri", uri));
  }

  /** Listens for a guest; the QEMU must have been started with {@code -incoming defer}. */
  public void migrateIncoming(String uri) throws IOException, InterruptedException {
    qmp.execute("migrate-incoming", arguments("uri", uri));
  }

  /** Asks QEMU to end its migration; without one nothing happens. */
  public void migrateCancel() throws IOException, InterruptedException {
    qmp.execute("migrate_cancel");
  }

  /**
   * Wakes a migration that was cancelled in the moment in which it began to wait for {@code
   * migrate-continue}: QEMU up to 9.2 lets it wait for ever then, and the guest stand still. To be
   * called after {@link #migrateCancel} as long as the migration has not ended.
   */
  public void wakeCancelled() throws IOException, InterruptedException {
    try {
      migrateContinue("cancelling");
    } catch (QmpException e) {
      if (e.kind() != QmpException.Kind.REFUSED) {
        throw e;
      }
      // It has another status, so it ends by itself.
    }
  }

  /**
   * Lets a migration go on that waits.
   *
   * @param state the status in which it waits, for example {@code pre-switchover}
   */
  public void migrateContinue(String state) throws IOException, InterruptedException {
    qmp.execute("migrate-continue", arguments("state", state));
  }

  /** The present or last migration. */
  public MigrationInfo migration() throws IOException, InterruptedException {
    Members answer = object("query-migrate");
    return new MigrationInfo(
        answer.text("status").orElse("none"),
        answer.millis("total-time"),
        answer.millis("downtime"),
        answer.millis("expected-downtime"),
        answer.millis("setup-time"),
        answer.has("ram") ? Optional.of(ram(answer.inner("ram"))) : Optional.empty(),
        answer.text("error-desc"));
  }

  private static MigrationInfo.Ram ram(Members ram) throws QmpException {
    return new MigrationInfo.Ram(
        ram.number("transferred").orElse(0),
        ram.number("remaining").orElse(0),
        ram.number("total").orElse(0),
        ram.rate("mbps"),
        ram.number("dirty-pages-rate").orElse(0),
        ram.number("dirty-sync-count").orElse(0),
        ram.number("page-size").orElse(0),
        ram.number("duplicate").orElse(0),
        ram.number("normal").orElse(0));
  }

  // --------------------------------------------------------------------------------- the QEMU

  public QemuVersion version() throws IOException, InterruptedException {
    Members answer = object("query-version");
    Members numbers = answer.inner("qemu");
    return new QemuVersion(
        versionNumber(numbers, "major"),
        versionNumber(numbers, "minor"),
        versionNumber(numbers, "micro"),
        answer.text("package").orElse(""));
  }

  private static int versionNumber(Members numbers, String member) throws QmpException {
    return (int) Math.min(numbers.requiredNumber(member), 9999);
  }

  /** Ends the QEMU. */
  public void quit() throws IOException, InterruptedException {
    qmp.execute("quit");
  }

  /**
   * Executes a line of QEMU's human monitor, for what has no command of its own.
   *
   * @return what it printed; its lines are legible
   */
  public String humanMonitor(String line) throws IOException, InterruptedException {
    String command = "human-monitor-command";
    JsonElement answer = qmp.execute(command, arguments("command-line", line));
    if (answer instanceof JsonPrimitive text && text.isString()) {
      return text.getAsString().lines().map(Legible::of).collect(Collectors.joining("\n"));
    }
    throw QmpException.invalid(command, "it is not a text");
  }

  // ------------------------------------------------------------------------------ its trace log

  /**
   * Trace events that this QEMU has, and whether they are on.
   *
   * @param pattern a name, in which {@code *} stands for any characters
   */
  public Map<String, Boolean> traceEvents(String pattern) throws IOException, InterruptedException {
    String command = "trace-event-get-state";
    var events = new LinkedHashMap<String, Boolean>();
    for (Members event : Members.list(command, qmp.execute(command, arguments("name", pattern)))) {
      String state = event.requiredText("state");
      if (!state.equals("unavailable")) {
        events.put(event.requiredText("name"), state.equals("enabled"));
      }
    }
    return events;
  }

  /** Switches a trace event on or off. */
  public void setTraceEvent(String name, boolean on) throws IOException, InterruptedException {
    JsonObject arguments = arguments("name", name);
    arguments.addProperty("enable", on);
    qmp.execute("trace-event-set-state", arguments);
  }

  /** Whether this QEMU can write trace events to its log. */
  public boolean logsTraceEvents() throws IOException, InterruptedException {
    return humanMonitor("help log").contains("trace:PATTERN");
  }

  /**
   * Changes the file of QEMU's log, to which it appends. QEMU closes the former one.
   *
   * @return empty, or why QEMU cannot open it; then it has no log
   */
  public String logTo(String file) throws IOException, InterruptedException {
    String quoted = file.replace("\\", "\\\\").replace("\"", "\\\"");
    return humanMonitor("logfile \"" + quoted + "\"").strip();
  }

  // ---------------------------------------------------------------------------------- answers

  private Members object(String command) throws IOException, InterruptedException {
    return Members.of(command, qmp.execute(command));
  }

  private List<Members> list(String command) throws IOException, InterruptedException {
    return Members.list(command, qmp.execute(command));
  }

  private static JsonObject arguments(String name, String value) {
    var arguments = new JsonObject();
    arguments.addProperty(name, value);
    return arguments;
  }
}
