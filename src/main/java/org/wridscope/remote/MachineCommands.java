// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import org.wridscope.control.Session;
import org.wridscope.qmp.Arguments;
import org.wridscope.qmp.Command;
import org.wridscope.qmp.CommandException;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** QEMU's commands about the guest. */
final class MachineCommands {
  private final PresentSession present;
  private final GuestControl guest;

  MachineCommands(PresentSession present, GuestControl guest) {
    this.present = present;
    this.guest = guest;
  }

  Map<String, Command> queries() {
    return Map.of("query-status", this::status);
  }

  Map<String, Command> actions() {
    return Map.of("stop", this::stop, "cont", this::proceed);
  }

  private JsonElement stop(Arguments arguments) throws CommandException {
    arguments.requireNoMore();
    return guest.stop();
  }

  private JsonElement proceed(Arguments arguments) throws CommandException {
    arguments.requireNoMore();
    return guest.proceed();
  }

  private JsonElement status(Arguments arguments) throws CommandException {
    arguments.requireNoMore();
    String state = present.now().map(MachineCommands::runState).orElse("prelaunch");
    boolean running = state.equals("running");
    var answer = new JsonObject();
    answer.addProperty("running", running);
    answer.addProperty("singlestep", false);
    answer.addProperty("status", state);
    return answer;
  }

  /** QEMU's {@code RunState}. */
  private static String runState(Session session) {
    MigrationStatus status = session.status();
    if (session.guestRunning()) {
      return "running";
    }
    if (session.guestStopped()) {
      return "paused";
    }
    if (session.role() == Role.DESTINATION && !status.isEnd()) {
      return "inmigrate";
    }
    return switch (status) {
      case DEVICE, PRE_SWITCHOVER -> "finish-migrate";
      case COMPLETED -> session.role() == Role.SOURCE ? "postmigrate" : "paused";
      case NONE, SETUP, ACTIVE, CANCELLING, FAILING, FAILED, CANCELLED, UNDECIDED -> "paused";
    };
  }
}
