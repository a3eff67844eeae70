// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.wridscope.control.Leftovers;
import org.wridscope.files.OutputException;
import org.wridscope.guest.Leftover;
import org.wridscope.guest.NoGuestException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope recover}: finishes a capture whose process ended too early. */
@Command(
    name = "recover",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Finishes a capture whose process was killed: goes through the file that it left behind,"
          + " .NAME.complete-XXXXXXXX or .NAME.part-XXXXXXXX, to see whether it holds a whole"
          + " guest, writes it to the disk, and gives it its name. Start the guest only if it does"
          + " not run at its source."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "  0:the file has its name, and holds the whole guest",
      "  1:the file does not hold a whole guest, or cannot get its name",
      "  2:bad input: no such file, or the name is taken",
      "  3:the file has its name, but nothing in it tells its end"
    })
final class RecoverCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(
      paramLabel = "FILE",
      description = "What was left behind, or the name that it was to get")
  private Path file = Path.of("");

  @Option(names = "--force", description = "Replace a captured guest that has the name already")
  private boolean force;

  RecoverCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try {
      return recover(find()).number();
    } catch (NoGuestException e) {
      terminal.message("wridscope: %s. It may be deleted.".formatted(e.getMessage()));
      return ExitCode.FAILED.number();
    } catch (InputException | OutputException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.USAGE.number();
    } catch (IOException e) {
      terminal.message("wridscope: %s.".formatted(e.getMessage()));
      return ExitCode.FAILED.number();
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
      throw new InputException("FILE: there are %d of that name; name one.".formatted(left.size()));
    }
    if (left.isEmpty()) {
      throw new InputException(
          "FILE: %s was not left behind by a capture, and nothing that was is beside it."
              .formatted(file));
    }
    return left.getFirst();
  }

  private ExitCode recover(Leftover leftover) throws InputException, IOException {
    if (!force && Files.exists(leftover.target())) {
      throw new InputException(
          "FILE: %s exists already; --force replaces it.".formatted(leftover.target()));
    }
    boolean described = leftover.recover(force);
    terminal.result(
        Terminal.Colour.GOOD,
        "%s holds the guest; start it only if it does not run at its source"
            .formatted(leftover.target()));
    if (!leftover.complete()) {
      terminal.result(
          "It was not marked as complete: the process that captured it ended before it was on the"
              + " disk.");
    }
    if (!described) {
      terminal.result(
          Terminal.Colour.DOUBTFUL,
          "The stream of this machine type has no mark of its end: it may be incomplete.");
      return ExitCode.UNVERIFIED;
    }
    return ExitCode.COMPLETED;
  }
}
