// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.wridscope.control.Leftovers;
import org.wridscope.files.OutputException;
import org.wridscope.guest.Leftover;
import org.wridscope.guest.NoGuestException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope recover}: finishes a capture whose process was killed. */
@Command(
    name = "recover",
    description = {
      "Finishes a capture whose process was killed. Checks that the file that it left behind,"
          + " .NAME.complete-XXXXXXXX or .NAME.part-XXXXXXXX, holds a whole guest, writes it to the"
          + " disk, and renames it to NAME. Start the guest only if it no longer runs at its"
          + " source."
    },
    exitCodeList = {
      "  0:the file was renamed and holds the whole guest",
      "  1:the file does not hold a whole guest, or cannot be renamed",
      "  2:bad input: no such file, or the name exists already",
      "  3:the file was renamed, but may be incomplete: its format has no end mark"
    })
final class RecoverCommand extends TerminalCommand {

  @Parameters(
      paramLabel = RecordingParameter.NAME,
      description = "The file that was left behind, or the final name of the capture")
  private Path file = Path.of("");

  @Option(names = "--force", description = "Replace an existing captured guest")
  private boolean force;

  RecoverCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode execute() throws InputException, IOException {
    try {
      return recover(find());
    } catch (NoGuestException e) {
      throw new IOException("%s. It may be deleted.".formatted(e.getMessage()), e);
    } catch (OutputException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("%s.".formatted(e.getMessage()), e);
    }
  }

  private Leftover find() throws InputException, IOException {
    Leftover named = Leftover.of(file).orElse(null);
    if (named != null && Files.isRegularFile(file)) {
      return named;
    }
    if (!Files.isDirectory(file.toAbsolutePath().resolveSibling("."))) {
      throw new InputException("FILE: %s does not exist.".formatted(file));
    }
    List<Leftover> left = Leftover.beside(file);
    if (left.size() > 1) {
      left.forEach(leftover -> terminal.message(Leftovers.sentence(leftover)));
      throw new InputException(
          "FILE: %d captures to %s were left behind; name one of their files."
              .formatted(left.size(), file));
    }
    if (left.isEmpty()) {
      throw new InputException(
          "FILE: %s is not an unfinished capture, and there is none for that name."
              .formatted(file));
    }
    return left.getFirst();
  }

  private ExitCode recover(Leftover leftover) throws InputException, IOException {
    if (!force && Files.exists(leftover.target())) {
      throw new InputException(
          "FILE: %s exists already; --force replaces it.".formatted(leftover.target()));
    }
    boolean hasEndMark = leftover.recover(force);
    terminal.result(
        Terminal.Colour.GOOD,
        "%s holds the guest; start it only if it no longer runs at its source"
            .formatted(leftover.target()));
    if (!leftover.complete()) {
      terminal.result(
          "It was not marked as complete: the capturing process ended before all of it was on the"
              + " disk.");
    }
    if (!hasEndMark) {
      terminal.result(
          Terminal.Colour.DOUBTFUL,
          "It may be incomplete: the stream of this machine type has no end mark.");
      return ExitCode.UNVERIFIED;
    }
    return ExitCode.COMPLETED;
  }
}
