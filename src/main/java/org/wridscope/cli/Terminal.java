// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.PrintStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;
import org.wridscope.protocol.Legible;

/**
 * Where results and progress are written. Results go to standard output; progress and messages go
 * to standard error, so that a redirected result stays clean. Lines that are {@linkplain #redraw
 * redrawn} are wiped by whatever is written next. Not thread-safe.
 */
final class Terminal {
  private static final String ESCAPE = "\u001b[";
  private static final int STDOUT = 1;
  private static final int STDERR = 2;

  private final PrintStream out;
  private final PrintStream err;
  private final boolean outColoured;
  private final boolean errRedraws;
  private final boolean errColoured;
  private int linesDrawn;

  /**
   * @param outIsTerminal whether {@code out} is one that knows ANSI control sequences
   * @param errIsTerminal whether {@code err} is one that knows ANSI control sequences
   * @param coloured whether the user likes colours
   */
  Terminal(
      PrintStream out,
      PrintStream err,
      boolean outIsTerminal,
      boolean errIsTerminal,
      boolean coloured) {
    this.out = out;
    this.err = err;
    outColoured = outIsTerminal && coloured;
    errRedraws = errIsTerminal;
    errColoured = errIsTerminal && coloured;
  }

  /**
   * That of this process. Heeds {@code TERM=dumb} and {@code NO_COLOR} (no-color.org).
   *
   * @param environment the variables of the process
   */
  static Terminal ofProcess(Map<String, String> environment) {
    boolean ansi = !environment.getOrDefault("TERM", "dumb").equals("dumb");
    boolean coloured = environment.getOrDefault("NO_COLOR", "").isEmpty();
    return new Terminal(
        System.out, System.err, ansi && isTerminal(STDOUT), ansi && isTerminal(STDERR), coloured);
  }

  PrintStream out() {
    return out;
  }

  PrintStream err() {
    return err;
  }

  /** Whether {@link #redraw} can take back what it wrote. */
  boolean redraws() {
    return errRedraws;
  }

  /** Whether standard output takes colours. */
  boolean outColoured() {
    return outColoured;
  }

  /** Whether progress can be written with this text, which may be more than ASCII. */
  boolean canShow(String text) {
    return err.charset().newEncoder().canEncode(text);
  }

  /** Writes a line of the result, or several. */
  void result(String lines) {
    writeResult(legible(lines));
  }

  /** Writes a line of the result in a colour, where that is possible. */
  void result(Colour colour, String line) {
    writeResult(outColoured ? colour.around(legible(line)) : legible(line));
  }

  private void writeResult(String line) {
    wipe();
    out.println(line);
    out.flush();
  }

  /** Writes a line for the user that is not part of the result, or several. */
  void message(String lines) {
    wipe();
    err.println(encodable(legible(lines)));
    err.flush();
  }

  /** Names of files and devices come from others, too. */
  private static String legible(String lines) {
    return lines
        .lines()
        .map(line -> Legible.of(line, Integer.MAX_VALUE))
        .collect(Collectors.joining("\n"));
  }

  /** Writes lines in the place of those that were drawn before. Only where it {@link #redraws}. */
  void redraw(List<String> lines) {
    StringBuilder text = new StringBuilder(back());
    // Lines longer than the terminal is wide are cut, not wrapped: a wrapped one would take up
    // two, and the next redraw would begin in the wrong place.
    text.append(ESCAPE).append("?7l");
    for (String line : lines) {
      text.append(encodable(line)).append(ESCAPE).append("K\n");
    }
    text.append(ESCAPE).append("J").append(ESCAPE).append("?7h");
    linesDrawn = lines.size();
    err.print(text);
    err.flush();
  }

  /** Progress in a colour, where that is possible. */
  String coloured(Colour colour, String text) {
    return errColoured ? colour.around(text) : text;
  }

  private void wipe() {
    if (linesDrawn > 0) {
      err.print(back() + ESCAPE + "J");
      err.flush();
      linesDrawn = 0;
    }
  }

  /** To the first of the lines that were drawn. */
  private String back() {
    return linesDrawn == 0 ? "" : "\r" + ESCAPE + linesDrawn + "A";
  }

  /** Terminals of a system without a locale know ASCII only. */
  private String encodable(String line) {
    return canShow(line) ? line : line.replace('µ', 'u');
  }

  /** isatty(3); false on systems that have no such function. */
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

  /** Colours of the terminal's own palette, so that they suit its background. */
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
