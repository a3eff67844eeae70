// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.doctor.CheckResult;
import org.wridscope.control.doctor.Doctor;
import org.wridscope.control.doctor.Level;
import org.wridscope.control.doctor.Machine;
import org.wridscope.control.doctor.Question;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.GuestSetting;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope doctor}: checks the requirements for migrations over RDMA. */
@Command(
    description =
        "Checks that this machine meets the requirements for migrations over RDMA, and says how to"
            + " fix what is missing. Changes nothing. The software device has no requirements.",
    exitCodeList = {
      "  0:no check failed",
      "  1:a check failed; migrations over RDMA will not work",
      "  2:bad input: an option or the URI"
    })
final class DoctorCommand extends TerminalCommand {
  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  private final Machine machine;

  @Parameters(
      arity = "0..1",
      paramLabel = "rdma:HOST:PORT",
      description = "An address of this machine or of a destination, to be checked, too")
  private @Nullable String uri;

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      description = "RAM of the guest to migrate. Default: ${DEFAULT-VALUE}")
  private String ram = GuestSetting.RAM.text(Defaults.SESSION);

  @Option(names = "--json", description = "Print the results as JSON")
  private boolean json;

  DoctorCommand(Machine machine, Terminal terminal) {
    super(terminal);
    this.machine = machine;
  }

  @Override
  ExitCode execute() throws InputException, IOException {
    Question question =
        InputException.checked(() ->
            new Question(
                GuestSetting.RAM.parse("--ram", ram),
                uri == null ? null : MigrationUri.parse(uri)));
    List<CheckResult> results = Doctor.examine(machine, question);
    if (json) {
      terminal.result(GSON.toJson(results));
    } else {
      results.forEach(result -> CheckText.show(terminal, "", result));
    }
    return Doctor.worst(results) == Level.FAILURE ? ExitCode.FAILED : ExitCode.COMPLETED;
  }
}
