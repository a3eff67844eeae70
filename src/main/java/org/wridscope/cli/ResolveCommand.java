// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.OtherEnd;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;
import org.wridscope.text.Legible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope resolve}: leads out of a migration whose outcome is not known. */
@Command(
    description = {
      "Leads out of a migration that ended undecided: its source keeps the guest paused, because"
          + " the destination may have started it. Asks the destination again, shows who said what,"
          + " and does what follows from an answer that the destination proves. Without one, look"
          + " at the destination yourself, and say with --other-end what you found: the guest then"
          + " runs here again, or is ended here. If what you say is wrong, both guests run, or"
          + " neither."
    },
    exitCodeList = {
      "  0:it is known which end has the guest",
      "  1:it is still not known, or what follows could not be done",
      "  2:bad input: an option or the address",
      "  3:with --qemu, its settings are as before, and it is still not known"
    })
final class ResolveCommand extends TerminalCommand {
  private static final Duration CONNECT = Duration.ofSeconds(10);

  /** The destination is asked for some seconds, and a QEMU is started or ended. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @Parameters(
      arity = "0..1",
      paramLabel = "ADDRESS",
      description =
          "Where the Wridscope of the source accepts QMP (its option --qmp): unix:PATH or"
              + " tcp:HOST:PORT")
  private @Nullable String address;

  @Option(
      names = GuestOptions.QEMU,
      paramLabel = "QMP-SOCKET",
      description =
          "Instead, if that Wridscope has ended, the QEMU whose guest it migrated, as with recover")
  private @Nullable String qemu;

  @Option(
      names = "--session",
      paramLabel = "NAME",
      description = "Its session. Default: the one that was started last")
  private @Nullable String session;

  @Option(
      names = RecoverCommand.OTHER_END,
      paramLabel = "STATE",
      description =
          "What you know of the destination: powered-off (its host is off) or guest-ended (its"
              + " guest does not run and never will): the guest runs here again; guest-runs: the"
              + " guest is ended here")
  private @Nullable String otherEnd;

  private final RecoverCommand recovery;

  ResolveCommand(Terminal terminal, RecoverCommand recovery) {
    super(terminal);
    this.recovery = recovery;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    if (address == null ? qemu == null : qemu != null) {
      throw new InputException(
          "Name either the address of a Wridscope, or a QEMU with %s QMP-SOCKET."
              .formatted(GuestOptions.QEMU));
    }
    if (qemu != null) {
      if (session != null) {
        throw new InputException(
            "--session: it has no effect with %s; leave it out.".formatted(GuestOptions.QEMU));
      }
      return recovery.recoverQemu(qemu, otherEnd);
    }
    String typed = Objects.requireNonNull(address);
    QmpAddress qmp = InputException.checked(() -> QmpAddress.parse(typed));
    var arguments = new JsonObject();
    if (session != null) {
      arguments.addProperty("session", session);
    }
    if (otherEnd != null) {
      arguments.addProperty("other-end", RecoverCommand.otherEnd(otherEnd).word());
    }
    JsonObject answer;
    try (Qmp wridscope = Qmp.connect(qmp, CONNECT)) {
      answer = wridscope.execute("x-wridscope-resolve", arguments, LIMIT).getAsJsonObject();
    } catch (QmpException e) {
      throw e.kind() == QmpException.Kind.REFUSED ? new IOException(Legible.of(e.desc()), e) : e;
    }
    for (JsonElement statement : answer.getAsJsonArray("said")) {
      JsonObject said = statement.getAsJsonObject();
      terminal.result(
          "%s  %s: %s".formatted(text(said, "when"), text(said, "who"), text(said, "what")));
    }
    if (!text(answer, "status").equals("postcopy-paused")) {
      return ExitCode.COMPLETED;
    }
    terminal.message(
        "It is still not known whether the guest runs at %s. Look there, and then say what you found with %s %s."
            .formatted(
                text(answer, "destination"), RecoverCommand.OTHER_END, OtherEnd.words(" or ")));
    return ExitCode.FAILED;
  }

  private static String text(JsonObject from, String member) {
    return Legible.of(from.get(member).getAsString());
  }
}
