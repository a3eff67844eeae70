// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.wridscope.guest.Handover;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.qmp.QmpAddress;

/**
 * What a guard is told, one JSON object per line; it answers each with {@code {}}, with results in
 * it, or with {@code {"error": SENTENCE}}.
 */
record Note(Kind kind, JsonObject content) {
  static final String ERROR = "error";
  static final String DESCRIPTOR = "descriptor";
  static final String INBOX = "inbox";
  private static final String KIND = "note";

  /** The notes; the first one is {@link #SOURCE} or {@link #DESTINATION}. */
  enum Kind {
    SOURCE,
    OPEN_USERFAULT,
    CLOSE_USERFAULT,
    STOPPING,
    RESUMED,
    HANDING_OVER,
    HANDED_OVER,
    TAKEN_BACK,
    DESTINATION,
    CONNECTED,
    LISTENING,
    LOADING,
    LOADED,
    SWITCHING_OVER,
    RUNNING,
    RESTORED,
    CREATING,
    LEAVE
  }

  static Note of(Kind kind) {
    return new Note(kind, new JsonObject());
  }

  /**
   * The first note.
   *
   * @param journal of the QEMU, which the guard ends once the QEMU is restored
   */
  static Note of(Kind kind, GuardedQemu qemu, GuardedSettings before, Path journal) {
    Note note = of(kind, qemu, before);
    note.content.addProperty("journal", journal.toString());
    return note;
  }

  static Note of(Kind kind, GuardedQemu qemu, GuardedSettings before) {
    Note note = of(kind);
    note.content.addProperty("pid", qemu.pid());
    note.content.addProperty("start", qemu.start());
    note.content.addProperty("qmp", qemu.qmp().toString());
    var capabilities = new JsonObject();
    before.capabilities().forEach(capabilities::addProperty);
    note.content.add("capabilities", capabilities);
    note.content.add("parameters", before.parameters());
    note.content.addProperty("starts", before.starts());
    return note;
  }

  static Note of(Kind kind, Handover handover) {
    Note note = of(kind);
    note.content.addProperty("device", handover.device());
    note.content.addProperty("host", handover.host());
    note.content.addProperty("port", handover.destination().getPort());
    MigrationId migration = handover.migration();
    if (migration != null) {
      note.content.addProperty("high", migration.high());
      note.content.addProperty("low", migration.low());
    }
    MigrationSecret secret = handover.secret();
    if (secret != null) {
      note.content.addProperty("secretHigh", secret.high());
      note.content.addProperty("secretLow", secret.low());
    }
    return note;
  }

  /**
   * That the socket at which a source asks can be taken over.
   *
   * @param token with which it is sent to the inbox in the answer, hexadecimal digits
   */
  static Note listening(String token) {
    Note note = of(Kind.LISTENING);
    note.content.addProperty("token", token);
    return note;
  }

  static Note creating(Path socket) {
    Note note = of(Kind.CREATING);
    note.content.addProperty("socket", socket.toString());
    return note;
  }

  static Note switchingOver(boolean run) {
    Note note = of(Kind.SWITCHING_OVER);
    note.content.addProperty("run", run);
    return note;
  }

  /** Without its content, of which the secret must not be logged. */
  @Override
  public String toString() {
    return kind.name();
  }

  /** The line of this note, without its end. */
  String line() {
    JsonObject message = content.deepCopy();
    message.addProperty(KIND, kind.name());
    return message.toString();
  }

  static Note parse(String line) throws IOException {
    JsonObject message = object(line);
    var note = new Note(Kind.SOURCE, message);
    String name = note.get(KIND).getAsString();
    for (Kind kind : Kind.values()) {
      if (kind.name().equals(name)) {
        return new Note(kind, message);
      }
    }
    throw new IOException("There is no note '%s'.".formatted(name));
  }

  static JsonObject object(String line) throws IOException {
    try {
      if (JsonParser.parseString(line) instanceof JsonObject object) {
        return object;
      }
    } catch (JsonParseException e) {
      throw new IOException("A note is not JSON.", e);
    }
    throw new IOException("A note is not a JSON object.");
  }

  GuardedQemu qemu() throws IOException {
    try {
      return new GuardedQemu(
          new ProcessIdentity(get("pid").getAsLong(), get("start").getAsLong()),
          QmpAddress.parse(get("qmp").getAsString()),
          "",
          "");
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  GuardedSettings before() throws IOException {
    Map<String, Boolean> capabilities = new HashMap<>();
    for (Map.Entry<String, JsonElement> entry : part("capabilities").entrySet()) {
      capabilities.put(entry.getKey(), entry.getValue().getAsBoolean());
    }
    return new GuardedSettings(capabilities, part("parameters"), get("starts").getAsBoolean());
  }

  Handover handover() throws IOException {
    return new Handover(
        get("device").getAsString(),
        new InetSocketAddress(get("host").getAsString(), get("port").getAsInt()),
        content.has("high")
            ? new MigrationId(get("high").getAsLong(), get("low").getAsLong())
            : null,
        content.has("secretHigh")
            ? new MigrationSecret(get("secretHigh").getAsLong(), get("secretLow").getAsLong())
            : null);
  }

  /** Empty if there is none. */
  Optional<Path> journal() throws IOException {
    return content.has("journal")
        ? Optional.of(Path.of(get("journal").getAsString()))
        : Optional.empty();
  }

  byte[] token() throws IOException {
    return get("token").getAsString().getBytes(StandardCharsets.US_ASCII);
  }

  Path socket() throws IOException {
    return Path.of(get("socket").getAsString());
  }

  boolean run() throws IOException {
    return get("run").getAsBoolean();
  }

  private JsonPrimitive get(String member) throws IOException {
    if (content.get(member) instanceof JsonPrimitive value) {
      return value;
    }
    throw new IOException("The note has no '%s'.".formatted(member));
  }

  private JsonObject part(String member) throws IOException {
    if (content.get(member) instanceof JsonObject part) {
      return part;
    }
    throw new IOException("The note has no '%s'.".formatted(member));
  }
}
