// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation;
import org.wridscope.analysis.meaning.LogExplanation;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.files.Target;
import org.wridscope.files.Unpacked;
import org.wridscope.files.UnpackedTooLongException;
import org.wridscope.text.Format;
import org.wridscope.units.Parse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code wridscope explain}: says what a status, an event, an errno, a wrid, a line of a log or a
 * whole log means.
 */
@Command(
    description = {
      "Says what a value means, what usually causes it, and what to look at next: completion"
          + " statuses, asynchronous events, errnos, events of the connection manager, reject"
          + " reasons, vendor errors, syndromes of negative acknowledgements, and work request ids"
          + " of QEMU, firmware's refusals, dumped error completions of mlx5, and sentences of QEMU,"
          + " libvirt and others. Names may be written with or without their prefix, in any case; a"
          + " line of a log is read as what it speaks of; if a number may be several things, all are"
          + " listed.",
      "",
      "One argument that names a file is read as a whole log, and so is standard input with \"-\":"
          + " the first cause is explained, then what follows from it.",
      "",
      "  wridscope explain status 12",
      "  wridscope explain RNR_RETRY_EXC_ERR",
      "  wridscope explain \"transport retry counter exceeded\"",
      "  wridscope explain 0x5700000001",
      "  wridscope explain --vendor 0x81",
      "  wridscope explain \"Failed status 12: wr_id 0 syndrom 0x81\"",
      "  wridscope explain /var/log/libvirt/qemu/vm1.log",
      "  dmesg | wridscope explain -"
    },
    exitCodeList = {"  0:explained", "  2:bad input, or nothing is known about it"})
final class ExplainCommand extends TerminalCommand {
  private static final int INDENT = 15;
  private static final int WIDTH = 80;

  private static final String KNOWN =
      "write a completion status (12, RETRY_EXC_ERR), an asynchronous event (QP_FATAL), an errno"
          + " (110, ENOMEM), an event of the connection manager (UNREACHABLE), a reject reason"
          + " (reject 8), a vendor error (--vendor 0x81), a negative acknowledgement (nak 0x62) or"
          + " a wrid of QEMU (0x5700000001), paste a line, or name a log (FILE, or - for standard"
          + " input).";

  /** Of the lines of a log besides the first cause. */
  private static final int MOST_OTHERS = 20;

  @Parameters(
      arity = "0..*",
      paramLabel = "VALUE",
      description =
          "A number, a name, or the words that a program printed; or a file, if one of that name"
              + " exists; or - for standard input")
  private List<String> words = new ArrayList<>();

  @Option(
      names = "--vendor",
      paramLabel = "NUMBER",
      description = "A vendor error of a completion (vendor_err)")
  private @Nullable String vendor;

  ExplainCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode execute() throws InputException, IOException {
    String asked = String.join(" ", words).strip();
    String vendorError = vendor;
    if (asked.isEmpty() && vendorError == null) {
      throw new InputException("nothing to explain; " + KNOWN);
    }
    if (vendorError == null) {
      if (asked.equals("-")) {
        return tell("standard input", terminal.input());
      }
      if (asked.contains("\n")) {
        return tell(
            "the text",
            LogExplanation.read(new ByteArrayInputStream(asked.getBytes(StandardCharsets.UTF_8))));
      }
      Optional<Path> file = file();
      if (file.isPresent()) {
        return tell(file.get());
      }
    }
    var found = new LinkedHashSet<Meaning>();
    if (!asked.isEmpty()) {
      Explanation explanation = Meanings.explain(asked);
      if (explanation.isEmpty()) {
        throw new InputException(
            "nothing is known about %s%s; %s"
                .formatted(
                    Parse.quoted(asked),
                    asked.contains("/") ? ", and there is no file of that name" : "",
                    KNOWN));
      }
      found.addAll(explanation.meanings());
      remark(explanation, "");
    }
    if (vendorError != null) {
      List<Meaning> meanings = Meanings.findVendorErrors(vendorError);
      if (meanings.isEmpty()) {
        throw new InputException(
            "--vendor: no vendor error %s is known; write one of %s."
                .formatted(Parse.quoted(vendorError), Meanings.devicesOfVendorErrors()));
      }
      found.addAll(meanings);
    }
    show(found);
    return ExitCode.COMPLETED;
  }

  private void show(Collection<Meaning> meanings) {
    boolean first = true;
    for (Meaning meaning : meanings) {
      if (!first) {
        terminal.result("");
      }
      first = false;
      show(meaning);
    }
  }

  /** What is said of the line besides its meanings, before them. */
  private void remark(Explanation explanation, String indent) {
    for (String remark : explanation.remarks()) {
      for (String line : Wrap.lines(remark, WIDTH - indent.length())) {
        terminal.result(indent + line);
      }
    }
    if (!explanation.remarks().isEmpty() && !explanation.meanings().isEmpty()) {
      terminal.result("");
    }
  }

  // ---------------------------------------------------------------------------------- whole logs

  /** The file that the only argument names; empty when there is none of that name. */
  private Optional<Path> file() throws InputException {
    if (words.size() != 1) {
      return Optional.empty();
    }
    try {
      Path path = Path.of(words.getFirst());
      if (Files.isDirectory(path) && words.getFirst().contains("/")) {
        throw new InputException("%s is a directory; name a file.".formatted(path));
      }
      return Files.exists(path) && !Files.isDirectory(path) ? Optional.of(path) : Optional.empty();
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  private ExitCode tell(Path file) throws InputException {
    try (InputStream in = Files.newInputStream(file)) {
      return tell(file.toString(), in);
    } catch (UnpackedTooLongException e) {
      throw new InputException("%s cannot be read: %s.".formatted(file, e.getMessage()));
    } catch (IOException e) {
      throw new InputException("%s cannot be read (%s).".formatted(file, Target.reason(e)));
    }
  }

  private ExitCode tell(String name, InputStream in) throws InputException, IOException {
    var content = Unpacked.of(in);
    LogExplanation log = LogExplanation.read(content);
    String damage = content.damage();
    if (damage != null) {
      terminal.message("%s is incomplete: %s.".formatted(name, damage));
    }
    return tell(name, log);
  }

  private ExitCode tell(String name, LogExplanation log) throws InputException {
    Optional<LogExplanation.Told> cause = log.cause();
    if (cause.isEmpty() && log.harmless().isEmpty()) {
      throw new InputException(
          "%s: nothing is known about %s; lines of QEMU, libvirt, NCCL, UCX, libfabric, SPDK, Open MPI,"
                  .formatted(
                      name,
                      log.lines() == 1
                          ? "its only line"
                          : "any of its %s lines".formatted(Format.count(log.lines())))
              + " rping, perftest and the kernel are known.");
    }
    terminal.result(
        "%s: %s, %d of them explained."
            .formatted(name, Format.counted(log.lines(), "line"), log.explained()));
    if (log.both()) {
      paragraph(
          "The text has the consoles of both ends: the first cause is the first in the text, which may"
              + " be of either.");
    }
    if (cause.isEmpty()) {
      terminal.result("");
      terminal.result("No line that is known says that something failed.");
    } else {
      tellCause(log, cause.get());
      tellOthers(
          cause.get(), log.others().stream().limit(MOST_OTHERS).toList(), log.others().size());
    }
    if (!log.harmless().isEmpty()) {
      terminal.result("");
      terminal.result("Harmless, or usually so:");
      log.harmless().stream().limit(MOST_OTHERS).forEach(this::tellLine);
    }
    if (log.more() > 0) {
      paragraph("%d more lines have explanations that are not listed.".formatted(log.more()));
    }
    return ExitCode.COMPLETED;
  }

  private void paragraph(String text) {
    terminal.result("");
    Wrap.lines(text, WIDTH).forEach(terminal::result);
  }

  private void tellCause(LogExplanation log, LogExplanation.Told cause) {
    terminal.result("");
    terminal.result(
        Terminal.Colour.BAR,
        "%s, line %d%s:"
            .formatted(log.hasCause() ? "First cause" : "First error", cause.line(), times(cause)));
    terminal.result("  " + cause.text());
    if (!log.hasCause()) {
      paragraph(
          "No line says what the cause is; this is the first that follows from it. Look at the log of"
              + " the other end, and at the lines before this one.");
    }
    terminal.result("");
    remark(cause.explanation(), "");
    show(cause.explanation().meanings());
  }

  private void tellOthers(LogExplanation.Told cause, List<LogExplanation.Told> told, int all) {
    List<LogExplanation.Told> before =
        told.stream().filter(each -> each.line() < cause.line()).toList();
    List<LogExplanation.Told> after =
        told.stream().filter(each -> each.line() > cause.line()).toList();
    if (!before.isEmpty()) {
      terminal.result("");
      terminal.result("Before it, and said of any failure:");
      before.forEach(this::tellLine);
    }
    if (!after.isEmpty()) {
      terminal.result("");
      terminal.result("After it, and so perhaps because of it:");
      after.forEach(this::tellLine);
    }
    if (all > told.size()) {
      terminal.result("  and %d other explanations".formatted(all - told.size()));
    }
  }

  private void tellLine(LogExplanation.Told told) {
    terminal.result("  line %d%s: %s".formatted(told.line(), times(told), told.text()));
    for (Meaning meaning : told.explanation().meanings()) {
      terminal.result("    " + meaning.title());
    }
  }

  private static String times(LogExplanation.Told told) {
    return told.times() == 1 ? "" : ", and %d more like it".formatted(told.times() - 1);
  }

  private void show(Meaning meaning) {
    terminal.result(Terminal.Colour.BAR, meaning.title());
    for (Meaning.Paragraph paragraph : meaning.paragraphs()) {
      String heading = "  %-12s ".formatted(paragraph.heading());
      for (String line : Wrap.lines(paragraph.text(), WIDTH - INDENT)) {
        terminal.result(heading + line);
        heading = " ".repeat(INDENT);
      }
    }
  }
}
