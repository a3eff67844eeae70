// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation;
import org.wridscope.analysis.meaning.ExplanationText;
import org.wridscope.analysis.meaning.LogExplanation;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.files.FileKind;
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
    exitCodeList = {
      "  0:explained, or told which command opens the file",
      "  2:bad input, or nothing is known about it"
    })
final class ExplainCommand extends TerminalCommand {
  private static final String KNOWN =
      "write a completion status (12, RETRY_EXC_ERR), an asynchronous event (QP_FATAL), an errno"
          + " (110, ENOMEM), an event of the connection manager (UNREACHABLE), a reject reason"
          + " (reject 8), a vendor error (--vendor 0x81), a negative acknowledgement (nak 0x62) or"
          + " a wrid of QEMU (0x5700000001), paste a line, or name a log (FILE, or - for standard"
          + " input).";

  private static final String INPUT = "standard input";

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
        return tell(INPUT, terminal.input());
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
    var remarks = new ArrayList<String>();
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
      remarks.addAll(explanation.remarks());
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
    show(ExplanationText.of(List.copyOf(found), remarks));
    return ExitCode.COMPLETED;
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
    byte[] start = content.readNBytes(FileKind.START_BYTES);
    Optional<String> command = FileKind.of(start).flatMap(kind -> opening(kind, name));
    if (command.isPresent()) {
      terminal.result(command.get());
      return ExitCode.COMPLETED;
    }
    LogExplanation log =
        LogExplanation.read(new SequenceInputStream(new ByteArrayInputStream(start), content));
    String damage = content.damage();
    if (damage != null) {
      terminal.message("%s is incomplete: %s.".formatted(name, damage));
    }
    if (isBinary(start) && ExplanationText.of(name, log).isEmpty()) {
      throw new InputException(
          "%s is no text, and of no kind that is known here; unpack it first if it is packed."
              .formatted(name));
    }
    return tell(name, log);
  }

  /** What a file is that is no log, and the commands that open it; empty if it may be a log. */
  private static Optional<String> opening(FileKind kind, String name) {
    String is = "%s is no log but %s. ".formatted(name, kind.text());
    String file = name.equals(INPUT) ? "FILE" : name;
    String how =
        switch (kind) {
          case RECORDING, PACKETS ->
              "\"wridscope replay %s\" summarizes it, \"wridscope %s\" opens it in the window."
                  .formatted(file, file);
          case STREAM ->
              "\"wridscope source rdma:HOST:PORT --restore %s\" sends the guest.".formatted(file);
          case SCENARIO -> "\"wridscope lab %s\" runs it.".formatted(file);
          default -> "";
        };
    return how.isEmpty() ? Optional.empty() : Optional.of(is + how);
  }

  /** A log has no byte of 0, or few that a machine left which lost its power. */
  private static boolean isBinary(byte[] start) {
    for (byte each : start) {
      if (each == 0) {
        return true;
      }
    }
    return false;
  }

  private ExitCode tell(String name, LogExplanation log) throws InputException {
    List<ExplanationText.Line> lines = ExplanationText.of(name, log);
    if (lines.isEmpty()) {
      throw new InputException(
          "%s: nothing is known about %s; lines of QEMU, libvirt, NCCL, UCX, libfabric, SPDK, Open MPI,"
                  .formatted(
                      name,
                      log.lines() == 1
                          ? "its only line"
                          : "any of its %s lines".formatted(Format.count(log.lines())))
              + " rping, perftest and the kernel are known.");
    }
    show(lines);
    return ExitCode.COMPLETED;
  }

  private void show(List<ExplanationText.Line> lines) {
    for (ExplanationText.Line line : lines) {
      if (line.heading()) {
        terminal.result(Terminal.Colour.BAR, line.text());
      } else {
        terminal.result(line.text());
      }
    }
  }
}
