// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.text.Wrap;

/** An explanation as lines of text, which the command {@code explain} and the window show. */
public final class ExplanationText {
  private static final int INDENT = 15;
  private static final int WIDTH = 80;

  /** Of the lines of a log besides the first cause. */
  private static final int MOST_OTHERS = 20;

  private final List<Line> lines = new ArrayList<>();

  private boolean both;

  private final int width;

  /**
   * @param width characters of a line at most, where it can be broken
   */
  private ExplanationText(int width) {
    this.width = width;
  }

  /**
   * A line of the answer.
   *
   * @param heading whether it begins a part
   */
  public record Line(String text, boolean heading) {}

  /**
   * What is known about a value or a line.
   *
   * @param remarks what is said of it besides its meanings
   */
  public static List<Line> of(List<Meaning> meanings, List<String> remarks) {
    return of(meanings, remarks, WIDTH);
  }

  private static List<Line> of(List<Meaning> meanings, List<String> remarks, int width) {
    var text = new ExplanationText(width);
    text.show(meanings, remarks);
    return List.copyOf(text.lines);
  }

  /**
   * What a log says.
   *
   * @param name what to call the log
   * @return empty if nothing is known about any of its lines
   */
  public static List<Line> of(String name, LogExplanation log) {
    return of(name, log, WIDTH);
  }

  private static List<Line> of(String name, LogExplanation log, int width) {
    if (log.first().isEmpty() && log.harmless().isEmpty() && log.rates().isEmpty()) {
      return List.of();
    }
    var text = new ExplanationText(width);
    text.tell(name, log);
    return List.copyOf(text.lines);
  }

  /** An answer, which is laid out for lines of any width. */
  @FunctionalInterface
  public interface Answer {
    /**
     * The answer as a text.
     *
     * @param width characters of a line at most, where it can be broken, at least 40
     */
    String text(int width);
  }

  /**
   * What a text says that somebody pasted: a value, a line, or a log.
   *
   * @return empty if nothing is known about it
   */
  public static Optional<Answer> ofPasted(String pasted) {
    String asked = pasted.strip();
    if (asked.lines().limit(2).count() < 2) {
      Explanation explanation = Meanings.explain(asked);
      return explanation.isEmpty()
          ? Optional.empty()
          : Optional.of(width -> joined(of(explanation.meanings(), explanation.remarks(), width)));
    }
    try {
      LogExplanation log =
          LogExplanation.read(new ByteArrayInputStream(pasted.getBytes(StandardCharsets.UTF_8)));
      return of("The text", log).isEmpty()
          ? Optional.empty()
          : Optional.of(width -> joined(of("The text", log, width)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String joined(List<Line> lines) {
    return lines.stream().map(Line::text).collect(Collectors.joining("\n", "", "\n"));
  }

  private void add(String text) {
    lines.add(new Line(text, false));
  }

  // --------------------------------------------------------------------------------- values, lines

  private void show(List<Meaning> meanings, List<String> remarks) {
    for (String remark : remarks) {
      Wrap.lines(remark, width).forEach(this::add);
    }
    if (!remarks.isEmpty() && !meanings.isEmpty()) {
      add("");
    }
    boolean first = true;
    for (Meaning meaning : meanings) {
      if (!first) {
        add("");
      }
      first = false;
      lines.add(new Line(meaning.title(), true));
      for (Meaning.Paragraph paragraph : meaning.paragraphs()) {
        String before = "  %-12s ".formatted(paragraph.heading());
        for (String line : Wrap.lines(paragraph.text(), width - INDENT)) {
          add(before + line);
          before = " ".repeat(INDENT);
        }
      }
    }
  }

  // ---------------------------------------------------------------------------------- whole logs

  private void tell(String name, LogExplanation log) {
    add(
        "%s: %s, %d of them explained."
            .formatted(name, Format.counted(log.lines(), "line"), log.explained()));
    both = log.both();
    if (both) {
      paragraph(
          "The text has the consoles of both ends. Which of them printed a line is said where that is"
              + " known.");
    }
    log.rates().ifPresent(this::tellRates);
    Optional<LogExplanation.Told> cause = log.cause();
    if (cause.isEmpty()) {
      paragraph("No line that is known says that something failed.");
    } else {
      tellCause(log, cause.get());
      tellOthers(
          cause.get(), log.others().stream().limit(MOST_OTHERS).toList(), log.others().size());
    }
    if (!log.harmless().isEmpty()) {
      paragraph("Harmless, or usually so:");
      log.harmless().stream().limit(MOST_OTHERS).forEach(this::tellLine);
    }
    if (log.more() > 0) {
      paragraph("%d more lines have explanations that are not listed.".formatted(log.more()));
    }
  }

  private void tellRates(JobRates rates) {
    String then =
        rates.sent() <= rates.dirtied()
            ? "At these rates the migration does not converge: set a longer downtime, slow the guest down"
                + " (auto-converge), or send faster."
            : rates.seconds().isPresent()
                ? "At these rates what remains, %s, is sent in %s."
                    .formatted(
                        Format.bytes((long) rates.remaining().orElseThrow()),
                        Format.duration((long) (rates.seconds().orElseThrow() * 1e9)))
                : "At these rates the migration converges.";
    paragraph(
        "The job's data: the guest writes to %s of %s in a second, which is %s, and %s are sent. %s"
            .formatted(
                Format.counted(rates.pages(), "page"),
                Format.bytes(rates.pageBytes()),
                Format.rate(rates.dirtied()),
                Format.rate(rates.sent()),
                then));
  }

  private void paragraph(String text) {
    add("");
    Wrap.lines(text, width).forEach(this::add);
  }

  private void tellCause(LogExplanation log, LogExplanation.Told cause) {
    add("");
    lines.add(
        new Line(
            "%s, line %d%s%s:"
                .formatted(
                    log.hasCause() ? "First cause" : "First error",
                    cause.line(),
                    end(cause),
                    times(cause)),
            true));
    add("  " + cause.text());
    if (cause.explanation().meanings().isEmpty()) {
      paragraph(
          "What this line means is not known here; the lines that are known follow from it or say"
              + " less.");
      return;
    }
    if (!log.hasCause()) {
      paragraph(
          "No line says what the cause is; this is the first that follows from it. Look at the log of"
              + " the other end, and at the lines before this one.");
    }
    add("");
    show(cause.explanation().meanings(), cause.explanation().remarks());
  }

  private void tellOthers(LogExplanation.Told cause, List<LogExplanation.Told> told, int all) {
    List<LogExplanation.Told> before =
        told.stream().filter(each -> each.line() < cause.line()).toList();
    List<LogExplanation.Told> after =
        told.stream().filter(each -> each.line() > cause.line()).toList();
    if (!before.isEmpty()) {
      paragraph("Before it, and said of any failure:");
      before.forEach(this::tellLine);
    }
    if (!after.isEmpty()) {
      paragraph("After it, and so perhaps because of it:");
      after.forEach(this::tellLine);
    }
    if (all > told.size()) {
      add("  and %d other explanations".formatted(all - told.size()));
    }
  }

  private void tellLine(LogExplanation.Told told) {
    add("  line %d%s%s: %s".formatted(told.line(), end(told), times(told), told.text()));
    for (Meaning meaning : told.explanation().meanings()) {
      add("    " + meaning.title());
    }
  }

  /** The end that printed a line, where both have printed. */
  private String end(LogExplanation.Told told) {
    Role end = both ? told.end() : null;
    return end == null ? "" : ", of the " + end.text();
  }

  private static String times(LogExplanation.Told told) {
    return told.times() == 1 ? "" : ", and %d more like it".formatted(told.times() - 1);
  }
}
