// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.aftermath.Aftermath;
import org.wridscope.aftermath.Left;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Leftovers;
import org.wridscope.control.guard.Recovery;
import org.wridscope.files.OutputException;
import org.wridscope.guest.Leftover;
import org.wridscope.guest.NoGuestException;
import org.wridscope.guest.OtherEnd;
import org.wridscope.qmp.QmpAddress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code wridscope recover}: finishes what a process left that was killed: a capture, or a QEMU
 * that it had changed.
 */
@Command(
    description = {
      "Finishes what a process left behind that was killed.",
      "",
      "Without FILE and --qemu, says what ran when processes of this user were killed, and where"
          + " the guests are; it changes nothing.",
      "",
      "With FILE, a capture: checks that the file that was left, .NAME.complete-XXXXXXXX or"
          + " .NAME.part-XXXXXXXX, holds a whole guest, writes it to the disk, and renames it to"
          + " NAME. Start the guest only if it no longer runs at its source.",
      "",
      "With --qemu, a QEMU that a source or destination had changed and whose guard ended, too:"
          + " puts its settings back, and lets its guest run where that is certain. Where it is"
          + " not, look at the other end, and say with --other-end what you found. If what you say"
          + " is wrong, both guests run, or neither."
    },
    exitCodeList = {
      "  0:the file was renamed and holds the whole guest; or the QEMU is as it should be",
      "  1:the file does not hold a whole guest, or cannot be renamed; or the QEMU is not as it"
          + " should be",
      "  2:bad input: no such file, or the name exists already",
      "  3:the file was renamed, but may be incomplete: its format has no end mark; or the settings"
          + " of the QEMU are as before, and it is not known which end has the guest"
    })
final class RecoverCommand extends TerminalCommand {
  static final String OTHER_END = "--other-end";

  @Parameters(
      arity = "0..1",
      paramLabel = RecordingParameter.NAME,
      description = "The file that was left behind, or the final name of the capture")
  private @Nullable Path file;

  @Option(names = "--force", description = "Replace an existing captured guest")
  private boolean force;

  @Option(
      names = GuestOptions.QEMU,
      paramLabel = "QMP-SOCKET",
      description =
          "Instead of a capture, put the QEMU on this machine right that accepts QMP at this path,"
              + " unix:PATH or tcp:HOST:PORT, as it was named to source or destination")
  private @Nullable String qemu;

  @Option(
      names = OTHER_END,
      paramLabel = "STATE",
      description =
          "With --qemu, what you know of the other end: powered-off (its host is off) or"
              + " guest-ended (its guest does not run and never will): the guest runs here;"
              + " guest-runs: this QEMU is ended")
  private @Nullable String otherEnd;

  private final Recovery recovery;
  private final Supplier<Aftermath> aftermath;

  RecoverCommand(Terminal terminal) {
    this(terminal, Recovery.ofUser(), Aftermath::ofUser);
  }

  RecoverCommand(Terminal terminal, Recovery recovery, Supplier<Aftermath> aftermath) {
    super(terminal);
    this.recovery = recovery;
    this.aftermath = aftermath;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    if (qemu != null) {
      return recoverQemu(qemu, otherEnd);
    }
    if (otherEnd != null) {
      throw new InputException(
          "%s: it has an effect only with %s; give that, too, or leave it out."
              .formatted(OTHER_END, GuestOptions.QEMU));
    }
    Path named = file;
    if (named == null) {
      return tell();
    }
    try {
      return recover(find(named));
    } catch (NoGuestException e) {
      throw new IOException("%s. It may be deleted.".formatted(e.getMessage()), e);
    } catch (OutputException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("%s.".formatted(e.getMessage()), e);
    }
  }

  private ExitCode tell() throws InputException {
    if (force) {
      throw new InputException("--force: name the FILE of a capture, too, or leave it out.");
    }
    List<Left> left = aftermath.get().find();
    if (left.isEmpty()) {
      terminal.result("Nothing is known to have been left by a Wridscope that was killed.");
    }
    for (Left each : left) {
      terminal.result(each.sentence());
    }
    return ExitCode.COMPLETED;
  }

  /**
   * Restores a QEMU.
   *
   * @param typed where it accepts QMP
   * @param otherEnd a word; null for nothing
   */
  ExitCode recoverQemu(String typed, @Nullable String otherEnd)
      throws InputException, IOException, InterruptedException {
    if (file != null || force) {
      throw new InputException(
          "%s: leave it out, or leave out %s; it is either a capture or a QEMU."
              .formatted(GuestOptions.QEMU, file != null ? "FILE" : "--force"));
    }
    QmpAddress qmp =
        InputException.checked(() -> GuestSettings.parseQemu(GuestOptions.QEMU, typed));
    return switch (recovery.recover(qmp, otherEnd == null ? null : otherEnd(otherEnd))) {
      case NOTHING -> {
        terminal.result(
            "No Wridscope of this user left anything to be put right in the QEMU at %s."
                .formatted(qmp));
        yield ExitCode.COMPLETED;
      }
      case RIGHT -> {
        terminal.result(
            Terminal.Colour.GOOD, "Nothing is left to be done for the QEMU at %s.".formatted(qmp));
        yield ExitCode.COMPLETED;
      }
      case UNDECIDED -> {
        terminal.result(
            Terminal.Colour.DOUBTFUL,
            "The settings of the QEMU at %s are as before. It is not known which end has the guest: look at the other end, and say with %s what you found."
                .formatted(qmp, OTHER_END));
        yield ExitCode.UNVERIFIED;
      }
      case FAILED -> {
        terminal.result(
            Terminal.Colour.BAD,
            "The QEMU at %s is not as it should be yet; docs/qemu.md says what to do by hand."
                .formatted(qmp));
        yield ExitCode.FAILED;
      }
    };
  }

  static OtherEnd otherEnd(String typed) throws InputException {
    return OtherEnd.of(typed)
        .orElseThrow(() ->
            new InputException(
                "%s: '%s' is not known; write powered-off, guest-ended or guest-runs."
                    .formatted(OTHER_END, typed)));
  }

  private Leftover find(Path file) throws InputException, IOException {
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
