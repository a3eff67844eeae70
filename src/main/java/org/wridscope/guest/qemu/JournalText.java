// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.JsonMembers;
import org.wridscope.guest.Handover;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.qmp.QmpAddress;

/**
 * A {@link JournalEntry} as text: one JSON object. Another process of the user may have changed it,
 * so only what this program writes is accepted.
 */
final class JournalText {
  /** Of this format. */
  private static final long VERSION = 1;

  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  private static final Pattern SECRET = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern CAPABILITY = Pattern.compile("[a-z0-9-]{1,64}");
  private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  private static final HexFormat HEX = HexFormat.of();

  /** More than this program ever changes, or has. */
  private static final int MOST_CAPABILITIES = 64;

  private static final int MOST_OWNERS = 8;

  private static final int LONGEST_NAME = 4096;

  private JournalText() {}

  static String write(JournalEntry entry) {
    var json = new JsonObject();
    json.addProperty("journal", VERSION);
    json.addProperty("role", word(entry.role()));
    json.addProperty("stage", word(entry.stage()));
    json.addProperty("since", entry.since().toString());
    json.addProperty("boot", entry.boot());
    JsonObject qemu = process(entry.qemu().process());
    qemu.addProperty("qmp", entry.qemu().qmp().toString());
    qemu.addProperty("uuid", entry.qemu().uuid());
    qemu.addProperty("name", entry.qemu().name());
    json.add("qemu", qemu);
    var owners = new JsonArray();
    entry.owners().forEach(owner -> owners.add(process(owner)));
    json.add("owners", owners);
    var capabilities = new JsonObject();
    entry.before().capabilities().forEach(capabilities::addProperty);
    json.add("capabilities", capabilities);
    json.add("parameters", entry.before().parameters());
    json.addProperty("starts", entry.before().starts());
    json.addProperty("run", entry.run());
    if (entry.handover() != null) {
      json.add("handover", handover(entry.handover()));
    }
    if (entry.userfault() != null) {
      json.addProperty("userfault", entry.userfault());
    }
    if (entry.socket() != null) {
      json.addProperty("socket", entry.socket().toString());
    }
    return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(json) + "\n";
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static JsonObject process(ProcessIdentity process) {
    var json = new JsonObject();
    json.addProperty("pid", process.pid());
    json.addProperty("start", process.start());
    return json;
  }

  private static JsonObject handover(Handover handover) {
    var json = new JsonObject();
    json.addProperty("device", handover.device());
    json.addProperty("host", handover.host());
    json.addProperty("port", handover.destination().getPort());
    if (handover.migration() != null) {
      json.addProperty("migration", handover.migration().toString());
    }
    MigrationSecret secret = handover.secret();
    if (secret != null) {
      json.addProperty("secret", HEX.toHexDigits(secret.high()) + HEX.toHexDigits(secret.low()));
    }
    return json;
  }

  /**
   * @throws IllegalArgumentException if this program would not have written it; one sentence
   */
  static JournalEntry parse(String text) {
    JsonMembers json = JsonMembers.parseStrictly(text);
    json.required("journal", VERSION, VERSION);
    JournalEntry.Role role = json.word("role", JournalEntry.Role.class);
    JournalEntry.Stage stage = json.word("stage", JournalEntry.Stage.class);
    if (stage.role() != role) {
      throw new IllegalArgumentException(
          "stage: a %s is never %s.".formatted(word(role), word(stage)));
    }
    var owners = new ArrayList<ProcessIdentity>();
    for (JsonMembers owner : json.objects("owners")) {
      owners.add(process(owner));
      owner.requireNoOthers();
    }
    if (owners.size() > MOST_OWNERS) {
      throw new IllegalArgumentException("owners: there are more than %d.".formatted(MOST_OWNERS));
    }
    var entry =
        new JournalEntry(
            stage,
            since(json),
            matching(json, "boot", UUID_TEXT),
            qemu(json.object("qemu")),
            owners,
            new GuardedSettings(
                capabilities(json.entries("capabilities")),
                parameters(json.object("parameters")),
                requiredFlag(json, "starts")),
            requiredFlag(json, "run"),
            json.has("handover") ? handover(json.object("handover")) : null,
            json.has("userfault")
                ? Integer.valueOf((int) json.required("userfault", 0, Integer.MAX_VALUE))
                : null,
            json.has("socket") ? socket(json) : null);
    json.requireNoOthers();
    return entry;
  }

  private static boolean requiredFlag(JsonMembers json, String name) {
    if (!json.has(name)) {
      throw new IllegalArgumentException("%s is missing.".formatted(json.at(name)));
    }
    return json.flag(name);
  }

  private static Instant since(JsonMembers json) {
    try {
      return Instant.parse(json.text("since"));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("since is not a time.", e);
    }
  }

  private static String matching(JsonMembers json, String name, Pattern pattern) {
    String text = json.text(name);
    if (!pattern.matcher(text).matches()) {
      throw new IllegalArgumentException("%s is not of the right form.".formatted(json.at(name)));
    }
    return text;
  }

  private static String limited(JsonMembers json, String name) {
    String text = json.text(name);
    if (text.length() > LONGEST_NAME) {
      throw new IllegalArgumentException("%s is too long.".formatted(json.at(name)));
    }
    return text;
  }

  private static ProcessIdentity process(JsonMembers json) {
    return new ProcessIdentity(
        json.required("pid", 1, Integer.MAX_VALUE), json.required("start", 0, Long.MAX_VALUE));
  }

  private static GuardedQemu qemu(JsonMembers json) {
    QmpAddress qmp = QmpAddress.parse(limited(json, "qmp"));
    // Others would start a program.
    if (!(qmp instanceof QmpAddress.Unix || qmp instanceof QmpAddress.Tcp)) {
      throw new IllegalArgumentException("%s is not on this machine.".formatted(json.at("qmp")));
    }
    String uuid = json.text("uuid");
    if (!uuid.isEmpty() && !UUID_TEXT.matcher(uuid).matches()) {
      throw new IllegalArgumentException("%s is not a UUID.".formatted(json.at("uuid")));
    }
    var qemu = new GuardedQemu(process(json), qmp, uuid, limited(json, "name"));
    json.requireNoOthers();
    return qemu;
  }

  private static Map<String, Boolean> capabilities(Map<String, String> written) {
    if (written.size() > MOST_CAPABILITIES) {
      throw new IllegalArgumentException(
          "capabilities: there are more than %d.".formatted(MOST_CAPABILITIES));
    }
    var capabilities = new HashMap<String, Boolean>();
    written.forEach((name, state) -> {
      if (!CAPABILITY.matcher(name).matches() || !(state.equals("true") || state.equals("false"))) {
        throw new IllegalArgumentException("capabilities: one is not a capability and its state.");
      }
      capabilities.put(name, state.equals("true"));
    });
    return capabilities;
  }

  /** Those that {@link RestoredSettings} changes. */
  private static JsonObject parameters(JsonMembers json) {
    var parameters = new JsonObject();
    for (String limit : KnownSettings.SET) {
      number(json, limit, parameters);
    }
    KnownSettings.NEUTRAL.forEach((parameter, neutral) -> {
      if (neutral.isNumber()) {
        number(json, parameter, parameters);
      } else if (json.has(parameter)) {
        parameters.addProperty(parameter, limited(json, parameter));
      }
    });
    json.requireNoOthers();
    return parameters;
  }

  private static void number(JsonMembers json, String parameter, JsonObject parameters) {
    if (json.has(parameter)) {
      parameters.add(parameter, new JsonPrimitive(json.required(parameter, 0, Long.MAX_VALUE)));
    }
  }

  private static Handover handover(JsonMembers json) {
    InetAddress host = InetAddress.ofLiteral(json.text("host"));
    int port = (int) json.required("port", 1, 65_535);
    MigrationId migration = null;
    if (json.has("migration")) {
      UUID id = UUID.fromString(matching(json, "migration", UUID_TEXT));
      migration = new MigrationId(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
    var handover =
        new Handover(
            matching(json, "device", DEVICE),
            new InetSocketAddress(host, port),
            migration,
            json.has("secret") ? secret(matching(json, "secret", SECRET)) : null);
    json.requireNoOthers();
    return handover;
  }

  private static MigrationSecret secret(String digits) {
    int half = digits.length() / 2;
    return new MigrationSecret(
        HexFormat.fromHexDigitsToLong(digits, 0, half),
        HexFormat.fromHexDigitsToLong(digits, half, digits.length()));
  }

  private static @Nullable Path socket(JsonMembers json) {
    Path socket = Path.of(limited(json, "socket"));
    if (!PrivateSocket.isOne(socket)) {
      throw new IllegalArgumentException("socket is not one of Wridscope.");
    }
    return socket;
  }
}
