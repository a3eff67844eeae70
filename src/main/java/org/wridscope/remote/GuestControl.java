// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonElement;
import java.time.Instant;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.guest.GuestException;
import org.wridscope.qmp.CommandException;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.text.Legible;

/** Stops guests and lets them run, as clients want, and notes what the others are to be told. */
final class GuestControl {
  private final PresentSession present;
  private final Plan plan;
  private final Launcher launcher;
  private final Queue<Change> changes = new ConcurrentLinkedQueue<>();

  GuestControl(PresentSession present, Plan plan, Launcher launcher) {
    this.present = present;
    this.plan = plan;
    this.launcher = launcher;
  }

  /** An event of QEMU, about the guest of the present session. */
  record Change(String event, Instant when) {}

  /** Stops a guest or lets it run; returns whether that changed anything. */
  @FunctionalInterface
  private interface Operation {
    boolean on(Session session) throws GuestException;
  }

  /** Stops the guest of the present session, or the one that the next migration is to move. */
  JsonElement stop() throws CommandException {
    return present(true);
  }

  /** Lets it run. */
  JsonElement proceed() throws CommandException {
    return present(false);
  }

  private JsonElement present(boolean stops) throws CommandException {
    Optional<Session> now = present.now();
    if (now.isPresent()) {
      return stops ? stop(now.get()) : proceed(now.get());
    }
    if (!launcher.awaitsMigrate()) {
      throw new CommandException("There is no guest in this process yet.");
    }
    plan.set(MigrationSetting.PAUSED, stops);
    return Json.nothing();
  }

  /** Stops the guest of a session. */
  JsonElement stop(Session session) throws CommandException {
    return change(session, Session::stopGuest, "STOP");
  }

  /** Lets the guest of a session run. */
  JsonElement proceed(Session session) throws CommandException {
    return change(session, Session::continueGuest, "RESUME");
  }

  private JsonElement change(Session session, Operation operation, String event)
      throws CommandException {
    try {
      if (operation.on(session) && present.now().filter(session::equals).isPresent()) {
        changes.add(new Change(event, Instant.now()));
      }
      return Json.nothing();
    } catch (GuestException e) {
      throw new CommandException(Legible.of(String.valueOf(e.getMessage())));
    }
  }

  /** The oldest change that was not returned yet; null if there is none. */
  @Nullable Change nextChange() {
    return changes.poll();
  }
}
