// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Legible;

/**
 * What a whole log says: the first cause in it, and what else it has. Takes any bytes and any
 * length; keeps the first {@value #MOST} different explanations, and of a line {@value #LONGEST}
 * bytes.
 *
 * @param lines how many lines it has
 * @param explained how many of them are explained
 * @param told each explanation once, in the order of its first line; those of harmless lines, too
 * @param more how many explained lines have an explanation that is not in the list, because it was
 *     full
 * @param first the first line that says most about the cause; empty when nothing went wrong in what
 *     is explained
 * @param both whether the text has the consoles of a source and of a destination
 * @param rates of a migration that runs, if the text has its job's data
 */
public record LogExplanation(
    long lines,
    long explained,
    List<Told> told,
    long more,
    Optional<FirstError.Said> first,
    boolean both,
    Optional<JobRates> rates) {
  private static final int MOST = 200;
  private static final int LONGEST = 4096;

  /** A trace event of QEMU up to 10.0, of which a log is that of one end. */
  private static final Pattern EVENT =
      Pattern.compile("(?:>\\s?)*(?:\\(qemu\\) )?[0-9]{1,10}@[0-9]{1,10}\\.[0-9]{6}:");

  /** How a person names the console that follows, in a mail. */
  private static final Pattern HEADING =
      Pattern.compile(
          "(?i)(?:>\\s?)*[-=#*\\[ ]*(?:on |the )?(?:(source|src)|destination|dest|dst|target)"
              + "(?: (?:side|host|node|qemu|vm|console|log|output))?[ :=#*\\]-]*");

  /** Of a QEMU, whose options say whether it is a destination. */
  private static final Pattern COMMAND_LINE =
      Pattern.compile("qemu-(?:system-\\w+|kvm)[\"']? +-[a-z]");

  /** Of a line that is told. */
  private static final int SHOWN = 300;

  public LogExplanation {
    told = List.copyOf(told);
  }

  /**
   * A line, and those that say the same.
   *
   * @param line number of the first, from 1
   * @param text the first, made legible
   * @param times how many there are
   * @param end that printed them, where the text has the consoles of both; null when not known
   */
  public record Told(
      long line, String text, Explanation explanation, long times, @Nullable Role end) {
    private Told again(@Nullable Role by) {
      return new Told(line, text, explanation, times + 1, by == end ? end : null);
    }

    Weight weight() {
      return explanation.weight();
    }
  }

  /** Reads a log to its end. */
  public static LogExplanation read(InputStream log) throws IOException {
    return new Reader().read(new BufferedInputStream(log, 1 << 16));
  }

  /** The first error, and how often its explanation is in the log. */
  public Optional<Told> cause() {
    return first.map(error ->
        told.stream()
            .filter(each -> each.line() == error.line())
            .findFirst()
            .orElseGet(() ->
                new Told(
                    error.line(),
                    error.text(),
                    error.explanation(),
                    1,
                    error.explanation().end())));
  }

  /** Whether the first cause itself is in the log, and not only what follows from it. */
  public boolean hasCause() {
    return cause().filter(each -> each.weight() == Weight.CAUSE).isPresent();
  }

  /** What is explained besides the cause, harmless lines apart. */
  public List<Told> others() {
    Predicate<Told> isCause = each -> cause().filter(each::equals).isPresent();
    return told.stream()
        .filter(each -> each.weight() != Weight.NOTICE)
        .filter(isCause.negate())
        .sorted(Comparator.comparingLong(Told::line))
        .toList();
  }

  /** The lines that say nothing bad. */
  public List<Told> harmless() {
    return told.stream().filter(each -> each.weight() == Weight.NOTICE).toList();
  }

  /** Reads line by line. */
  private static final class Reader {
    private final Map<String, Told> told = new LinkedHashMap<>();
    private long lines;
    private long explained;
    private long more;
    private boolean source;
    private boolean destination;
    private boolean commands;

    /** Whose console the present line is of, as far as a heading or a command shows that. */
    private @Nullable Role console;

    private boolean traced;
    private final JobRates.Reader rates = new JobRates.Reader();
    private final FirstError first = FirstError.ofLog();

    LogExplanation read(InputStream log) throws IOException {
      var line = new ByteArrayOutputStream();
      boolean any = false;
      for (int next = log.read(); next >= 0; next = log.read()) {
        if (next == '\n') {
          line(line.toString(StandardCharsets.UTF_8));
          line.reset();
          any = false;
        } else {
          any = true;
          if (line.size() < LONGEST) {
            line.write(next);
          }
        }
      }
      if (any) {
        line(line.toString(StandardCharsets.UTF_8));
      }
      return new LogExplanation(
          lines,
          explained,
          new ArrayList<>(told.values()),
          more,
          first.get(),
          source && destination && (commands || !traced),
          rates.get());
    }

    private void line(String text) {
      lines++;
      if (rates.add(text)) {
        explained++;
        return;
      }
      boolean sends =
          text.contains("migrate") && text.contains(" rdma:") && !text.contains("-incoming");
      boolean receives = text.contains("-incoming rdma:");
      if (sends || receives) {
        console = sends ? Role.SOURCE : Role.DESTINATION;
      } else if (COMMAND_LINE.matcher(text).find()) {
        console = null;
      }
      Matcher heading = HEADING.matcher(text);
      if (heading.matches()) {
        console = heading.group(1) == null ? Role.DESTINATION : Role.SOURCE;
      }
      commands |= (sends && destination) || (receives && source);
      source |= sends;
      destination |= receives;
      traced |= text.contains("@") && EVENT.matcher(text).lookingAt();
      Explanation explanation = LineReader.read(text);
      boolean _ = first.add(lines, text, explanation);
      source |= explanation.end() == Role.SOURCE;
      destination |= explanation.end() == Role.DESTINATION;
      if (explanation.meanings().isEmpty() || isOnlyNamed(explanation)) {
        return;
      }
      explained++;
      Role end = explanation.end() == null ? console : explanation.end();
      String key = String.join("+", explanation.meanings().stream().map(Meaning::title).toList());
      Told known = told.get(key);
      if (known != null) {
        told.put(key, known.again(end));
      } else if (told.size() < MOST) {
        told.put(key, new Told(lines, Legible.of(text.strip(), SHOWN), explanation, 1, end));
      } else {
        more++;
      }
    }

    /** Lines of a trace name the requests that they are about. */
    private static boolean isOnlyNamed(Explanation explanation) {
      return explanation.meanings().stream()
          .allMatch(meaning -> meaning.kind() == Meaning.Kind.WRID);
    }
  }
}
