// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.analysis.meaning.Meaning.Kind;
import org.wridscope.text.Legible;

/**
 * Decides which of the lines of a log is the cause of a failure: the first of those that say most
 * about it. The last lines of QEMU are always the general ones, such as {@code load of migration
 * failed}.
 */
public final class FirstError {
  /** Of a line that is kept. */
  private static final int SHOWN = 300;

  /** Before what the sessions of QEMU say of their end. */
  private static final String QEMU_SAID = "QEMU said: ";

  /** Before what a QEMU answers when it is asked. */
  public static final String QEMU_REPORTED = "QEMU's migration failed: ";

  /** An error message of QEMU, not a warning; the program's name may follow a time. */
  private static final Pattern OF_QEMU =
      Pattern.compile(
          "(?:^|[\\s>)\\]])qemu-(?:system-\\w+|kvm): (?!(?:.*: )?(?:warning|info): )(.*)");

  /** What an error message has of which nothing is known. */
  private static final Pattern FAILURE =
      Pattern.compile(
          "fail|error|could not|couldn't|cannot|can't|unable|invalid|unexpected|refuse|abort"
              + "|timed? ?out|lost|not supported|unsupported|mismatch|bad\\b|wrong|denied"
              + "|no such|too (?:many|large|small)");

  /** What QEMU's RDMA code prints without the program's name. */
  private static final List<String> BARE =
      List.of("RDMA ERROR: ", "ibv_poll_cq ", "rdma_get_cm_event ", "ram blocks mismatch ");

  private final boolean console;
  private @Nullable Said first;

  private FirstError(boolean console) {
    this.console = console;
  }

  /** Of a log of any programs, each line of which may tell of a failure. */
  static FirstError ofLog() {
    return new FirstError(false);
  }

  /**
   * Of what a QEMU prints, where the guest may print, too: only messages of QEMU and of what runs
   * it count.
   */
  public static FirstError ofConsole() {
    return new FirstError(true);
  }

  /**
   * A line that tells of a failure.
   *
   * @param line its number, as it was given
   * @param text made legible
   * @param explanation empty if nothing is known about it
   */
  public record Said(long line, String text, Explanation explanation) {
    /** The line, as the reason for which a session ended. */
    public String sentence() {
      return QEMU_SAID + text + (text.matches(".*[.!?]") ? "" : ".");
    }
  }

  /**
   * Reads the next line.
   *
   * @param line its number, for {@link Said#line}
   * @return whether it tells of a failure
   */
  public boolean add(long line, String text) {
    return add(line, text, LineReader.read(text));
  }

  /** Reads the next line, whose explanation is known. */
  public boolean add(long line, String text, Explanation explanation) {
    if (console && !isMessage(text, explanation)) {
      return false;
    }
    return weigh(
        line,
        text,
        // It says more than what is said of any failure.
        explanation.meanings().isEmpty() && isUnknownError(text)
            ? new Explanation(List.of(), explanation.remarks(), Weight.CONSEQUENCE)
            : explanation);
  }

  /** Reads what QEMU itself calls the error of its migration. */
  public void addError(long line, String text) {
    Explanation explanation = LineReader.read(text);
    boolean _ =
        weigh(
            line,
            text,
            explanation.weight() == Weight.NOTICE
                ? new Explanation(List.of(), explanation.remarks(), Weight.CONSEQUENCE)
                : explanation);
  }

  private boolean weigh(long line, String text, Explanation explanation) {
    if (explanation.weight() == Weight.NOTICE) {
      return false;
    }
    Said known = first;
    if (known == null || explanation.weight().compareTo(known.explanation.weight()) > 0) {
      first = new Said(line, Legible.of(text.strip(), SHOWN), explanation);
    }
    return true;
  }

  private static boolean isMessage(String text, Explanation explanation) {
    return BARE.stream().anyMatch(text::startsWith)
        || (text.contains("qemu-") && OF_QEMU.matcher(text).find())
        || explanation.meanings().stream().anyMatch(meaning -> meaning.kind() == Kind.MESSAGE);
  }

  private static boolean isUnknownError(String text) {
    var message = OF_QEMU.matcher(text);
    return text.contains("qemu-")
        && message.find()
        && FAILURE.matcher(message.group(1).toLowerCase(Locale.ROOT)).find();
  }

  /** The cause, or what comes nearest to it; empty while no line tells of a failure. */
  public Optional<Said> get() {
    return Optional.ofNullable(first);
  }

  /**
   * What a line of QEMU means that is in the sentence about the end of a migration; empty if there
   * is none, or nothing is known about it.
   */
  public static Optional<Meaning> meaningIn(String sentence) {
    return List.of(QEMU_SAID, QEMU_REPORTED).stream()
        .filter(sentence::contains)
        .findFirst()
        .map(before -> {
          String rest = sentence.substring(sentence.indexOf(before) + before.length());
          int next = rest.indexOf(QEMU_SAID);
          return LineReader.read(next < 0 ? rest : rest.substring(0, next));
        })
        .flatMap(explanation -> explanation.meanings().stream().findFirst());
  }
}
