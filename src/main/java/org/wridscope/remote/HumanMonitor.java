// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.qmp.Arguments;
import org.wridscope.qmp.Command;
import org.wridscope.qmp.CommandException;
import org.wridscope.text.Legible;

/**
 * QEMU's {@code human-monitor-command}, for the lines of its human monitor that scripts send about
 * a migration. Each is the command of QMP that means the same; the text of the answer is that of a
 * QEMU 7.2.
 */
final class HumanMonitor {
  static final String COMMAND = "human-monitor-command";

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,12})([bBkKmMgG]?)");

  /** What {@code info migrate} prints of a QEMU that nobody has given other settings. */
  private static final String GLOBALS =
      """
      globals:
      store-global-state: on
      only-migratable: off
      send-configuration: on
      send-section-footer: on
      decompress-error-check: on
      clear-bitmap-shift: 18
      """;

  private final Map<String, Command> commands;
  private final String version;

  /**
   * @param commands those of QMP, without what this client may not do
   * @param version of this program
   */
  HumanMonitor(Map<String, Command> commands, String version) {
    this.commands = Map.copyOf(commands);
    this.version = version;
  }

  /** Executes a line; what is wrong with it is a text, too, as in QEMU. */
  JsonElement execute(Arguments arguments) throws CommandException, InterruptedException {
    String line = arguments.requiredText("command-line");
    var _ = arguments.number("cpu-index");
    arguments.requireNoMore();
    String text;
    try {
      text = answer(arguments, line.strip().split("\\s+"));
    } catch (CommandException e) {
      text = "Error: %s\n".formatted(e.getMessage());
    }
    return new JsonPrimitive(text.replace("\n", "\r\n"));
  }

  private String answer(Arguments from, String[] words)
      throws CommandException, InterruptedException {
    boolean info = words[0].equals("info") && words.length > 1;
    String name = info ? "info " + words[1] : words[0];
    List<String> rest = Stream.of(words).skip(info ? 2 : 1).toList();
    String own = tooMany(name, rest);
    if (own != null) {
      return own;
    }
    return switch (name) {
      case "info migrate" -> GLOBALS + migration(ask(from, "query-migrate", new JsonObject()));
      case "info status" -> status(ask(from, "query-status", new JsonObject()));
      case "info version" -> "7.2.0%s\n".formatted(version);
      case "info migrate_capabilities" -> capabilities(from);
      case "info migrate_parameters" -> parameters(from);
      case "stop", "cont" -> act(from, name, new JsonObject());
      case "migrate_cancel" -> act(from, "migrate_cancel", new JsonObject());
      case "migrate" -> {
        var wanted = new JsonObject();
        List<String> uri = rest.stream().filter(word -> !word.equals("-d")).toList();
        yield uri.size() == 1
            ? act(from, "migrate", with(wanted, "uri", uri.getFirst()))
            : usage(name);
      }
      case "migrate_incoming" ->
          rest.size() == 1
              ? act(from, "migrate-incoming", with(new JsonObject(), "uri", rest.getFirst()))
              : usage(name);
      case "migrate_set_capability" -> rest.size() == 2 ? setCapability(from, rest) : usage(name);
      case "migrate_set_parameter" -> rest.size() == 2 ? setParameter(from, rest) : usage(name);
      default -> unknown(name);
    };
  }

  private static String unknown(String name) {
    return "unknown command: '%s'\n".formatted(Legible.of(name, 60));
  }

  private static String usage(String name) {
    return "%s: the arguments are not those of this command\nTry \"help %s\" for more information\n"
        .formatted(name, name);
  }

  private static @Nullable String tooMany(String name, List<String> rest) {
    boolean takes =
        name.equals("migrate") || name.startsWith("migrate_set") || name.equals("migrate_incoming");
    boolean known =
        Stream.of("migrate", "status", "version", "migrate_capabilities", "migrate_parameters")
                .anyMatch(each -> name.equals("info " + each))
            || List.of("stop", "cont", "migrate_cancel").contains(name);
    return known && !takes && !rest.isEmpty()
        ? "%s: extraneous characters at the end of line\nTry \"help %s\" for more information\n"
            .formatted(name.replaceFirst("^info ", ""), name)
        : null;
  }

  private static JsonObject with(JsonObject object, String member, String text) {
    object.addProperty(member, text);
    return object;
  }

  private JsonElement ask(Arguments from, String command, JsonObject arguments)
      throws CommandException, InterruptedException {
    Command known = commands.get(command);
    if (known == null) {
      throw new CommandException("the command %s is not allowed here".formatted(command));
    }
    return known.execute(from.with(arguments));
  }

  private String act(Arguments from, String command, JsonObject arguments)
      throws CommandException, InterruptedException {
    var _ = ask(from, command, arguments);
    return "";
  }

  // -------------------------------------------------------------------------------------- answers

  private static String migration(JsonElement answer) {
    JsonObject info = answer.getAsJsonObject();
    var text = new StringBuilder();
    if (info.has("status")) {
      String status = info.get("status").getAsString();
      text.append("Migration status: ").append(status);
      if (status.equals("failed") && info.has("error-desc")) {
        text.append(" (").append(info.get("error-desc").getAsString()).append(')');
      }
      text.append('\n');
      line(text, info, "total-time", "total time: %d ms\n");
      line(text, info, "expected-downtime", "expected downtime: %d ms\n");
      line(text, info, "downtime", "downtime: %d ms\n");
      line(text, info, "setup-time", "setup: %d ms\n");
    }
    if (info.has("ram")) {
      JsonObject ram = info.getAsJsonObject("ram");
      kibibytes(text, ram, "transferred", "transferred ram");
      text.append(
          "throughput: %.2f mbps\n"
              .formatted(ram.has("mbps") ? ram.get("mbps").getAsDouble() : 0.0));
      kibibytes(text, ram, "remaining", "remaining ram");
      kibibytes(text, ram, "total", "total ram");
      line(text, ram, "duplicate", "duplicate: %d pages\n");
      line(text, ram, "skipped", "skipped: %d pages\n");
      line(text, ram, "normal", "normal: %d pages\n");
      kibibytes(text, ram, "normal-bytes", "normal bytes");
      line(text, ram, "dirty-sync-count", "dirty sync count: %d\n");
      kibibytes(text, ram, "page-size", "page size");
      kibibytes(text, ram, "multifd-bytes", "multifd bytes");
      line(text, ram, "pages-per-second", "pages-per-second: %d\n");
      if (number(ram, "dirty-pages-rate") > 0) {
        line(text, ram, "dirty-pages-rate", "dirty pages rate: %d pages\n");
      }
    }
    return text.toString();
  }

  private static long number(JsonObject of, String member) {
    return of.has(member) ? of.get(member).getAsLong() : 0;
  }

  private static void line(StringBuilder text, JsonObject of, String member, String form) {
    if (of.has(member)) {
      text.append(form.formatted(number(of, member)));
    }
  }

  private static void kibibytes(StringBuilder text, JsonObject of, String member, String name) {
    if (of.has(member)) {
      text.append("%s: %d kbytes\n".formatted(name, number(of, member) >> 10));
    }
  }

  private static String status(JsonElement answer) {
    JsonObject info = answer.getAsJsonObject();
    boolean running = info.get("running").getAsBoolean();
    String state = info.get("status").getAsString();
    String more = state.equals("running") || state.equals("paused") ? "" : " (" + state + ")";
    return "VM status: %s%s\n".formatted(running ? "running" : "paused", more);
  }

  private String capabilities(Arguments from) throws CommandException, InterruptedException {
    var text = new StringBuilder();
    for (JsonElement each :
        ask(from, "query-migrate-capabilities", new JsonObject()).getAsJsonArray()) {
      JsonObject one = each.getAsJsonObject();
      text.append(one.get("capability").getAsString())
          .append(one.get("state").getAsBoolean() ? ": on\n" : ": off\n");
    }
    return text.toString();
  }

  private String parameters(Arguments from) throws CommandException, InterruptedException {
    JsonObject all = ask(from, "query-migrate-parameters", new JsonObject()).getAsJsonObject();
    var text = new StringBuilder();
    line(text, all, "max-bandwidth", "max-bandwidth: %d bytes/second\n");
    line(text, all, "downtime-limit", "downtime-limit: %d ms\n");
    return text.toString();
  }

  // --------------------------------------------------------------------------------------- actions

  private String setCapability(Arguments from, List<String> rest)
      throws CommandException, InterruptedException {
    var one = with(new JsonObject(), "capability", rest.getFirst());
    switch (rest.getLast()) {
      case "on" -> one.addProperty("state", true);
      case "off" -> one.addProperty("state", false);
      default -> throw new CommandException("Expected 'on' or 'off'");
    }
    var list = new JsonArray();
    list.add(one);
    var wanted = new JsonObject();
    wanted.add("capabilities", list);
    return act(from, "migrate-set-capabilities", wanted);
  }

  /** A bandwidth is in MiB/s where it has no unit, as in QEMU. */
  private String setParameter(Arguments from, List<String> rest)
      throws CommandException, InterruptedException {
    Matcher size = SIZE.matcher(rest.getLast());
    if (!size.matches()) {
      throw new CommandException("Invalid size %s".formatted(Legible.of(rest.getLast(), 60)));
    }
    long number = Long.parseLong(size.group(1));
    var wanted = new JsonObject();
    if (rest.getFirst().equals("max-bandwidth")) {
      int shift =
          switch (size.group(2).toLowerCase(Locale.ROOT)) {
            case "b" -> 0;
            case "k" -> 10;
            case "g" -> 30;
            default -> 20;
          };
      wanted.addProperty("max-bandwidth", Math.min(number, Long.MAX_VALUE >> shift) << shift);
    } else {
      wanted.addProperty(rest.getFirst(), number);
    }
    return act(from, "migrate-set-parameters", wanted);
  }
}
