// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * The arguments of a command, as a client sent them, and the client. Refusals are worded as QEMU
 * words them. Not thread-safe.
 */
public final class Arguments {
  private final Client client;
  private final JsonObject object;
  private final String prefix;
  private final Set<String> known = new HashSet<>();

  Arguments(Client client, JsonObject object) {
    this(client, object, "");
  }

  private Arguments(Client client, JsonObject object, String prefix) {
    this.client = client;
    this.object = object;
    this.prefix = prefix;
  }

  /** Those of another command that the same client means. */
  public Arguments with(JsonObject others) {
    return new Arguments(client, others);
  }

  /** Who sent the command. */
  public Client client() {
    return client;
  }

  private @Nullable JsonElement take(String name) {
    known.add(name);
    return object.get(name);
  }

  private CommandException wrong(String name, String expected) {
    return new CommandException(
        "Invalid parameter type for '%s%s', expected: %s".formatted(prefix, name, expected));
  }

  private CommandException missing(String name) {
    return new CommandException("Parameter '%s%s' is missing".formatted(prefix, name));
  }

  /** A string as sent, which may be unsafe to show; empty if it is absent. */
  public Optional<String> text(String name) throws CommandException {
    JsonElement value = take(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonPrimitive primitive && primitive.isString()) {
      return Optional.of(primitive.getAsString());
    }
    throw wrong(name, "string");
  }

  /** A string as sent, which may be unsafe to show. */
  public String requiredText(String name) throws CommandException {
    return text(name).orElseThrow(() -> missing(name));
  }

  /** A whole number; empty if it is absent. */
  public OptionalLong number(String name) throws CommandException {
    JsonElement value = take(name);
    if (value == null) {
      return OptionalLong.empty();
    }
    if (value instanceof JsonPrimitive primitive && primitive.isNumber()) {
      try {
        return OptionalLong.of(Long.parseLong(primitive.getAsString()));
      } catch (NumberFormatException e) {
        throw wrong(name, "integer");
      }
    }
    throw wrong(name, "integer");
  }

  /** A boolean; empty if it is absent. */
  public Optional<Boolean> flag(String name) throws CommandException {
    JsonElement value = take(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonPrimitive primitive && primitive.isBoolean()) {
      return Optional.of(primitive.getAsBoolean());
    }
    throw wrong(name, "boolean");
  }

  /** A boolean. */
  public boolean requiredFlag(String name) throws CommandException {
    return flag(name).orElseThrow(() -> missing(name));
  }

  /** The strings of a list, as sent; none if it is absent. */
  public List<String> texts(String name) throws CommandException {
    JsonElement value = take(name);
    var texts = new ArrayList<String>();
    if (value != null && !(value instanceof JsonArray)) {
      throw wrong(name, "array");
    }
    if (value instanceof JsonArray array) {
      for (JsonElement element : array) {
        if (!(element instanceof JsonPrimitive text) || !text.isString()) {
          throw wrong("%s[%d]".formatted(name, texts.size()), "string");
        }
        texts.add(text.getAsString());
      }
    }
    return texts;
  }

  /** The objects of a list. */
  public List<Arguments> requiredList(String name) throws CommandException {
    JsonElement value = take(name);
    if (value == null) {
      throw missing(name);
    }
    if (!(value instanceof JsonArray array)) {
      throw wrong(name, "array");
    }
    var list = new ArrayList<Arguments>();
    for (JsonElement element : array) {
      String elementName = "%s[%d]".formatted(name, list.size());
      if (!(element instanceof JsonObject inner)) {
        throw wrong(elementName, "object");
      }
      list.add(new Arguments(client, inner, prefix + elementName + "."));
    }
    return list;
  }

  /**
   * To be called when all were read.
   *
   * @throws CommandException if there is one that nobody asked for
   */
  public void requireNoMore() throws CommandException {
    for (String name : object.keySet()) {
      if (!known.contains(name)) {
        throw new CommandException(
            "Parameter '%s%s' is unexpected".formatted(prefix, Legible.of(name, 60)));
      }
    }
  }
}
