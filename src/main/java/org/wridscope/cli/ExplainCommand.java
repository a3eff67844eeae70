// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.units.Parse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope explain}: says what a status, an event, an errno or a wrid means. */
@Command(
    description = {
      "Says what a value means, what usually causes it, and what to look at next: completion"
          + " statuses, asynchronous events, errnos, events of the connection manager, reject"
          + " reasons, vendor errors, syndromes of negative acknowledgements, and work request ids"
          + " of QEMU. Names may be written with or without their prefix, in any case; if a number"
          + " may be several things, all are listed.",
      "",
      "  wridscope explain status 12",
      "  wridscope explain RNR_RETRY_EXC_ERR",
      "  wridscope explain \"transport retry counter exceeded\"",
      "  wridscope explain 0x5700000001",
      "  wridscope explain --vendor 0x81",
      "  wridscope explain \"Failed status 12: wr_id 0 syndrom 0x81\""
    },
    exitCodeList = {"  0:explained", "  2:bad input, or nothing is known about it"})
final class ExplainCommand extends TerminalCommand {
  private static final int INDENT = 15;
  private static final int WIDTH = 80;

  private static final String KNOWN =
      "write a completion status (12, RETRY_EXC_ERR), an asynchronous event (QP_FATAL), an errno"
          + " (110, ENOMEM), an event of the connection manager (UNREACHABLE), a reject reason"
          + " (reject 8), a vendor error (--vendor 0x81), a negative acknowledgement (nak 0x62) or"
          + " a wrid of QEMU (0x5700000001).";

  @Parameters(
      arity = "0..*",
      paramLabel = "VALUE",
      description = "A number, a name, or the words that a program printed")
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
  ExitCode execute() throws InputException {
    String asked = String.join(" ", words).strip();
    String vendorError = vendor;
    if (asked.isEmpty() && vendorError == null) {
      throw new InputException("nothing to explain; " + KNOWN);
    }
    var found = new LinkedHashSet<Meaning>();
    if (!asked.isEmpty()) {
      List<Meaning> meanings = Meanings.explain(asked).meanings();
      if (meanings.isEmpty()) {
        throw new InputException(
            "nothing is known about %s; %s".formatted(Parse.quoted(asked), KNOWN));
      }
      found.addAll(meanings);
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
    boolean first = true;
    for (Meaning meaning : found) {
      if (!first) {
        terminal.result("");
      }
      first = false;
      show(meaning);
    }
    return ExitCode.COMPLETED;
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
