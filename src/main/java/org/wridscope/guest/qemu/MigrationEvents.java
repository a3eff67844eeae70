// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import org.wridscope.guest.GuestException;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpEvent;
import org.wridscope.stream.Checkpoint;
import org.wridscope.text.Legible;

/**
 * The status of a QEMU's migration as its events tell it, so that a QEMU that is busy with the
 * migration has to answer no question. Its capability {@code events} must be on.
 */
final class MigrationEvents implements AutoCloseable {
  /** Statuses after which nothing more happens. */
  private static final Set<String> ENDS = Set.of("completed", "failed", "cancelled");

  private final Qmp qmp;
  private final Runnable stopped;
  private final Qmp.Subscription subscription;
  private volatile String status = "none";

  /**
   * Begins to follow a migration that has not begun.
   *
   * @param stopped called on another thread each time the guest was stopped
   */
  MigrationEvents(Qmp qmp, Runnable stopped) {
    this.qmp = qmp;
    this.stopped = stopped;
    subscription = qmp.onEvent(this::take);
  }

  private void take(QmpEvent event) {
    switch (event.name()) {
      case "STOP" -> stopped.run();
      case "MIGRATION" -> {
        if (event.data().get("status") instanceof JsonPrimitive now) {
          status = Legible.of(now.getAsString());
        }
      }
      default -> {}
    }
  }

  /** QEMU's name of the status. */
  String status() {
    return status;
  }

  boolean hasEnded() {
    return ENDS.contains(status);
  }

  /**
   * Waits until the migration has ended.
   *
   * @param what has not happened after the limit, the beginning of a sentence
   * @throws GuestException after the limit, or if the connection to QEMU ends
   */
  void awaitEnd(Duration limit, String what, Checkpoint checkpoint) throws IOException {
    var deadline = new Deadline(limit);
    while (!hasEnded()) {
      checkpoint.pass();
      if (!qmp.isOpen() && !hasEnded()) {
        throw new GuestException(what + ": its QMP connection has ended");
      }
      deadline.pause(what);
    }
  }

  @Override
  public void close() {
    subscription.close();
  }
}
