// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.wridscope.text.Legible;

/**
 * Reads the members of a JSON object in a file that a user wrote. Messages of exceptions begin with
 * the path of the member, for example {@code source.faults[2].time}.
 */
public final class JsonMembers {
  private final String place;
  private final JsonObject object;
  private final Set<String> left;
  private final List<String> known = new ArrayList<>();

  /**
   * @param place path of the object, empty for the outermost object
   */
  private JsonMembers(String place, JsonElement element) {
    this.place = place;
    if (!element.isJsonObject()) {
      throw new IllegalArgumentException(
          "%s must be an object, {...}.".formatted(place.isEmpty() ? "the file" : place));
    }
    object = element.getAsJsonObject();
    left = new TreeSet<>(object.keySet());
  }

  /**
   * Reads a whole file.
   *
   * @throws IllegalArgumentException if it is not JSON, or not an object; one sentence
   */
  public static JsonMembers parse(String json) {
    try {
      return new JsonMembers("", JsonParser.parseString(json));
    } catch (JsonParseException e) {
      throw new IllegalArgumentException(sentence(e), e);
    }
  }

  /**
   * Reads a whole file that a program wrote, and that may have been changed since: only JSON as RFC
   * 8259 defines it, without members that are there twice.
   *
   * @throws IllegalArgumentException if it is not that, or not an object; one sentence
   */
  public static JsonMembers parseStrictly(String json) {
    try (var reader = new JsonReader(new StringReader(json))) {
      reader.setStrictness(Strictness.STRICT);
      JsonElement read = element(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw new IllegalArgumentException("the file goes on after its JSON object.");
      }
      return new JsonMembers("", read);
    } catch (IOException | IllegalStateException | JsonParseException e) {
      throw new IllegalArgumentException("the file is not valid JSON.", e);
    }
  }

  private static JsonElement element(JsonReader reader) throws IOException {
    return switch (reader.peek()) {
      case BEGIN_OBJECT -> {
        var object = new JsonObject();
        reader.beginObject();
        while (reader.hasNext()) {
          String name = reader.nextName();
          if (object.has(name)) {
            throw new IllegalArgumentException("%s is there twice.".formatted(Legible.of(name)));
          }
          object.add(name, element(reader));
        }
        reader.endObject();
        yield object;
      }
      case BEGIN_ARRAY -> {
        var array = new JsonArray();
        reader.beginArray();
        while (reader.hasNext()) {
          array.add(element(reader));
        }
        reader.endArray();
        yield array;
      }
      case STRING -> new JsonPrimitive(reader.nextString());
      case NUMBER -> new JsonPrimitive(new BigDecimal(reader.nextString()));
      case BOOLEAN -> new JsonPrimitive(reader.nextBoolean());
      default -> {
        reader.nextNull();
        yield JsonNull.INSTANCE;
      }
    };
  }

  /** A sentence from the first line of Gson's message, which names the position. */
  private static String sentence(JsonParseException e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String message = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    int place = message.indexOf(" at line ");
    return "the file is not valid JSON"
        + (place < 0 ? "" : message.substring(place).replaceAll(" path \\$.*", ""))
        + ".";
  }

  /** The path of a member. */
  public String at(String name) {
    return place.isEmpty() ? name : place + "." + name;
  }

  private JsonElement take(String name) {
    left.remove(name);
    known.add(name);
    return object.get(name);
  }

  /** Whether it is there and not null. */
  public boolean has(String name) {
    known.add(name);
    return object.has(name) && !object.get(name).isJsonNull();
  }

  /** A string, or a number as it was written. */
  public String text(String name, String otherwise) {
    return has(name) ? text(name) : otherwise;
  }

  /** A string, or a number as it was written, which must be there. */
  public String text(String name) {
    requirePresent(name);
    return Legible.of(primitive(name).getAsString());
  }

  /** True or false; false if it is missing. */
  public boolean flag(String name) {
    if (!has(name)) {
      return false;
    }
    JsonPrimitive value = primitive(name);
    if (!value.isBoolean()) {
      throw new IllegalArgumentException("%s must be true or false.".formatted(at(name)));
    }
    return value.getAsBoolean();
  }

  /** A whole number from {@code min} to {@code max}. */
  public long number(String name, long otherwise, long min, long max) {
    if (!has(name)) {
      return otherwise;
    }
    String written = text(name);
    long value;
    try {
      value = Long.parseLong(written);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: \"%s\" is not a whole number.".formatted(at(name), written), e);
    }
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s: %d is out of range; write %d to %d.".formatted(at(name), value, min, max));
    }
    return value;
  }

  /** A whole number from {@code min} to {@code max}, which must be there. */
  public long required(String name, long min, long max) {
    requirePresent(name);
    return number(name, min, min, max);
  }

  /** A constant of an enum, written in lower case and with dashes. */
  public <E extends Enum<E>> E word(String name, Class<E> words) {
    String written = text(name);
    List<String> all = new ArrayList<>();
    for (E word : words.getEnumConstants()) {
      String text = word.name().toLowerCase(Locale.ROOT).replace('_', '-');
      if (text.equals(written)) {
        return word;
      }
      all.add(text);
    }
    throw new IllegalArgumentException(
        "%s: \"%s\" is not one of %s.".formatted(at(name), written, String.join(", ", all)));
  }

  /** A nested object; an empty one if the member is missing. */
  public JsonMembers object(String name) {
    JsonElement element = has(name) ? take(name) : new JsonObject();
    return new JsonMembers(at(name), element);
  }

  /** The objects of an array, or a single object without an array. */
  public List<JsonMembers> objects(String name) {
    if (!has(name)) {
      return List.of();
    }
    JsonElement element = take(name);
    if (!element.isJsonArray()) {
      return List.of(new JsonMembers(at(name), element));
    }
    JsonArray array = element.getAsJsonArray();
    var objects = new ArrayList<JsonMembers>();
    for (int i = 0; i < array.size(); i++) {
      objects.add(new JsonMembers("%s[%d]".formatted(at(name), i), array.get(i)));
    }
    return objects;
  }

  /** The strings of an array, or a single string without an array. */
  public List<String> texts(String name) {
    requirePresent(name);
    JsonElement element = object.get(name);
    if (!element.isJsonArray()) {
      return List.of(text(name));
    }
    take(name);
    var texts = new ArrayList<String>();
    for (JsonElement each : element.getAsJsonArray()) {
      if (!each.isJsonPrimitive()) {
        throw new IllegalArgumentException("%s must contain only strings.".formatted(at(name)));
      }
      texts.add(Legible.of(each.getAsString()));
    }
    return texts;
  }

  /** The members of an object whose names are not known beforehand; empty if it is missing. */
  public Map<String, String> entries(String name) {
    if (!has(name)) {
      return Map.of();
    }
    var members = new JsonMembers(at(name), take(name));
    var entries = new TreeMap<String, String>();
    List.copyOf(members.left).forEach(key -> entries.put(key, members.text(key)));
    return entries;
  }

  /** Refuses members that were not read; most of them are misspelt. */
  public void requireNoOthers() {
    if (!left.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is not a known member; known members are %s."
              .formatted(
                  Legible.of(at(left.iterator().next())), String.join(", ", new TreeSet<>(known))));
    }
  }

  private void requirePresent(String name) {
    if (!has(name)) {
      throw new IllegalArgumentException("%s is missing.".formatted(at(name)));
    }
  }

  private JsonPrimitive primitive(String name) {
    JsonElement element = take(name);
    if (!element.isJsonPrimitive()) {
      throw new IllegalArgumentException("%s must be a string or a number.".formatted(at(name)));
    }
    return element.getAsJsonPrimitive();
  }
}
