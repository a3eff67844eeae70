// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MessageReaderTest {
  private static final Gson PLAIN = new GsonBuilder().serializeNulls().create();
  private static final Gson PRETTY =
      new GsonBuilder().serializeNulls().setPrettyPrinting().create();

  /** Text that comes in pieces of these lengths, again and again. */
  private static MessageReader reader(String text, boolean mixed, Random pieces) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int[] at = {0};
    return new MessageReader(
        into -> {
          int left = bytes.length - at[0];
          if (left == 0) {
            return -1;
          }
          int length = 1 + pieces.nextInt(Math.min(left, into.length));
          System.arraycopy(bytes, at[0], into, 0, length);
          at[0] += length;
          return length;
        },
        mixed);
  }

  private static List<JsonObject> read(MessageReader reader) throws IOException {
    var messages = new ArrayList<JsonObject>();
    for (JsonObject message = reader.next(); message != null; message = reader.next()) {
      messages.add(message);
    }
    return messages;
  }

  private static JsonElement random(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 6 : 4)) {
      case 0 -> new JsonPrimitive(random.nextLong());
      case 1 -> new JsonPrimitive(text(random));
      case 2 -> new JsonPrimitive(random.nextBoolean());
      case 3 -> JsonNull.INSTANCE;
      case 4 -> {
        var array = new JsonArray();
        random.ints(random.nextInt(4)).forEach(_ -> array.add(random(random, depth - 1)));
        yield array;
      }
      default -> object(random, depth - 1);
    };
  }

  private static JsonObject object(Random random, int depth) {
    var object = new JsonObject();
    random.ints(random.nextInt(5)).forEach(_ -> object.add(text(random), random(random, depth)));
    return object;
  }

  /** What a reader that counts braces or quotes may take wrongly. */
  private static String text(Random random) {
    String letters = "{}[]\"\\ \n,:aäé\u2028\ud83d\ude00";
    var text = new StringBuilder();
    random
        .ints(random.nextInt(12), 0, letters.codePointCount(0, letters.length()))
        .map(index -> letters.codePointAt(letters.offsetByCodePoints(0, index)))
        .forEach(text::appendCodePoint);
    return text.toString();
  }

  static IntStream seeds() {
    return IntStream.range(0, 200);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void messages_areThoseThatWereSent_howeverTheyAreCut(int seed) throws IOException {
    var random = new Random(seed);
    boolean mixed = random.nextBoolean();
    var sent = new ArrayList<JsonObject>();
    var text = new StringBuilder();
    for (int i = random.nextInt(6); i >= 0; i--) {
      JsonObject message = object(random, 4);
      sent.add(message);
      text.append((random.nextBoolean() ? PLAIN : PRETTY).toJson(message));
      text.append(random.nextBoolean() ? "\r\n" : "\n");
      if (mixed && random.nextBoolean()) {
        text.append("RDMA said {\"this\": \n\n  and \"that\n");
      }
    }
    assertThat(read(reader(text.toString(), mixed, random)).stream().map(PLAIN::toJson))
        .isEqualTo(sent.stream().map(PLAIN::toJson).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":"})
  void aMessageThatIsNestedTooDeep_isRefused(String opening) {
    String text = "{\"a\": " + opening.repeat(1 << 18);
    String closed = text + (opening.equals("[") ? "]".repeat(1 << 18) : "1" + "}".repeat(1 << 18));
    assertThatThrownBy(() -> read(reader(closed + "}", false, new Random(1))))
        .isInstanceOf(MessageReader.InvalidMessageException.class)
        .hasMessageStartingWith("it sent what is not JSON, ");
  }

  @Test
  void whatIsNoJson_isShownShort_andLegible() {
    assertThatThrownBy(() -> read(reader("{\u001b" + "x".repeat(1000) + "}", false, new Random(1))))
        .hasMessageStartingWith("it sent what is not JSON, \"{\\x1bxxx")
        .extracting(e -> String.valueOf(e.getMessage()).length())
        .isEqualTo("it sent what is not JSON, ".length() + 62);
  }

  /** QEMU's own parser (qobject/json-lexer.c). */
  @Test
  void singleQuotes_areThoseOfAString_asInQemu() throws IOException {
    String text =
        """
        {'execute': 'a{b}', "id": "it's", 'x': 'say "it\\'s"', "y": "\\'"}
        """;
    List<JsonObject> messages = read(reader(text, false, new Random(1)));
    assertThat(messages)
        .singleElement()
        .hasToString(
            "{\"execute\":\"a{b}\",\"id\":\"it's\",\"x\":\"say \\\"it's\\\"\",\"y\":\"'\"}");
  }
}
