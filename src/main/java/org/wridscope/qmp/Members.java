// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * The members of an object in the answer to a command. A member that is absent is empty; one of
 * another type than the protocol says is refused.
 */
record Members(String command, JsonObject object) {

  /**
   * @throws QmpException if the answer is not an object
   */
  static Members of(String command, @Nullable JsonElement answer) throws QmpException {
    if (answer instanceof JsonObject object) {
      return new Members(command, object);
    }
    throw QmpException.invalid(command, "an object is missing");
  }

  /**
   * The objects of a list.
   *
   * @throws QmpException if the answer is not a list of objects
   */
  static List<Members> list(String command, JsonElement answer) throws QmpException {
    if (!(answer instanceof JsonArray array)) {
      throw QmpException.invalid(command, "it is not a list");
    }
    var members = new ArrayList<Members>(array.size());
    for (JsonElement element : array) {
      members.add(of(command, element));
    }
    return members;
  }

  private QmpException wrong(String member) {
    return QmpException.invalid(command, "%s is missing or wrong".formatted(member));
  }

  /** A string as sent, which may be unsafe to show. */
  private Optional<String> string(String member) throws QmpException {
    JsonElement value = object.get(member);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonPrimitive primitive && primitive.isString()) {
      return Optional.of(primitive.getAsString());
    }
    throw wrong(member);
  }

  /** A string, made legible. */
  Optional<String> text(String member) throws QmpException {
    return string(member).map(Legible::of);
  }

  String requiredText(String member) throws QmpException {
    return text(member).orElseThrow(() -> wrong(member));
  }

  /** A string that must match byte for byte; refused if it is not legible as it is. */
  Optional<String> name(String member) throws QmpException {
    Optional<String> name = string(member);
    if (name.isPresent() && !Legible.of(name.get()).equals(name.get())) {
      throw wrong(member);
    }
    return name;
  }

  /** A whole number that is not negative. */
  OptionalLong number(String member) throws QmpException {
    JsonElement value = object.get(member);
    if (value == null) {
      return OptionalLong.empty();
    }
    if (value instanceof JsonPrimitive primitive && primitive.isNumber()) {
      try {
        long number = Long.parseLong(primitive.getAsString());
        if (number >= 0) {
          return OptionalLong.of(number);
        }
      } catch (NumberFormatException e) {
        throw wrong(member);
      }
    }
    throw wrong(member);
  }

  long requiredNumber(String member) throws QmpException {
    return number(member).orElseThrow(() -> wrong(member));
  }

  /** A rate, with or without a fraction; 0 when absent, or negative, QEMU's sign for unknown. */
  double rate(String member) throws QmpException {
    JsonElement value = object.get(member);
    if (value == null) {
      return 0;
    }
    if (value instanceof JsonPrimitive primitive && primitive.isNumber()) {
      try {
        double number = Double.parseDouble(primitive.getAsString());
        if (Double.isFinite(number)) {
          return Math.max(0, number);
        }
      } catch (NumberFormatException e) {
        throw wrong(member);
      }
    }
    throw wrong(member);
  }

  /** A number of milliseconds. */
  Optional<Duration> millis(String member) throws QmpException {
    OptionalLong number = number(member);
    return number.isPresent()
        ? Optional.of(Duration.ofMillis(number.getAsLong()))
        : Optional.empty();
  }

  boolean isTrue(String member) throws QmpException {
    JsonElement value = object.get(member);
    if (value == null) {
      return false;
    }
    if (value instanceof JsonPrimitive primitive && primitive.isBoolean()) {
      return primitive.getAsBoolean();
    }
    throw wrong(member);
  }

  boolean has(String member) {
    return object.has(member);
  }

  /** An object. */
  Members inner(String member) throws QmpException {
    return of(command, object.get(member));
  }
}
