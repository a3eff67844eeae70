// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import java.util.function.UnaryOperator;
import org.wridscope.control.MigrationSettings;
import org.wridscope.qmp.CommandException;

/** Begins the migrations that clients ask for. */
public interface Launcher {
  /** QEMU's words for a second {@code migrate-incoming}. */
  String INCOMING_STARTED = "The incoming migration has already been started";

  /** Whether {@link #migrate} will make a guest and migrate it. */
  boolean awaitsMigrate();

  /**
   * Begins to migrate the guest of this process.
   *
   * @param uri as the client sent it
   * @param wanted adds what clients have set
   * @throws CommandException if it cannot begin now
   */
  void migrate(String uri, UnaryOperator<MigrationSettings> wanted) throws CommandException;

  /**
   * Begins to wait for a guest: sources can connect when this returns. What goes wrong later is in
   * the outcome of the session.
   *
   * @param uri as the client sent it
   * @throws CommandException if it cannot begin now
   */
  void migrateIncoming(String uri) throws CommandException;
}
