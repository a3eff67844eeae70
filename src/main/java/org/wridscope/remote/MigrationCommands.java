// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.wridscope.control.Session;
import org.wridscope.qmp.Arguments;
import org.wridscope.qmp.Command;
import org.wridscope.qmp.CommandException;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;

/** QEMU's commands about a migration. */
final class MigrationCommands {
  private static final String BANDWIDTH = MigrationSetting.BANDWIDTH.qmp();
  private static final String DOWNTIME = MigrationSetting.DOWNTIME_LIMIT.qmp();

  private final PresentSession present;
  private final Capabilities capabilities;
  private final Plan plan;
  private final Launcher launcher;

  MigrationCommands(
      PresentSession present, Capabilities capabilities, Plan plan, Launcher launcher) {
    this.present = present;
    this.capabilities = capabilities;
    this.plan = plan;
    this.launcher = launcher;
  }

  Map<String, Command> queries() {
    return Map.of(
        "query-migrate", this::query,
        "query-migrate-parameters", this::parameters,
        "query-migrate-capabilities", capabilities::list);
  }

  Map<String, Command> actions() {
    return Map.of(
        "migrate", this::migrate,
        "migrate-incoming", this::migrateIncoming,
        "migrate_cancel", this::cancel,
        "migrate-continue", this::proceed,
        "migrate-set-parameters", this::setParameters,
        "migrate-set-capabilities", capabilities::set);
  }

  private JsonElement query(Arguments arguments) throws CommandException {
    arguments.requireNoMore();
    return present.now().map(MigrationAnswer::of).orElseGet(Json::nothing);
  }

  private JsonElement parameters(Arguments arguments) throws CommandException {
    arguments.requireNoMore();
    var answer = new JsonObject();
    Optional<Metrics> metrics = present.now().map(session -> session.telemetry().metrics());
    if (metrics.isPresent()) {
      Metrics limits = metrics.get();
      answer.addProperty(BANDWIDTH, limits.get(Metric.BANDWIDTH_LIMIT));
      answer.addProperty(
          DOWNTIME, TimeUnit.NANOSECONDS.toMillis(limits.get(Metric.DOWNTIME_LIMIT)));
    } else {
      Long bandwidth = plan.get(MigrationSetting.BANDWIDTH);
      if (bandwidth != null) {
        answer.addProperty(BANDWIDTH, bandwidth);
      }
      Duration downtime = plan.get(MigrationSetting.DOWNTIME_LIMIT);
      if (downtime != null) {
        answer.addProperty(DOWNTIME, downtime.toMillis());
      }
    }
    return answer;
  }

  /** With QEMU's arguments; those for disks must be false. */
  private JsonElement migrate(Arguments arguments) throws CommandException {
    String uri = arguments.requiredText("uri");
    for (String option : List.of("blk", "inc", "resume")) {
      if (arguments.flag(option).orElse(false)) {
        throw new CommandException("Wridscope does not have the option '%s'.".formatted(option));
      }
    }
    // QEMU ignores it, too.
    var _ = arguments.flag("detach");
    arguments.requireNoMore();
    if (present.now().map(session -> !session.status().isEnd()).orElse(false)) {
      throw new CommandException("There's a migration process in progress");
    }
    launcher.migrate(uri, plan::applyTo);
    return Json.nothing();
  }

  private JsonElement migrateIncoming(Arguments arguments) throws CommandException {
    String uri = arguments.requiredText("uri");
    arguments.requireNoMore();
    launcher.migrateIncoming(uri);
    return Json.nothing();
  }

  /** QEMU, too, answers nothing if there is no migration. */
  private JsonElement cancel(Arguments arguments) throws CommandException {
    arguments.requireNoMore();
    present.now().ifPresent(Session::cancel);
    return Json.nothing();
  }

  private JsonElement proceed(Arguments arguments) throws CommandException {
    String state = arguments.requiredText("state");
    arguments.requireNoMore();
    Session session = requireSession();
    if (!state.equals(MigrationStatus.PRE_SWITCHOVER.qemuName())
        || !session.heldBeforeSwitchover()) {
      throw new CommandException(
          "Migration not in expected state: " + MigrationAnswer.status(session.status()));
    }
    session.permitSwitchover();
    return Json.nothing();
  }

  private JsonElement setParameters(Arguments arguments) throws CommandException {
    OptionalLong bandwidth = arguments.number(BANDWIDTH);
    OptionalLong downtime = arguments.number(DOWNTIME);
    arguments.requireNoMore();
    if (bandwidth.isPresent() && bandwidth.getAsLong() < 0) {
      throw invalid("max_bandwidth", "an integer in the range of 0 to SIZE_MAX bytes/second");
    }
    if (downtime.isPresent()
        && !MigrationSetting.isDowntimeLimit(Duration.ofMillis(downtime.getAsLong()))) {
      throw invalid("downtime_limit", "an integer in the range of 1 to 2000000 ms");
    }
    bandwidth.ifPresent(limit -> plan.set(MigrationSetting.BANDWIDTH, limit));
    downtime.ifPresent(
        limit -> plan.set(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(limit)));
    present
        .now()
        .ifPresent(session -> {
          bandwidth.ifPresent(session::setBandwidthLimit);
          downtime.ifPresent(limit -> session.setDowntimeLimit(Duration.ofMillis(limit)));
        });
    return Json.nothing();
  }

  private static CommandException invalid(String parameter, String expected) {
    return new CommandException("Parameter '%s' expects %s".formatted(parameter, expected));
  }

  private Session requireSession() throws CommandException {
    return present
        .now()
        .orElseThrow(() -> new CommandException("There is no migration in this process yet."));
  }
}
