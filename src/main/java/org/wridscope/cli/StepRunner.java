// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioWriter;
import org.wridscope.control.schedule.ChoiceTeller;
import org.wridscope.control.schedule.Standing;
import org.wridscope.control.schedule.Stepping;
import org.wridscope.control.schedule.Until;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.UserFiles;
import org.wridscope.files.WholeFile;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.units.Parse;

/**
 * Runs a scenario choice by choice, as the user says on standard input. Ctrl-C ends the process:
 * nothing of the run is outside its memory.
 */
final class StepRunner {
  /** How many requests of a queue are named. */
  private static final int MOST_NAMED = 3;

  private static final Pattern UNTIL =
      Pattern.compile("(.*?)(?:\\s+without\\s+(\\S+)|\\s+seed\\s+(\\S+))?");

  private final Supplier<? extends SessionManager> managers;
  private final Terminal terminal;
  private final FreeMemory freeMemory;

  StepRunner(
      Supplier<? extends SessionManager> managers, Terminal terminal, FreeMemory freeMemory) {
    this.managers = managers;
    this.terminal = terminal;
    this.freeMemory = freeMemory;
  }

  /**
   * Runs a scenario's first run. When standard input ends, it goes on to the end in the scenario's
   * order.
   *
   * @return 0 if it ended as expected; {@link ExitCode#INTERRUPTED} if the user left it before
   */
  ExitCode run(Scenario scenario) throws InputException, IOException, InterruptedException {
    freeMemory.require("guest.ram", scenario.ramBytes());
    terminal.message(scenario.title());
    terminal.message(
        "Each line takes an option by its number; \"?\" lists what else can be typed.");
    try (var stepping = new Stepping(managers, scenario, () -> Stepping.Onlooker.NONE)) {
      return run(stepping);
    }
  }

  private ExitCode run(Stepping stepping) throws IOException, InterruptedException {
    Standing shown = null;
    while (true) {
      Standing standing = stepping.await();
      if (!standing.equals(shown)) {
        show(standing);
        shown = standing;
      }
      terminal.prompt("> ");
      String line = terminal.readLine();
      if (standing instanceof Standing.AtEnd end
          && (line == null || line.isBlank() || isQuit(line))) {
        return status(end);
      }
      if (line != null && isQuit(line)) {
        return ExitCode.INTERRUPTED;
      }
      try {
        obey(line == null ? "until end" : line.strip(), standing, stepping);
      } catch (IllegalArgumentException | IllegalStateException e) {
        terminal.problem(String.valueOf(e.getMessage()));
      }
    }
  }

  private static boolean isQuit(String line) {
    return line.strip().equals("quit");
  }

  private void obey(String line, Standing standing, Stepping stepping) throws InterruptedException {
    String word = line.replaceAll("\\s.*", "");
    String rest = line.substring(word.length()).strip();
    switch (word) {
      case "" -> stepping.take(standing instanceof Standing.AtChoice at ? at.proposed() : 0);
      case "until" -> goOn(rest, stepping);
      case "back" ->
          stepping.back(
              rest.isEmpty() ? Math.max(0, standing.number() - 1) : Parse.number("back", rest));
      case "write" -> write(rest, stepping);
      case "show" -> show(standing);
      case "?" -> {
        if (rest.isEmpty()) {
          help();
        } else {
          explain(standing, rest);
        }
      }
      default -> stepping.take((int) Parse.number("option", word, 0, Integer.MAX_VALUE));
    }
  }

  private static void goOn(String condition, Stepping stepping) {
    Matcher parts = UNTIL.matcher(condition);
    if (!parts.matches()) {
      throw new IllegalArgumentException("until: a condition is missing; \"?\" lists them.");
    }
    Until until = Until.parse(parts.group(1));
    if (parts.group(2) != null) {
      stepping.goOnWithout(
          (int) Parse.number("without", parts.group(2), 0, Integer.MAX_VALUE), until);
    } else if (parts.group(3) != null) {
      stepping.goOnUntil(until, Parse.number("seed", parts.group(3)));
    } else {
      stepping.goOnUntil(until);
    }
  }

  /** Writes the scenario with the choices made so far. */
  private void write(String name, Stepping stepping) throws InterruptedException {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("write: the name of a file is missing.");
    }
    Output output = Output.of("write", UserFiles.path("write", name), FileKind.SCENARIO);
    Scenario scenario = stepping.withSchedule();
    try (var file = WholeFile.create(output)) {
      byte[] text =
          ScenarioWriter.write(scenario, ChoiceTeller.tell(managers, scenario)).getBytes(UTF_8);
      file.write(out -> out.write(text));
      terminal.message("wrote " + file.file());
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  // ---------------------------------------------------------------------------------- what it says

  private void help() {
    terminal.result(
        """
        NUMBER                take this option
        (an empty line)       take the option marked with >, as the scenario's order does
        until CONDITION       go on in that order until a condition holds
        until CONDITION without NUMBER
                              ... and do not take this option as long as another one can be
        until CONDITION seed NUMBER
                              ... in the random order of a seed
        back [NUMBER]         go back by one choice, or to this one
        write FILE            write the scenario with the choices made so far
        ? NUMBER              the rule that allows an option
        show                  show the choice again
        quit                  leave the run

        Conditions:\
        """);
    Until.FORMS.forEach(terminal::result);
  }

  private void explain(Standing standing, String number) {
    if (!(standing instanceof Standing.AtChoice at)) {
      throw new IllegalArgumentException("the run has ended: there is nothing to choose");
    }
    List<Standing.Possibility> all = at.possibilities();
    terminal.result(all.get((int) Parse.number("?", number, 0, all.size() - 1)).rule());
  }

  private void show(Standing standing) {
    switch (standing) {
      case Standing.AtChoice at -> show(at);
      case Standing.AtEnd end -> show(end);
    }
  }

  private void show(Standing.AtChoice at) {
    terminal.result("choice %d at %s".formatted(at.number(), Format.fineDuration(at.nanos())));
    at.ends().forEach(end -> terminal.result("  " + text(end)));
    List<Standing.Possibility> all = at.possibilities();
    int width = all.stream().mapToInt(option -> option.who().length()).max().orElse(0);
    for (int i = 0; i < all.size(); i++) {
      Standing.Possibility option = all.get(i);
      terminal.result(
          ("%s %2d  %-" + width + "s  %s%s")
              .formatted(
                  i == at.proposed() ? ">" : " ",
                  i,
                  option.who(),
                  option.what(),
                  option.rare() ? " (rare)" : ""));
    }
  }

  private static String text(Standing.End end) {
    Wait waits = end.waitingFor();
    return "%-11s  %s%s%s%s%s"
        .formatted(
            end.role().text(),
            end.status().qemuName(),
            waits == null ? "" : ", waits for " + waits.text(),
            named("posted", end.posted()),
            named("not acknowledged", end.unacknowledged()),
            named("to poll", end.completed()));
  }

  private static String named(String what, List<String> requests) {
    if (requests.isEmpty()) {
      return "";
    }
    int named = Math.min(MOST_NAMED, requests.size());
    String more = requests.size() == named ? "" : " and %d more".formatted(requests.size() - named);
    return "; %s: %s%s".formatted(what, String.join(", ", requests.subList(0, named)), more);
  }

  private void show(Standing.AtEnd end) {
    terminal.result(
        "the run has ended after %d choices, at %s"
            .formatted(end.number(), Format.fineDuration(end.nanos())));
    terminal.result("source " + ScenarioRunner.ending(end.lab().source()));
    terminal.result("destination " + ScenarioRunner.ending(end.lab().destination()));
    end.verdict().problems().forEach(problem -> terminal.result(Terminal.Colour.BAD, problem));
  }

  private ExitCode status(Standing.AtEnd end) {
    boolean good = end.verdict().good();
    terminal.result(
        good ? Terminal.Colour.GOOD : Terminal.Colour.BAD,
        good ? "as expected" : "not as expected");
    return good ? ExitCode.COMPLETED : ExitCode.FAILED;
  }
}
