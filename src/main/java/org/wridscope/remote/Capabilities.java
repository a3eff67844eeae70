// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.qmp.Arguments;
import org.wridscope.qmp.CommandException;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.text.Legible;

/** QEMU's migration capabilities. */
final class Capabilities {
  static final String PIN_ALL = "rdma-pin-all";
  static final String EVENTS = "events";

  /** Those of QEMU 7.2 that Wridscope does not have. */
  private static final Set<String> ABSENT =
      Set.of(
          "xbzrle",
          "auto-converge",
          "zero-blocks",
          "compress",
          "postcopy-ram",
          "x-colo",
          "release-ram",
          "block",
          "return-path",
          "multifd",
          "dirty-bitmaps",
          "postcopy-blocktime",
          "late-block-activate",
          "x-ignore-shared",
          "validate-uuid",
          "background-snapshot",
          "zero-copy-send",
          "postcopy-preempt");

  private final PresentSession present;
  private final Plan plan;
  private volatile boolean events;

  /**
   * @param events whether changes of the status are events from the beginning
   */
  Capabilities(PresentSession present, Plan plan, boolean events) {
    this.present = present;
    this.plan = plan;
    this.events = events;
  }

  /** Whether changes of the status and rounds are events. */
  boolean events() {
    return events;
  }

  private Optional<Session> running() {
    return present.now().filter(session -> !session.status().isEnd());
  }

  private boolean pinAll() {
    return running()
        .map(Session::report)
        .map(MigrationReport::pinAll)
        .orElseGet(() -> Objects.requireNonNullElse(plan.get(MigrationSetting.PIN_ALL), false));
  }

  /** {@code query-migrate-capabilities}. */
  JsonElement list(Arguments arguments) throws CommandException {
    arguments.requireNoMore();
    var list = new JsonArray();
    list.add(capability(PIN_ALL, pinAll()));
    list.add(capability(EVENTS, events));
    return list;
  }

  private static JsonObject capability(String name, boolean state) {
    JsonObject capability = Json.of("capability", name);
    capability.addProperty("state", state);
    return capability;
  }

  /**
   * {@code migrate-set-capabilities}. Unlike in QEMU, events can be switched on while a migration
   * runs, because it may have begun before the client came.
   */
  JsonElement set(Arguments arguments) throws CommandException {
    boolean wanted = events;
    boolean before = pinAll();
    boolean pinned = before;
    for (Arguments each : arguments.requiredList("capabilities")) {
      String name = each.requiredText("capability");
      boolean state = each.requiredFlag("state");
      each.requireNoMore();
      switch (name) {
        case EVENTS -> wanted = state;
        case PIN_ALL -> {
          if (state != pinned && running().isPresent()) {
            throw new CommandException("There's a migration process in progress");
          }
          pinned = state;
        }
        default -> {
          if (!ABSENT.contains(name)) {
            throw new CommandException("Invalid parameter '%s'".formatted(Legible.of(name, 60)));
          }
          if (state) {
            throw new CommandException(
                "Wridscope does not have the capability '%s'.".formatted(name));
          }
        }
      }
    }
    arguments.requireNoMore();
    events = wanted;
    if (pinned != before) {
      plan.set(MigrationSetting.PIN_ALL, pinned);
    }
    return Json.nothing();
  }
}
