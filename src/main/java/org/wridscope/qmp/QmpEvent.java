// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Optional;
import org.wridscope.text.Legible;

/**
 * An event of a QEMU.
 *
 * @param name for example {@code STOP}; legible
 * @param data as sent; empty for an event without data
 * @param seconds of QEMU's clock since 1970; -1 if QEMU did not tell
 * @param micros microseconds of the second; -1 if QEMU did not tell
 */
public record QmpEvent(String name, JsonObject data, long seconds, long micros) {

  /** The event in a message; empty if its name is not a string. */
  static Optional<QmpEvent> of(JsonObject message) {
    if (!(message.get("event") instanceof JsonPrimitive name) || !name.isString()) {
      return Optional.empty();
    }
    JsonObject data = message.get("data") instanceof JsonObject sent ? sent : new JsonObject();
    JsonElement time = message.get("timestamp");
    return Optional.of(
        new QmpEvent(
            Legible.of(name.getAsString()),
            data,
            number(time, "seconds"),
            number(time, "microseconds")));
  }

  private static long number(JsonElement time, String member) {
    if (time instanceof JsonObject members && members.get(member) instanceof JsonPrimitive value) {
      try {
        return Math.max(-1, Long.parseLong(value.getAsString()));
      } catch (NumberFormatException e) {
        return -1;
      }
    }
    return -1;
  }
}
