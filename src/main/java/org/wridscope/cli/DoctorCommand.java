// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.Parse;
import org.wridscope.control.doctor.Doctor;
import org.wridscope.control.doctor.Finding;
import org.wridscope.control.doctor.Level;
import org.wridscope.control.doctor.Machine;
import org.wridscope.control.doctor.Question;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope doctor}: what keeps this machine from migrating over RDMA. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description =
        "Checks what a migration over RDMA needs of this machine, and says how to mend what is"
            + " missing. Changes nothing. The software device needs none of it.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "  0:nothing fails",
      "  1:something fails, and RDMA will not work",
      "  2:bad input: an option or the URI"
    })
final class DoctorCommand implements Callable<Integer> {
  private static final int INDENT = 9;
  private static final int WIDTH = 80;

  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  private final Machine machine;
  private final Terminal terminal;

  @Parameters(
      arity = "0..1",
      paramLabel = "rdma:HOST:PORT",
      description = "An address to check, of this machine or of a destination")
  private @Nullable String uri;

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      defaultValue = Defaults.RAM,
      description = "RAM of the guest that is to be migrated. Default: ${DEFAULT-VALUE}")
  private String ram = Defaults.RAM;

  @Option(names = "--json", description = "Print the findings as JSON")
  private boolean json;

  DoctorCommand(Machine machine, Terminal terminal) {
    this.machine = machine;
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Question question;
    try {
      question =
          new Question(Parse.ram("--ram", ram), uri == null ? null : MigrationUri.parse(uri));
    } catch (IllegalArgumentException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.USAGE.number();
    }
    List<Finding> findings = Doctor.examine(machine, question);
    if (json) {
      terminal.result(GSON.toJson(findings));
    } else {
      findings.forEach(this::show);
    }
    return Doctor.worst(findings) == Level.FAILURE
        ? ExitCode.FAILED.number()
        : ExitCode.COMPLETED.number();
  }

  private void show(Finding finding) {
    String level = finding.level().name().toLowerCase(Locale.ROOT);
    List<String> lines = Wrap.lines(finding.check() + ": " + finding.sentence(), WIDTH - INDENT);
    terminal.result(colour(finding.level()), "%-8s".formatted(level) + " " + lines.getFirst());
    lines.stream().skip(1).forEach(line -> terminal.result(" ".repeat(INDENT) + line));
    if (!finding.remedy().isEmpty()) {
      Wrap.lines("=> " + finding.remedy(), WIDTH - INDENT)
          .forEach(line -> terminal.result(" ".repeat(INDENT) + line));
    }
    if (!finding.command().isEmpty()) {
      // Not wrapped, so that it can be copied whole.
      terminal.result(" ".repeat(INDENT) + "   " + finding.command());
    }
  }

  private static Terminal.Colour colour(Level level) {
    return switch (level) {
      case OK -> Terminal.Colour.GOOD;
      case NOTE -> Terminal.Colour.BAR;
      case WARNING -> Terminal.Colour.DOUBTFUL;
      case FAILURE -> Terminal.Colour.BAD;
    };
  }
}
