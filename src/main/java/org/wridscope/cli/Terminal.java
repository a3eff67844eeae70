// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * Writes results to standard output, and progress and messages to standard error, so that a
 * redirected result contains nothing else. Whatever is written next erases {@linkplain #redraw
 * redrawn} lines. Not thread-safe.
 */
final class Terminal {
  private static final String ESCAPE = "\u001b[";
  private static final int STDOUT = 1;
  private static final int STDERR = 2;

  /** Null if nobody can write there. */
  private final @Nullable InputStream in;

  /** Also of a file, which is read as if somebody wrote it there. */
  private final InputStream commands;

  private final PrintStream out;
  private final PrintStream err;

  /** Notes why {@link #out} cannot be written; null if nobody does. */
  private final @Nullable StandardOutput below;

  private final Once outIsTerminal;
  private final Once errIsTerminal;
  private final boolean coloured;
  private int linesDrawn;

  /**
   * @param in what the user types; null if nobody can
   * @param outIsTerminal whether {@code out} is a terminal with ANSI control sequences
   * @param errIsTerminal whether {@code err} is a terminal with ANSI control sequences
   * @param coloured whether the user wants colours
   */
  Terminal(
      @Nullable InputStream in,
      PrintStream out,
      PrintStream err,
      boolean outIsTerminal,
      boolean errIsTerminal,
      boolean coloured) {
    this(
        in,
        in == null ? InputStream.nullInputStream() : in,
        out,
        null,
        err,
        new Once(() -> outIsTerminal),
        new Once(() -> errIsTerminal),
        coloured);
  }

  private Terminal(
      @Nullable InputStream in,
      InputStream commands,
      PrintStream out,
      @Nullable StandardOutput below,
      PrintStream err,
      Once outIsTerminal,
      Once errIsTerminal,
      boolean coloured) {
    this.in = in;
    this.commands = commands;
    this.out = out;
    this.below = below;
    this.err = err;
    this.outIsTerminal = outIsTerminal;
    this.errIsTerminal = errIsTerminal;
    this.coloured = coloured;
  }

  /** A fact that takes some 40 ms to find out, which is done when it is first needed. */
  private static final class Once {
    private final BooleanSupplier finding;
    private @Nullable Boolean found;

    Once(BooleanSupplier finding) {
      this.finding = finding;
    }

    synchronized boolean get() {
      Boolean known = found;
      if (known == null) {
        known = finding.getAsBoolean();
        found = known;
      }
      return known;
    }
  }

  /**
   * The terminal of this process. Respects {@code TERM=dumb} and {@code NO_COLOR} (no-color.org).
   *
   * @param environment the environment variables of the process
   */
  static Terminal ofProcess(Map<String, String> environment) {
    boolean ansi = !environment.getOrDefault("TERM", "dumb").equals("dumb");
    boolean coloured = environment.getOrDefault("NO_COLOR", "").isEmpty();
    var below = new StandardOutput();
    return new Terminal(
        isHeard() ? System.in : null,
        System.in,
        new PrintStream(new BufferedOutputStream(below), false, System.out.charset()),
        below,
        System.err,
        new Once(() -> ansi && isTerminal(STDOUT)),
        new Once(() -> ansi && isTerminal(STDERR)),
        coloured);
  }

  /** Whether standard input is a terminal, a pipe or a socket, on which somebody may write. */
  private static boolean isHeard() {
    Path input = Path.of("/proc/self/fd/0");
    try {
      return !Files.isRegularFile(input) && !Files.isSameFile(input, Path.of("/dev/null"));
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether somebody can write to standard input. */
  boolean hears() {
    return in != null;
  }

  /** Whether a line has come on standard input since the last call. Does not wait. */
  boolean hasLine() {
    try {
      return in != null && new String(in.readNBytes(in.available()), ISO_8859_1).contains("\n");
    } catch (IOException e) {
      // Whoever could write there has gone.
      return false;
    }
  }

  /** Waits for a line on standard input, whatever that is; null at its end. */
  @Nullable String readLine() throws IOException {
    var line = new ByteArrayOutputStream();
    int next = commands.read();
    while (next >= 0 && next != '\n') {
      line.write(next);
      next = commands.read();
    }
    return next < 0 && line.size() == 0 ? null : line.toString(UTF_8);
  }

  /** Standard input. */
  InputStream input() {
    return commands;
  }

  /** Asks for a line, if a user may see that. */
  void prompt(String text) {
    if (redraws()) {
      erase();
      err.print(text);
      err.flush();
    }
  }

  /**
   * Writes what is still to be written of the result.
   *
   * @return a sentence if something of it could not be written, otherwise null
   */
  @Nullable String lost() {
    if (!out.checkError()) {
      return null;
    }
    IOException failure = below == null ? null : below.failure();
    String reason = failure == null ? null : failure.getMessage();
    return "Standard output cannot be written%s: what was printed is incomplete."
        .formatted(reason == null ? "" : " (" + reason + ")");
  }

  PrintStream out() {
    return out;
  }

  PrintStream err() {
    return err;
  }

  /** Whether {@link #redraw} can replace lines. */
  boolean redraws() {
    return errIsTerminal.get();
  }

  /** Whether results are written in colours. */
  boolean outColoured() {
    return coloured && outIsTerminal.get();
  }

  /** Whether standard error can encode a text. */
  boolean canShow(String text) {
    return err.charset().newEncoder().canEncode(text);
  }

  /** Writes one or more lines of the result. */
  void result(String lines) {
    writeResult(legible(lines));
  }

  /** Writes a line of the result, in a colour if possible. */
  void result(Colour colour, String line) {
    writeResult(outColoured() ? colour.around(legible(line)) : legible(line));
  }

  private void writeResult(String line) {
    erase();
    out.println(line);
    out.flush();
  }

  /** Writes one or more lines that are not part of the result. */
  void message(String lines) {
    erase();
    err.println(encodable(legible(lines)));
    err.flush();
  }

  /** Writes a line that says what is wrong, a sentence. */
  void problem(String sentence) {
    message("wridscope: " + sentence);
  }

  /** Makes names of files and devices safe to show, because others may have chosen them. */
  private static String legible(String lines) {
    return lines
        .lines()
        .map(line -> Legible.of(line, Integer.MAX_VALUE))
        .collect(Collectors.joining("\n"));
  }

  /** Replaces the lines that were drawn last. May be called only if {@link #redraws}. */
  void redraw(List<String> lines) {
    StringBuilder text = new StringBuilder(back());
    // Switches wrapping off: a wrapped line would take two rows, and the next redraw would begin
    // in the wrong row.
    text.append(ESCAPE).append("?7l");
    for (String line : lines) {
      text.append(encodable(line)).append(ESCAPE).append("K\n");
    }
    text.append(ESCAPE).append("J").append(ESCAPE).append("?7h");
    linesDrawn = lines.size();
    err.print(text);
    err.flush();
  }

  /** Colours a text for {@link #redraw}, if possible. */
  String coloured(Colour colour, String text) {
    return coloured && errIsTerminal.get() ? colour.around(text) : text;
  }

  private void erase() {
    if (linesDrawn > 0) {
      err.print(back() + ESCAPE + "J");
      err.flush();
      linesDrawn = 0;
    }
  }

  /** Moves the cursor to the first of the lines that were drawn last. */
  private String back() {
    return linesDrawn == 0 ? "" : "\r" + ESCAPE + linesDrawn + "A";
  }

  /** Replaces the only character that a system without a locale cannot encode. */
  private String encodable(String line) {
    return canShow(line) ? line : line.replace('µ', 'u');
  }

  /** isatty(3); false on systems without that function. */
  @SuppressWarnings("restricted")
  private static boolean isTerminal(int fileDescriptor) {
    Linker linker = Linker.nativeLinker();
    try {
      return (int)
              linker
                  .downcallHandle(
                      linker.defaultLookup().findOrThrow("isatty"),
                      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
                  .invokeExact(fileDescriptor)
          == 1;
    } catch (NoSuchElementException e) {
      return false;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Colours of the terminal's palette, so that they suit its background. */
  enum Colour {
    GOOD("32"),
    DOUBTFUL("33"),
    BAD("31"),
    BAR("36");

    private final String code;

    Colour(String code) {
      this.code = code;
    }

    private String around(String text) {
      return ESCAPE + code + "m" + text + ESCAPE + "0m";
    }
  }
}
