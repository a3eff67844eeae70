// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Session;
import org.wridscope.control.attach.AttachTarget;
import org.wridscope.control.attach.Attachment;
import org.wridscope.control.attach.PausedCommand;
import org.wridscope.control.attach.RdmaProcess;
import org.wridscope.control.attach.Snapshot;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.recording.Recorder;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;
import org.wridscope.time.Time;
import org.wridscope.units.Parse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope attach}: shows the work requests of a program that is not ours. */
@Command(
    description = {
      "Shows what a program posts with ibv_post_send, ibv_wr_* and ibv_post_recv and polls with"
          + " ibv_poll_cq, without changing it, and records it.",
      "",
      "  wridscope attach                  # lists the processes that have queue pairs",
      "  wridscope attach 1234",
      "  wridscope attach --record lat.wrs -- ib_send_lat -d rxe0 192.0.2.1",
      "  wridscope attach --name server    # each process of this program",
      "  wridscope attach --device mlx5_0 --record all.wrs --for 30s",
      "  wridscope attach 1234 --snapshot  # why a process stands still: places no probe",
      "",
      "Prints 'attached' when every probe is in place. Ends with the program, after --for, or at"
          + " Ctrl-C; the program then continues. Needs root, and Linux 5.8 or"
          + " later. docs/attach.md tells what is seen and what is not."
    },
    exitCodeList = {
      "  0:the program ended, or was left after --for or with Ctrl-C",
      "  1:attaching was not possible, or ended too early",
      "  2:bad input"
    })
final class AttachCommand extends TerminalCommand {
  /** How long a signal waits for what is still to be read. */
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private static final Duration SLICE = Duration.ofMillis(200);

  private static final String FOR = "--for";
  private static final String SNAPSHOT = "--snapshot";
  private static final String JSON = "--json";

  @Parameters(
      arity = "0..*",
      paramLabel = "PID | -- COMMAND",
      description = "The number of a process, or a command to start after --")
  private List<String> words = List.of();

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "Every process that uses this RDMA device, at most 16 of them")
  private @Nullable String device;

  @Option(
      names = "--name",
      paramLabel = "PROGRAM",
      description =
          "Every process of this name, those that run and those that begin later, at most 16 of them")
  private @Nullable String program;

  @Option(
      names = FOR,
      paramLabel = "TIME",
      description =
          "Detach after this time, such as 30s, counted from 'attached'; without it at the end of the"
              + " program or at Ctrl-C")
  private @Nullable String time;

  @Option(
      names = RecordOption.NAME,
      paramLabel = "FILE",
      description =
          "Record what is seen, for 'wridscope replay' and 'wridscope export --table requests'")
  private @Nullable Path record;

  @Option(
      names = SNAPSHOT,
      description =
          "Places no probe: reads each queue pair of the process twice, a second apart, and what its"
              + " threads wait in, and tells which queue pairs move")
  private boolean snapshot;

  @Option(names = JSON, description = "Print the snapshot as JSON; only with " + SNAPSHOT)
  private boolean json;

  @Mixin private final WridsOption wrids = new WridsOption();

  @Mixin private final MetricsOptions metrics = new MetricsOptions();

  @Option(names = ForceOption.NAME, description = "Replace an existing file if it is a recording")
  private boolean force;

  /** What the sessions have posted and polled so far, by session. */
  private final Map<Session, Requests> requests = new LinkedHashMap<>();

  private final ConcurrentLinkedQueue<Session> found = new ConcurrentLinkedQueue<>();

  /** All sessions, in the order in which they were found. */
  private final List<Session> sessions = new CopyOnWriteArrayList<>();

  AttachCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    int targets = (words.isEmpty() ? 0 : 1) + (device == null ? 0 : 1) + (program == null ? 0 : 1);
    if (targets > 1) {
      throw new InputException(
          "Name a process, a command after --, --name or --device, and only one.");
    }
    if (program != null && program.isEmpty()) {
      throw new InputException("--name: the name of a program is missing.");
    }
    Duration limit = limit();
    if (json && !snapshot) {
      throw new InputException("--json: only --snapshot prints JSON.");
    }
    if (snapshot) {
      snapshot();
      return ExitCode.COMPLETED;
    }
    if (targets == 0) {
      list();
      return ExitCode.COMPLETED;
    }
    wrids.read();
    try (Interruption interruption = new Interruption(PATIENCE);
        MetricsOutput output = InputException.checked(this::output)) {
      output.show(() -> sessions);
      Recorder recorder = recorder();
      boolean whole;
      try (recorder) {
        whole = attach(limit, recorder, interruption);
      }
      print();
      if (recorder != null) {
        terminal.message(RecordingSummary.of(recorder));
      }
      output.write(sessions, terminal);
      ExitCode code = whole ? ExitCode.COMPLETED : ExitCode.FAILED;
      interruption.completed(code);
      output.stay(interruption::requested);
      return code;
    }
  }

  private MetricsOutput output() throws InputException, IOException {
    if (record != null) {
      metrics.refuseSame("the recording", record);
    }
    return metrics.open(terminal);
  }

  /** After which to detach; null for never. */
  private @Nullable Duration limit() throws InputException, IOException {
    if (time == null) {
      return null;
    }
    String given = time;
    Duration limit = InputException.checked(() -> Parse.duration(FOR, given));
    if (limit.isZero()) {
      throw new InputException(
          FOR + ": the time must be longer than 0; leave it out to attach until Ctrl-C.");
    }
    return limit;
  }

  private void snapshot() throws InputException, IOException, InterruptedException {
    if (!isProcess() || device != null || program != null) {
      throw new InputException("--snapshot: name a process by its number.");
    }
    if (record != null || time != null || metrics.isGiven() || wrids.isGiven()) {
      throw new InputException("--snapshot places no probe, so there is nothing to record.");
    }
    Snapshot taken = Snapshot.take(Long.parseLong(words.getFirst()));
    if (json) {
      terminal.result(ReportJson.GSON.toJson(taken));
    } else {
      SnapshotText.lines(taken).forEach(terminal::result);
    }
  }

  private boolean isProcess() {
    return words.size() == 1 && words.getFirst().matches("\\d{1,9}");
  }

  /** Prints the processes that one could attach to. */
  private void list() throws InputException, IOException, InterruptedException {
    if (record != null || time != null || metrics.isGiven()) {
      throw new InputException("Name a process, a command after --, --name or --device.");
    }
    List<RdmaProcess> processes = RdmaProcess.list();
    if (processes.isEmpty()) {
      terminal.result("No process has queue pairs, as far as this user may see.");
      return;
    }
    row("PID", "PROGRAM", "QUEUE PAIRS", "DEVICES");
    for (RdmaProcess process : processes) {
      row(
          Long.toString(process.pid()),
          process.command(),
          Format.count(process.queuePairs()),
          String.join(" ", process.devices()));
    }
  }

  private void row(String... columns) {
    terminal.result(String.format(Locale.ROOT, "%10s  %-16s  %11s  %s", (Object[]) columns));
  }

  private boolean attach(
      @Nullable Duration limit, @Nullable Recorder recorder, Interruption interruption)
      throws InputException, IOException, InterruptedException {
    if (program != null) {
      return attach(new AttachTarget.OfName(program), limit, null, recorder, interruption);
    }
    if (device != null) {
      return attach(target(device), limit, null, recorder, interruption);
    }
    if (isProcess()) {
      long pid = Long.parseLong(words.getFirst());
      return attach(new AttachTarget.OfProcess(pid, null), limit, null, recorder, interruption);
    }
    try (PausedCommand command = PausedCommand.start(words)) {
      var target = new AttachTarget.OfProcess(command.pid(), nameOf(words.getFirst()));
      return attach(target, limit, command, recorder, interruption);
    }
  }

  private static String nameOf(String command) {
    return command.substring(command.lastIndexOf('/') + 1);
  }

  private static AttachTarget target(String device) throws InputException, IOException {
    return InputException.checked(() -> new AttachTarget.OfDevice(device));
  }

  private @Nullable Recorder recorder() throws IOException {
    if (record == null) {
      return null;
    }
    Output output = Output.of(RecordOption.NAME, record, FileKind.RECORDING);
    return Recorder.begin(force ? output.replacing() : output);
  }

  /** Returns whether the attachment lasted until the program's end, the limit, or a signal. */
  private boolean attach(
      AttachTarget target,
      @Nullable Duration limit,
      @Nullable PausedCommand command,
      @Nullable Recorder recorder,
      Interruption interruption)
      throws IOException, InterruptedException {
    Attachment attachment =
        Attachment.start(
            target,
            session -> {
              wrids.apply(session);
              found.add(session);
              sessions.add(session);
              if (recorder != null) {
                recorder.add(session);
              }
            });
    try (attachment) {
      terminal.result("attached");
      if (command != null) {
        command.run();
      }
      awaitEnd(attachment::await, limit, interruption::requested, this::read);
    }
    read();
    terminal.message(attachment.cost().text());
    if (attachment.notShown() > 0) {
      terminal.message(
          ("%s posts and completions are of more than %d programs, or of processes that ended at once,"
                  + " and are not shown.")
              .formatted(Format.count(attachment.notShown()), Attachment.MAX_PROGRAMS));
    }
    if (attachment.late() > 0) {
      terminal.message(
          "%s posts and completions came too late to be put into the order of time."
              .formatted(Format.count(attachment.late())));
    }
    if (command != null && !command.isAlive()) {
      terminal.message("The command ended with status %d.".formatted(command.status()));
    }
    return requests.keySet().stream()
        .noneMatch(session -> session.status() == MigrationStatus.FAILED);
  }

  /** Something that ends. */
  interface Ending {
    /** Waits until it has ended, at most so long, and returns whether it has. */
    boolean await(Duration limit) throws InterruptedException;
  }

  /**
   * Waits until an attachment has ended, the time is over, or the user wants it to end.
   *
   * @param limit null for none
   * @param meanwhile done many times per minute
   */
  static void awaitEnd(
      Ending attachment, @Nullable Duration limit, BooleanSupplier wanted, Runnable meanwhile)
      throws InterruptedException {
    long begin = Time.nanos();
    while (!wanted.getAsBoolean()) {
      long left = limit == null ? Long.MAX_VALUE : limit.toNanos() - (Time.nanos() - begin);
      if (left <= 0 || attachment.await(Duration.ofNanos(Math.min(left, SLICE.toNanos())))) {
        return;
      }
      meanwhile.run();
    }
  }

  /** Reads what the programs did meanwhile, before their logs give it up. */
  private void read() {
    Session session;
    while ((session = found.poll()) != null) {
      requests.put(session, new Requests(session.telemetry()));
    }
    requests.values().forEach(Requests::readAll);
  }

  private void print() {
    requests.forEach((session, of) -> {
      terminal.result("%s: %s".formatted(session.name(), session.outcome()));
      terminal.result("  %-14s %s".formatted("seen", rate(session.telemetry().log())));
      ProgramSummary.lines(of).forEach(terminal::result);
      DeviceSummary.lines(List.of(of)).forEach(terminal::result);
    });
    if (requests.isEmpty()) {
      terminal.result("No such program posted or polled meanwhile.");
    }
  }

  /** How many events there were, and how fast they came. */
  private static String rate(EventLog log) {
    String count = Format.counted(log.size(), "event");
    List<Event> first = log.read(log.oldest(), 1);
    List<Event> last = log.read(log.size() - 1, 1);
    long nanos =
        first.isEmpty() || last.isEmpty() ? 0 : last.getFirst().nanos() - first.getFirst().nanos();
    long kept = log.size() - log.oldest();
    return nanos <= 0
        ? count
        : "%s, %s per second".formatted(count, Format.count(Math.round(kept / (nanos / 1e9))));
  }
}
