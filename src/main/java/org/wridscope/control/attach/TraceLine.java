// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * What a {@link Tracer} tells. {@link TraceScript} prints it as a line: a letter, then hexadecimal
 * numbers, and after those of a {@link Kind#NAME} a text. The first number is the time, the second
 * the process, the third the thread.
 */
final class TraceLine {
  /** What a line tells, with the letter that it begins with. */
  enum Kind {
    /** The probes are in place. */
    BEGIN('B', 1),
    /** Events were lost, nobody knows of whom and when. How many. */
    LOST('l', 2),
    /** A processor tells the time. Then: its number. */
    BEAT('t', 2),
    /**
     * A queue pair that is used for the first time. Context, number, send queue's and receive
     * queue's completion queue.
     */
    QUEUE_PAIR('q', 7),
    /**
     * A request to a send queue. Context, queue pair, wr_id, opcode, flags, elements, length,
     * remote address, remote key, errno.
     */
    POST('p', 13),
    /** A receive. Context, queue pair, wr_id, elements, length, errno. */
    RECEIVE('r', 9),
    /** A receive of a shared receive queue. Context, queue, wr_id, elements, length, errno. */
    SHARED_RECEIVE('s', 9),
    /**
     * A completion. Context, completion queue, wr_id, status, opcode, vendor error, bytes, queue
     * pair.
     */
    COMPLETION('c', 11),
    /**
     * Completions that were polled and of which nothing more is known. Context, completion queue,
     * how many.
     */
    POLLED('k', 6),
    /**
     * A request of the extended interface, begun but not posted. Context, queue pair, wr_id,
     * opcode, flags, remote address, remote key.
     */
    EXTENDED('x', 10),
    /** Data of the request of a queue pair that was begun last. Context, queue pair, length. */
    DATA('g', 6),
    /** What was begun on a queue pair is posted, or refused. Context, queue pair, errno. */
    COMPLETE('w', 6),
    /** What was begun on a queue pair is given up. Context, queue pair. */
    ABORT('a', 5),
    /**
     * Not read any more. 0 for requests, 1 for completions, 2 for requests that were refused; how
     * many.
     */
    MORE('o', 5),
    /** A process that is seen for the first time. Then its name, as bpftrace escapes it. */
    NAME('n', 3),
    /**
     * A queue pair is connected through librdmacm. Context, queue pair, and the first 32 bytes of
     * the peer's {@code struct sockaddr_storage}.
     */
    PEER('d', 9);

    private final char letter;
    private final int numbers;

    Kind(char letter, int numbers) {
      this.letter = letter;
      this.numbers = numbers;
    }
  }

  private static final Kind[] KINDS = Kind.values();
  private static final int MOST_DIGITS = 16;
  private static final int MAX_TEXT = 64;

  /** A byte of a text: escaped, or itself. */
  private static final Pattern PART = Pattern.compile("\\\\x([0-9a-f]{2})|.");

  private final Kind kind;
  private final long[] numbers;
  private final String text;

  private TraceLine(Kind kind, long[] numbers, String text) {
    this.kind = kind;
    this.numbers = numbers;
    this.text = text;
  }

  /** What somebody else has read. */
  static TraceLine of(Kind kind, long... numbers) {
    return of(kind, "", numbers);
  }

  /** A process that is seen for the first time. */
  static TraceLine named(long nanos, long pid, long thread, String name) {
    return of(Kind.NAME, name.replace("\\", "\\x5c"), nanos, pid, thread);
  }

  private static TraceLine of(Kind kind, String text, long... numbers) {
    if (numbers.length != kind.numbers) {
      throw new IllegalArgumentException("%d numbers of a %s".formatted(numbers.length, kind));
    }
    return new TraceLine(kind, numbers, text);
  }

  /** Reads a line; null if it is not one of ours. */
  static @Nullable TraceLine parse(String line) {
    if (line.length() < 3 || line.charAt(1) != ' ') {
      return null;
    }
    for (Kind kind : KINDS) {
      if (kind.letter == line.charAt(0)) {
        int text = kind == Kind.NAME ? afterNumbers(line, kind.numbers) : line.length();
        long[] numbers = numbers(line.substring(0, text), kind.numbers);
        return numbers == null ? null : new TraceLine(kind, numbers, line.substring(text));
      }
    }
    return null;
  }

  /** Where the space after the last number is, or the end of the line. */
  private static int afterNumbers(String line, int count) {
    int at = 1;
    for (int i = 0; i < count && at >= 0; i++) {
      at = line.indexOf(' ', at + 1);
    }
    return at < 0 ? line.length() : at;
  }

  private static long @Nullable [] numbers(String line, int count) {
    long[] numbers = new long[count];
    int at = 2;
    for (int i = 0; i < count; i++) {
      int end = line.indexOf(' ', at);
      if (end < 0) {
        end = line.length();
      }
      if (end <= at || end - at > MOST_DIGITS) {
        return null;
      }
      long number = 0;
      for (; at < end; at++) {
        int digit = line.charAt(at) < 128 ? Character.digit(line.charAt(at), 16) : -1;
        if (digit < 0) {
          return null;
        }
        number = number << 4 | digit;
      }
      numbers[i] = number;
      at++;
    }
    return at > line.length() ? numbers : null;
  }

  /** What it tells. */
  Kind kind() {
    return kind;
  }

  /** When it happened, on the clock of the tracer. */
  long nanos() {
    return numbers[0];
  }

  /** The process; only of kinds that have one. */
  long pid() {
    return numbers[1];
  }

  long number(int index) {
    return numbers[index];
  }

  /** What follows the numbers, without bpftrace's escapes, up to the first zero byte; legible. */
  String text() {
    var bytes = new ByteArrayOutputStream();
    Matcher parts = PART.matcher(text.stripLeading());
    while (parts.find()) {
      int one =
          parts.group(1) == null ? parts.group().charAt(0) : Integer.parseInt(parts.group(1), 16);
      if (one == 0) {
        break;
      }
      bytes.write(one);
    }
    return Legible.of(bytes.toString(StandardCharsets.UTF_8), MAX_TEXT);
  }

  /** A number that has 32 bits in C. */
  int integer(int index) {
    return (int) numbers[index];
  }
}
