// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.wridscope.control.Session;
import org.wridscope.files.JsonMembers;
import org.wridscope.files.UserFiles;
import org.wridscope.telemetry.WridLayout;
import org.wridscope.telemetry.WridLayout.Field;
import org.wridscope.text.Legible;

/** Files in which users say what the wr_ids of their program mean; {@code docs/attach.md}. */
public final class WridLayoutFile {
  private static final long MAX_LENGTH = 1 << 20;
  private static final int MAX_NAME = 40;

  private WridLayoutFile() {}

  /**
   * Reads a file.
   *
   * @param option its name in the user interface, for messages
   * @throws IllegalArgumentException if it does not exist or is not such a file; one sentence
   * @throws IOException if it cannot be read
   */
  public static WridLayout read(String option, Path file) throws IOException {
    long length = UserFiles.inputLength(option, file);
    if (length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "%s: %s is too long; at most %d bytes are read.".formatted(option, file, MAX_LENGTH));
    }
    String json = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    try {
      return parse(json);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s: %s: %s".formatted(option, Legible.of(file.toString()), e.getMessage()), e);
    }
  }

  static WridLayout parse(String json) {
    JsonMembers file = JsonMembers.parse(json);
    var fields = new ArrayList<Field>();
    long taken = 0;
    for (JsonMembers members : file.objects("fields")) {
      Field field = field(members);
      if ((taken & field.mask()) != 0) {
        throw new IllegalArgumentException(
            "%s: its bits overlap those of another field.".formatted(members.at("from")));
      }
      if (fields.stream().anyMatch(other -> other.name().equals(field.name()))) {
        throw new IllegalArgumentException(
            "%s: two fields are called %s.".formatted(members.at("name"), field.name()));
      }
      taken |= field.mask();
      fields.add(field);
    }
    file.requireNoOthers();
    if (fields.isEmpty()) {
      throw new IllegalArgumentException("fields is missing or empty.");
    }
    return new WridLayout.Fields(List.copyOf(fields));
  }

  private static Field field(JsonMembers members) {
    String name = named(members.at("name"), members.text("name"));
    int from = (int) members.required("from", 0, Long.SIZE - 1);
    int bits = (int) members.required("bits", 1, Long.SIZE - from);
    Map<Long, String> values = new HashMap<>();
    members
        .entries("values")
        .forEach((key, text) -> {
          String at = members.at("values") + "." + key;
          if (values.put(value(at, key, bits), named(at, text)) != null) {
            throw new IllegalArgumentException("%s is there twice.".formatted(at));
          }
        });
    members.requireNoOthers();
    return new Field(name, from, bits, values);
  }

  private static String named(String at, String text) {
    if (text.isBlank() || text.length() > MAX_NAME) {
      throw new IllegalArgumentException(
          "%s: a name has 1 to %d characters.".formatted(at, MAX_NAME));
    }
    return text;
  }

  /** A decimal number, or a hexadecimal one that begins with 0x, which fits into so many bits. */
  private static long value(String at, String key, int bits) {
    try {
      long value =
          key.startsWith("0x")
              ? Long.parseUnsignedLong(key.substring(2), 16)
              : Long.parseUnsignedLong(key);
      if (bits == Long.SIZE || value >>> bits == 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s is not a number; write decimal or 0x.".formatted(Legible.of(at)), e);
    }
    throw new IllegalArgumentException("%s does not fit into %d bits.".formatted(at, bits));
  }

  /**
   * Sets what wr_ids mean in those sessions that are of programs.
   *
   * @throws IllegalArgumentException if none is; one sentence
   */
  public static void apply(String option, WridLayout layout, List<? extends Session> sessions) {
    List<? extends Session> programs =
        sessions.stream().filter(session -> !session.migrates()).toList();
    if (programs.isEmpty()) {
      throw new IllegalArgumentException(
          option + " is for programs; this is a migration, whose wr_ids are known.");
    }
    programs.forEach(session -> session.telemetry().setWrids(layout));
  }
}
