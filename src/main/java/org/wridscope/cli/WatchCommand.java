// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionPair;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.telemetry.Role;
import org.wridscope.watch.AbandonedWatches;
import org.wridscope.watch.Watch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope watch}: shows a migration that QEMUs make by themselves. */
@Command(
    description = {
      "Watches the next migration of QEMUs that run already, or the one that they make now, without"
          + " steering it. Their trace logs are switched on through QMP and read live; at the end,"
          + " or at Ctrl-C, their logs and trace events are as before (docs/watch.md).",
      "",
      "Name the source, the destination, or both. A QEMU serves one client of a QMP socket at a"
          + " time, so it needs a second -qmp for the program that starts the migration."
    },
    exitCodeList = {
      "  0:the migration completed",
      "  1:the migration failed, or cannot be watched",
      "  2:bad input: an option or an address",
      "130:ended with Ctrl-C; the migration continues"
    })
final class WatchCommand extends TerminalCommand {
  private static final String QMP = "qmp:";

  private final MigrationRunner runner;

  @Parameters(
      arity = "0..2",
      paramLabel = "qmp:ADDRESS|LOG",
      description =
          "Where a QEMU of this machine accepts QMP: qmp: and a path, unix:PATH or tcp:HOST:PORT."
              + " Or a log file that a QEMU writes (-trace, -D), or a directory with such files,"
              + " which are followed until the migration has ended")
  private List<String> places = new ArrayList<>();

  @Option(
      names = "--put-back",
      description =
          "Put back the logs and trace events of QEMUs whose watch was killed, and watch nothing")
  private boolean putBack;

  @Mixin private final EndOption end = new EndOption();

  @Mixin private final QmpOption qmp = new QmpOption();

  @Mixin private final OutputOptions outputs = new OutputOptions();

  private @Nullable Watch watch;

  WatchCommand(MigrationRunner runner, Terminal terminal) {
    super(terminal);
    this.runner = runner;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    if (putBack) {
      return putBack();
    }
    if (places.isEmpty()) {
      throw new InputException(
          "Name what to watch: a QEMU, such as qmp:/run/vm.qmp, or a log file of one.");
    }
    AbandonedWatches.ofUser()
        .sentences()
        .forEach(sentence ->
            terminal.message(sentence + " './wridscope watch --put-back' puts them back."));
    return runner.run(places.getFirst().startsWith(QMP) ? this::qemus : this::logs, outputs, qmp);
  }

  private MigrationRunner.Task qemus() throws InputException, IOException {
    List<QmpAddress> addresses = addresses();
    end.refuse("each QEMU says itself which end it is");
    return task("watch for the next migration", "asking QEMU", () -> Watch.of(addresses));
  }

  private MigrationRunner.Task logs() throws InputException {
    Role first = end.role();
    var logs = new ArrayList<Path>();
    for (String place : places) {
      Path log = Path.of(place);
      if (place.startsWith(QMP) || !Files.isReadable(log)) {
        throw new InputException(
            place.startsWith(QMP)
                ? "Watch QEMUs or their logs, not one of each."
                : "%s is not a file that can be read; a QEMU is named with qmp: before its address."
                    .formatted(place));
      }
      if (Files.isDirectory(log) && (places.size() > 1 || first != null)) {
        throw new InputException(
            "%s is a directory; name nothing else, and leave out --end.".formatted(place));
      }
      outputs.refuseSame("the log", log);
      logs.add(log);
    }
    return task(
        "follow the log of QEMU",
        "waiting for lines that show which end writes it (or name it with --end)",
        () -> Watch.ofLogs(logs, first));
  }

  /** Begins a watch, which may take a while. */
  @FunctionalInterface
  private interface Begin {
    Watch begin() throws IOException, InterruptedException;
  }

  private MigrationRunner.Task task(String what, String preparing, Begin begin) {
    return new MigrationRunner.Task(
        what,
        preparing,
        false,
        (manager, _) -> start(manager, begin.begin()),
        _ -> introduce(),
        null);
  }

  private ExitCode putBack() throws InputException, InterruptedException {
    if (!places.isEmpty()) {
      throw new InputException("--put-back: leave it out, or leave out what is to be watched.");
    }
    AbandonedWatches abandoned = AbandonedWatches.ofUser();
    List<String> sentences = abandoned.putBack();
    sentences.forEach(terminal::result);
    if (sentences.isEmpty()) {
      terminal.result("There is nothing to put back: no watch was killed.");
    }
    return abandoned.sentences().isEmpty() ? ExitCode.COMPLETED : ExitCode.FAILED;
  }

  private List<QmpAddress> addresses() throws InputException, IOException {
    var addresses = new ArrayList<QmpAddress>();
    for (String place : places) {
      if (!place.startsWith(QMP)) {
        throw new InputException(
            "'%s' is not the address of a QEMU; write qmp: before it, such as qmp:/run/vm.qmp."
                .formatted(place));
      }
      addresses.add(InputException.checked(() -> QmpAddress.parse(place.substring(QMP.length()))));
    }
    return addresses;
  }

  private SessionPair start(SessionManager manager, Watch started) {
    started.sessions().sessions().forEach(manager::add);
    watch = started;
    return started.sessions();
  }

  private void introduce() {
    if (watch != null) {
      watch.introductions().forEach(terminal::message);
    }
  }
}
