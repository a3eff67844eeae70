// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.WholeFile;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.recording.QemuTraceText;
import org.wridscope.recording.RecordedSession;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Role;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope trace}: the events of a recording under the names of QEMU's trace events. */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Writes the events of a recording as the lines that QEMU 7.2 would trace for them"
          + " (qemu_rdma_post_send_control, qemu_rdma_poll_write and so on).",
      "",
      "To compare with a QEMU, bring its log into the same form, for a log is a recording, too:",
      "  wridscope trace --comparable ours.wrs --end source > ours.txt",
      "  wridscope trace --comparable qemu.source.log > theirs.txt",
      "  diff ours.txt theirs.txt"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"  0:written", "  1:the file cannot be understood", "  2:bad input"})
final class TraceCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "FILE", description = "A recording, or a trace log of QEMU")
  private Path file = Path.of("");

  @Option(
      names = "--end",
      paramLabel = "END",
      description = "source or destination; needed when the file has both")
  private @Nullable String end;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write to a file instead of standard output")
  private @Nullable Path out;

  @Option(
      names = OutputOptions.FORCE,
      description = "Replace the file if there is one, and it is a trace log")
  private boolean force;

  @Option(names = "--no-times", description = "Leave out thread and time before each line")
  private boolean noTimes;

  @Option(
      names = "--comparable",
      description =
          "Write what differs from run to run so that it does not: no times, addresses counted from"
              + " their RAM block, no keys")
  private boolean comparable;

  @Option(
      names = "--all",
      description = "Also write events that QEMU has no trace event for, as wridscope_...")
  private boolean all;

  TraceCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (Recording recording = Recording.open("FILE", file)) {
      recording.notes().forEach(terminal::message);
      write(choose(recording.sessions()));
      return ExitCode.COMPLETED.number();
    } catch (OutputException e) {
      terminal.message("wridscope: " + InputException.of(e).getMessage());
      return ExitCode.USAGE.number();
    } catch (InputException | IllegalArgumentException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.USAGE.number();
    } catch (IOException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.FAILED.number();
    }
  }

  private RecordedSession choose(List<RecordedSession> sessions) throws InputException {
    if (end == null) {
      if (sessions.size() > 1) {
        throw new InputException(
            "FILE: %s has %d sessions; say which with --end source or --end destination."
                .formatted(file, sessions.size()));
      }
      return sessions.getFirst();
    }
    Role role =
        switch (end.toLowerCase(Locale.ROOT)) {
          case "source" -> Role.SOURCE;
          case "destination" -> Role.DESTINATION;
          default ->
              throw new InputException(
                  "--end: '%s' is neither source nor destination.".formatted(end));
        };
    return sessions.stream()
        .filter(session -> session.role() == role)
        .findFirst()
        .orElseThrow(() -> new InputException("--end: %s has no %s in it.".formatted(file, end)));
  }

  private void write(RecordedSession session) throws IOException {
    var form = new QemuTraceText.Form(!noTimes, comparable, all);
    if (out == null) {
      var writer =
          new BufferedWriter(new OutputStreamWriter(terminal.out(), StandardCharsets.UTF_8));
      write(session, form, writer);
      return;
    }
    Output wanted = Output.of("--out", out, FileKind.TRACE);
    try (WholeFile target = WholeFile.create(force ? wanted.replacing() : wanted)) {
      target.write(
          stream -> write(session, form, new OutputStreamWriter(stream, StandardCharsets.UTF_8)));
      String displaced = target.displaced();
      if (displaced != null) {
        terminal.message(displaced);
      }
    }
  }

  private static void write(RecordedSession session, QemuTraceText.Form form, Writer writer)
      throws IOException {
    QemuTraceText.write(session, form, line -> writer.append(line).append('\n'));
    writer.flush();
  }
}
