// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.Machine;
import org.wridscope.control.doctor.ThisMachine;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.libvirt.SystemLibvirt;
import org.wridscope.metrics.MetricsServer;
import org.wridscope.units.Parse;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * {@code wridscope}: opens the window, or runs the same first migration in the terminal if there is
 * no display.
 */
@Command(
    name = "wridscope",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Monitors and controls live migration over RDMA.",
      "",
      "Without a command, opens the window, and the FILEs in it; if there is no display, runs the"
          + " same first migration in the terminal, as the command lab does."
    })
public final class WridscopeCommand implements Callable<Integer> {
  private static final String FILE = "FILE";

  /** It tells a shell the names of all. */
  private static final String COMPLETION = "completion";

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      arity = "0..*",
      paramLabel = FILE,
      description =
          "Open these in the window: recordings, captured packets (.pcap, .pcapng), trace logs of"
              + " QEMU, logs of your own (docs/import.md), scenarios, which wait there to be run")
  private List<Path> files = List.of();

  @Mixin private final MetricsOption metrics = new MetricsOption();

  @Mixin private final QmpOption qmp = new QmpOption();

  private final Supplier<SessionManager> managers;
  private final WindowOpener window;
  private final Map<String, String> environment;
  private final Terminal terminal;
  private final FreeMemory freeMemory;
  private final Machine machine;
  private final MigrationRunner runner;

  private WridscopeCommand(
      Supplier<SessionManager> managers,
      WindowOpener window,
      Map<String, String> environment,
      Terminal terminal,
      FreeMemory freeMemory,
      Machine machine) {
    this.managers = managers;
    this.window = window;
    this.environment = environment;
    this.terminal = terminal;
    this.freeMemory = freeMemory;
    this.machine = machine;
    runner = new MigrationRunner(managers, terminal);
  }

  /**
   * Runs a command line.
   *
   * @param managers opens the session manager; whoever opens it closes it
   * @param window opens the window
   * @return the status with which the process exits, one of {@link ExitCode}
   */
  public static int run(String[] args, Supplier<SessionManager> managers, WindowOpener window) {
    Map<String, String> environment = System.getenv();
    return run(
        args,
        managers,
        window,
        environment,
        Terminal.ofProcess(environment),
        FreeMemory.HERE,
        new ThisMachine());
  }

  static int run(
      String[] args,
      Supplier<SessionManager> managers,
      WindowOpener window,
      Map<String, String> environment,
      Terminal terminal,
      FreeMemory freeMemory,
      Machine machine) {
    String unnameable = Names.unnameable(args);
    if (unnameable != null) {
      terminal.problem(unnameable);
      return ExitCode.USAGE.number();
    }
    int status = execute(args, managers, window, environment, terminal, freeMemory, machine);
    String lost = terminal.lost();
    if (lost != null) {
      terminal.problem(lost);
      return status == ExitCode.COMPLETED.number() ? ExitCode.OUTPUT_LOST.number() : status;
    }
    return status;
  }

  private static int execute(
      String[] args,
      Supplier<SessionManager> managers,
      WindowOpener window,
      Map<String, String> environment,
      Terminal terminal,
      FreeMemory freeMemory,
      Machine machine) {
    if (args.length == 1 && Version.OPTIONS.contains(args[0])) {
      // Without the options of all commands, which take most of the time of a start.
      terminal.out().println(Version.text());
      return CommandLine.ExitCode.OK;
    }
    var top = new WridscopeCommand(managers, window, environment, terminal, freeMemory, machine);
    if (Stream.of(args).allMatch(WridscopeCommand::isFile)) {
      return top.show(Stream.of(args).map(Path::of).toList());
    }
    String[] words = LabWords.ofToday(args);
    return top.commandLine(words).execute(words);
  }

  /** Whether an argument can be neither a command nor an option. */
  private static boolean isFile(String argument) {
    return argument.matches("[^-@].*[./].*|[./].*");
  }

  /**
   * The same as executing a command line with only files, or nothing, but the window opens sooner.
   */
  private int show(List<Path> named) {
    files = named;
    try {
      return call();
    } catch (InterruptedException | RuntimeException e) {
      e.printStackTrace(terminal.err());
      return ExitCode.INTERNAL_ERROR.number();
    }
  }

  /**
   * What makes each command, by its name. The options of all take 0.3 s of a processor more than
   * those of one, so that only the named one is made.
   */
  private Map<String, Supplier<Object>> commands() {
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put(LabWords.LAB, this::lab);
    commands.put("source", () -> new SourceCommand(runner, terminal, freeMemory));
    commands.put("destination", () -> new DestinationCommand(runner, terminal, freeMemory));
    commands.put("watch", () -> new WatchCommand(runner, terminal));
    commands.put("fleet", () -> new FleetCommand(new SystemLibvirt(), terminal));
    commands.put(
        "migrate-domain", () -> new MigrateDomainCommand(runner, new SystemLibvirt(), terminal));
    commands.put("recover", () -> new RecoverCommand(terminal));
    commands.put("resolve", () -> new ResolveCommand(terminal, new RecoverCommand(terminal)));
    commands.put("devices", () -> new DevicesCommand(managers, terminal));
    commands.put("doctor", () -> new DoctorCommand(machine, terminal));
    commands.put("bench", () -> new BenchCommand(managers, environment, terminal, freeMemory));
    commands.put("attach", () -> new AttachCommand(terminal));
    commands.put("explain", () -> explain(terminal));
    commands.put("replay", () -> new ReplayCommand(terminal));
    commands.put("trace", () -> new TraceCommand(terminal));
    commands.put("export", () -> new ExportCommand(terminal));
    commands.put(COMPLETION, () -> new CompletionCommand(terminal));
    return commands;
  }

  /** A lab with one of its commands; without one, it runs what {@code lab run} does. */
  private CommandLine lab() {
    var scenarios = new ScenarioRunner(managers, terminal, freeMemory);
    var lab = new CommandLine(new LabCommand(runner, freeMemory, scenarios, terminal));
    lab.addSubcommand("run", new LabCommand(runner, freeMemory, scenarios, terminal));
    lab.addSubcommand("list", new LabListCommand(scenarios, terminal));
    lab.addSubcommand(
        "explore", new LabExploreCommand(new ExplorationRunner(managers, terminal), terminal));
    lab.addSubcommand(
        "exhaustive", new LabExhaustiveCommand(new ExhaustionRunner(managers, terminal), terminal));
    lab.addSubcommand(
        "step", new LabStepCommand(new StepRunner(managers, terminal, freeMemory), terminal));
    lab.addSubcommand(
        "qemu",
        new LabQemuCommand(new QemuLabRunner(runner, environment, terminal), terminal, freeMemory));
    lab.addSubcommand("soak", new LabSoakCommand(new SoakRunner(managers, terminal), terminal));
    return lab;
  }

  /** With the command that the arguments begin with, or with all. */
  private CommandLine commandLine(String... args) {
    Map<String, Supplier<Object>> commands = commands();
    if (args.length > 0 && commands.containsKey(args[0]) && !args[0].equals(COMPLETION)) {
      commands.keySet().retainAll(List.of(args[0]));
    }
    var commandLine = new CommandLine(this);
    commands.forEach((name, command) -> commandLine.addSubcommand(name, command.get()));
    commandLine
        .setOut(writer(terminal.out()))
        .setErr(writer(terminal.err()))
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(terminal.outColoured() ? Ansi.ON : Ansi.OFF))
        .setExecutionStrategy(WridscopeCommand::execute)
        .setParameterExceptionHandler((e, _) -> badUsage(e, terminal));
    describeExitCodes(commandLine);
    return commandLine;
  }

  /** Executes the named command; an option of another one before its name would have no effect. */
  private static int execute(ParseResult parsed) {
    for (ParseResult each = parsed; each.hasSubcommand(); each = each.subcommand()) {
      String misplaced =
          Stream.concat(
                  each.matchedOptions().stream().map(OptionSpec::longestName),
                  each.matchedPositionals().stream()
                      .map(files -> files.originalStringValues().getFirst()))
              .findFirst()
              .orElse(null);
      if (misplaced != null) {
        throw new ParameterException(
            each.commandSpec().commandLine(),
            "%s: write it after '%s'."
                .formatted(misplaced, each.subcommand().commandSpec().name()));
      }
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      return open();
    } catch (InputException | IOException e) {
      terminal.problem(String.valueOf(e.getMessage()));
      return ExitCode.USAGE.number();
    }
  }

  private Integer open() throws InputException, IOException, InterruptedException {
    requireReadable();
    if (!Display.isNamed(environment)) {
      return inTerminal("there is no display (DISPLAY is not set)");
    }
    try (Interruption interruption = new Interruption(Duration.ZERO);
        MetricsServer server = metrics.start(terminal);
        SessionManager manager = managers.get();
        QmpHost host = new QmpHost(qmp, manager, new WindowStart(manager), terminal)) {
      interruption.onRequest(() -> end(manager, host));
      host.onQuit(() -> Thread.ofPlatform().name("quit").start(() -> System.exit(0)));
      if (server != null) {
        server.show(manager::sessions);
      }
      window.open(manager, files);
      return ExitCode.COMPLETED.number();
    } catch (RuntimeException | LinkageError e) {
      String lacking = Display.lacking(e);
      if (lacking != null) {
        throw new InputException(lacking);
      }
      if (!Display.isMissing(e)) {
        throw e;
      }
    }
    return inTerminal(Display.missing(environment));
  }

  private void requireReadable() throws InputException {
    for (Path file : files) {
      if (Files.isReadable(file)) {
        continue;
      }
      String name = file.toString();
      if (name.matches("[a-z]+")) {
        requireNoCommandMeant(name);
      }
      throw new InputException(
          "%s: %s cannot be read; name a recording, captured packets, a log, a scenario or a command (--help)."
              .formatted(FILE, Parse.quoted(name)));
    }
  }

  private void requireNoCommandMeant(String name) {
    List<String> meant = new UnmatchedArgumentException(command(), List.of(name)).getSuggestions();
    if (!meant.isEmpty()) {
      throw new ParameterException(
          command(),
          "%s is neither a command nor a file; did you mean %s?"
              .formatted(Parse.quoted(name), String.join(" or ", meant)));
    }
  }

  private CommandLine command() {
    if (spec == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return spec.commandLine();
  }

  /**
   * The reaction to a signal: the same as closing the window, without a question. The window does
   * not return before the process ends.
   */
  private void end(SessionManager manager, QmpHost host) {
    manager.sessions().forEach(Session::leave);
    manager.sessions().stream()
        .filter(Session::mustFinish)
        .map(Unfinished::sentence)
        .forEach(terminal::message);
    manager.close();
    host.close();
  }

  private int inTerminal(String why) throws InputException {
    if (!files.isEmpty()) {
      Path first = files.getFirst();
      throw new InputException(
          (Scenarios.isMeant(first)
                  ? "%s: %s; 'wridscope lab %s' runs it here."
                  : "%s: %s; 'wridscope replay %s' summarizes it here.")
              .formatted(FILE, why, first));
    }
    if (metrics.isGiven()) {
      throw new InputException(
          "%s: %s; write '%s' after 'wridscope lab', or another command that migrates."
              .formatted(MetricsOption.NAME, why, MetricsOption.NAME));
    }
    if (qmp.isGiven()) {
      throw new InputException(
          "%s: %s; write '%s' after 'wridscope lab', or another command that migrates."
              .formatted(QmpOption.NAME, why, QmpOption.NAME));
    }
    terminal.problem(
        "%s, so the migration runs in the terminal, as with 'wridscope lab'.".formatted(why));
    return commandLine("lab").execute("lab");
  }

  private static int badUsage(ParameterException e, Terminal terminal) {
    CommandLine command = e.getCommandLine();
    terminal.problem(sentence(e));
    terminal.message("Try '%s --help'.".formatted(command.getCommandSpec().qualifiedName()));
    return ExitCode.USAGE.number();
  }

  /** picocli's message, and what the user probably meant. */
  private static String sentence(ParameterException e) {
    String message = String.valueOf(e.getMessage());
    if (message.contains("'--rdma-pin-all")) {
      return message + "; that is virsh's name, the option is --pin-all here";
    }
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      String owner = owner(unmatched);
      if (owner != null) {
        message += "; " + owner;
      } else if (!unmatched.getSuggestions().isEmpty()) {
        message += "; did you mean " + String.join(" or ", unmatched.getSuggestions()) + "?";
      }
    }
    return message;
  }

  /** Says which other command of the same group has an unknown option; null if none has. */
  private static @Nullable String owner(UnmatchedArgumentException unmatched) {
    String option = unmatched.getUnmatched().getFirst().replaceFirst("=.*", "");
    CommandLine here = unmatched.getCommandLine();
    CommandLine group = here.getSubcommands().isEmpty() ? here.getParent() : here;
    // The top's commands are no group.
    if (group == null || group.getParent() == null) {
      return null;
    }
    return group.getSubcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(spec -> spec.findOption(option) != null)
        .map(spec ->
            "%s is an option of '%s %s'".formatted(option, group.getCommandName(), spec.name()))
        .findFirst()
        .orElse(null);
  }

  /** The command explain, for which a negative errno is a value and no option. */
  private static CommandLine explain(Terminal terminal) {
    return new CommandLine(new ExplainCommand(terminal))
        .setUnmatchedOptionsArePositionalParams(true);
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, stream.charset());
  }

  private static void describeExitCodes(CommandLine commandLine) {
    UsageMessageSpec usage = commandLine.getCommandSpec().usageMessage();
    usage.exitCodeListHeading("%nExit status:%n");
    if (usage.exitCodeList().isEmpty()) {
      usage.exitCodeList(ExitCode.descriptions());
    }
    commandLine.getCommandSpec().exitCodeOnExecutionException(ExitCode.INTERNAL_ERROR.number());
    commandLine.getSubcommands().values().forEach(WridscopeCommand::describeExitCodes);
  }
}
