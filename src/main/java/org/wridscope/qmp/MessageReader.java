// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;

/**
 * Cuts what a QMP server or client sends into messages. A message is a JSON object on one or
 * several lines ({@code -qmp-pretty}). Strings may have single quotes, as in QEMU's parser. Not
 * thread-safe.
 */
final class MessageReader {
  /** The longest message of a server, in bytes; {@code query-qmp-schema} of QEMU 10 has 0.4 MB. */
  static final int MAX_BYTES = 4 << 20;

  /** Characters of what is not QMP that are shown. */
  private static final int SHOWN = 60;

  private final Source source;
  private final boolean mixed;
  private final int maxBytes;
  private final byte[] piece = new byte[8 << 10];
  private int at;
  private int filled;

  /** Whether what comes belongs to no message, up to the end of the line. */
  private boolean skipping;

  /** Where bytes come from. */
  @FunctionalInterface
  interface Source {
    /** Reads at least one byte; returns their number, -1 at the end. */
    int read(byte[] into) throws IOException;
  }

  /** What came is not QMP; the message is a part of a sentence that begins with "it". */
  static final class InvalidMessageException extends IOException {
    private final boolean followed;

    InvalidMessageException(String message, boolean followed) {
      super(message);
      this.followed = followed;
    }

    /** Whether the next message can be read. */
    boolean isFollowed() {
      return followed;
    }
  }

  /**
   * Reads what a server sends.
   *
   * @param mixed whether lines that do not begin with a brace are skipped
   */
  MessageReader(Source source, boolean mixed) {
    this(source, mixed, MAX_BYTES);
  }

  /**
   * @param mixed whether lines that do not begin with a brace are skipped
   * @param maxBytes length of the longest message
   */
  MessageReader(Source source, boolean mixed, int maxBytes) {
    this.source = source;
    this.mixed = mixed;
    this.maxBytes = maxBytes;
  }

  /**
   * Waits for a message.
   *
   * @return null at the end
   * @throws InvalidMessageException if what comes is not QMP, or too long
   */
  @Nullable JsonObject next() throws IOException {
    return findsBrace() ? parse(object()) : null;
  }

  private boolean fill() throws IOException {
    at = 0;
    filled = source.read(piece);
    return filled > 0;
  }

  /** Goes to the brace that begins a message; false at the end of the input. */
  private boolean findsBrace() throws IOException {
    while (at < filled || fill()) {
      byte b = piece[at];
      if (b == '\n') {
        skipping = false;
      } else if (!skipping && b == '{') {
        return true;
      } else if (!skipping && b != ' ' && b != '\t' && b != '\r') {
        skipping = true;
        if (!mixed) {
          throw new InvalidMessageException("it sent what is not QMP, " + shown(), true);
        }
      }
      at++;
    }
    return false;
  }

  private String shown() {
    int length = Math.min(filled - at, SHOWN);
    String text = new String(piece, at, length, StandardCharsets.UTF_8);
    return '"' + Legible.of(text.lines().findFirst().orElse(""), SHOWN) + '"';
  }

  /** The text from a brace to the one that closes it. */
  private String object() throws IOException {
    var text = new ByteArrayOutputStream();
    int from = at;
    int depth = 0;
    byte quote = 0;
    boolean escaped = false;
    while (true) {
      if (at == filled) {
        take(text, from);
        if (!fill()) {
          throw new InvalidMessageException(
              "it closed the connection in the middle of a message", false);
        }
        from = 0;
      }
      byte b = piece[at++];
      if (escaped) {
        escaped = false;
      } else if (quote != 0) {
        escaped = b == '\\';
        quote = b == quote ? 0 : quote;
      } else if (b == '"' || b == '\'') {
        quote = b;
      } else if (b == '{') {
        depth++;
      } else if (b == '}' && --depth == 0) {
        take(text, from);
        return text.toString(StandardCharsets.UTF_8);
      }
    }
  }

  /** Keeps the bytes before the present place. */
  private void take(ByteArrayOutputStream text, int from) throws InvalidMessageException {
    if (text.size() + at - from > maxBytes) {
      throw new InvalidMessageException(
          "it sent a message of more than " + Format.bytes(maxBytes), false);
    }
    text.write(piece, from, at - from);
  }

  /** With the strings in single quotes that QEMU's parser takes, too, in double ones. */
  private static String doublyQuoted(String text) {
    if (text.indexOf('\'') < 0) {
      return text;
    }
    var into = new StringBuilder(text.length());
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote == 0) {
        quote = c == '"' || c == '\'' ? c : 0;
        into.append(quote == 0 ? c : '"');
      } else if (c == '\\' && i + 1 < text.length()) {
        char next = text.charAt(++i);
        into.append(next == '\'' ? "'" : "\\" + next);
      } else if (c == quote) {
        quote = 0;
        into.append('"');
      } else {
        into.append(c == '"' ? "\\\"" : String.valueOf(c));
      }
    }
    return into.toString();
  }

  private static JsonObject parse(String text) throws InvalidMessageException {
    var reader = new JsonReader(new StringReader(doublyQuoted(text)));
    reader.setStrictness(Strictness.STRICT);
    try {
      return JsonParser.parseReader(reader).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException | NumberFormatException e) {
      throw new InvalidMessageException(
          "it sent what is not JSON, \"%s\"".formatted(Legible.of(text, SHOWN)), true);
    }
  }
}
