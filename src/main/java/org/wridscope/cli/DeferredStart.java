// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.qmp.CommandException;
import org.wridscope.remote.Launcher;
import org.wridscope.telemetry.Role;

/**
 * The start of a command's migration, which a client has to ask for if the command line has {@value
 * #URI} in place of its address, as for QEMU's {@code -incoming}. A command migrates once.
 */
final class DeferredStart implements Launcher {
  static final String URI = "defer";

  private final @Nullable Role end;
  private final CompletableFuture<Asked> asked = new CompletableFuture<>();

  /** What a client has asked for. */
  record Asked(MigrationUri uri, UnaryOperator<MigrationSettings> wanted) {}

  /**
   * @param end that a client starts; null if the command line does
   */
  DeferredStart(@Nullable Role end) {
    this.end = end;
  }

  /** Waits for a client. */
  Asked await() throws InterruptedException {
    try {
      return asked.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean awaitsMigrate() {
    return end == Role.SOURCE && !asked.isDone();
  }

  @Override
  public void migrate(String uri, UnaryOperator<MigrationSettings> wanted) throws CommandException {
    begin(Role.SOURCE, uri, wanted);
  }

  @Override
  public void migrateIncoming(String uri) throws CommandException {
    begin(Role.DESTINATION, uri, UnaryOperator.identity());
  }

  private void begin(Role wantedEnd, String uri, UnaryOperator<MigrationSettings> wanted)
      throws CommandException {
    if (end == null) {
      throw new CommandException(
          "The command line of this process has started its migration; write defer there in place"
              + " of the address.");
    }
    if (end != wantedEnd) {
      throw new CommandException(
          end == Role.SOURCE
              ? "This process is a source; it migrates with migrate."
              : "This process is a destination; it takes a guest with migrate-incoming.");
    }
    MigrationUri parsed;
    try {
      parsed = MigrationUri.parse(uri);
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
    if (end == Role.SOURCE && parsed.port() == 0) {
      throw new CommandException(
          "A source cannot use port 0; write the port on which the destination listens.");
    }
    if (!asked.complete(new Asked(parsed, wanted))) {
      throw new CommandException(
          "This process has begun its migration; start another process for another one.");
    }
  }
}
