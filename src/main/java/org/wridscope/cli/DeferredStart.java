// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.Session;
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
  private final CompletableFuture<Opening> opening = new CompletableFuture<>();
  private final CompletableFuture<Session> opened = new CompletableFuture<>();

  /** What a client has asked for. */
  record Asked(MigrationUri uri, UnaryOperator<MigrationSettings> wanted) {}

  /** Begins to wait for a guest. */
  @FunctionalInterface
  interface Opening {
    /** Returns as soon as sources can connect. */
    Session at(MigrationUri uri) throws IOException;
  }

  /**
   * @param end that a client starts; null if the command line does
   */
  DeferredStart(@Nullable Role end) {
    this.end = end;
  }

  /** Waits for a client that migrates the guest of this process. */
  Asked await() throws InterruptedException {
    return await(asked);
  }

  /**
   * Waits for a client with an address where a destination can be opened.
   *
   * @param destination opens it on the client's thread, so that the client is told what is wrong
   *     with the address, and may try another one
   */
  Session awaitOpened(Opening destination) throws InterruptedException {
    opening.complete(destination);
    return await(opened);
  }

  private static <T> T await(CompletableFuture<T> future) throws InterruptedException {
    try {
      return future.get();
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
    MigrationUri destination = parse(Role.SOURCE, uri);
    if (destination.port() == 0) {
      throw new CommandException(
          "A source cannot use port 0; write the port on which the destination listens.");
    }
    if (!asked.complete(new Asked(destination, wanted))) {
      throw new CommandException(
          "This process has begun its migration; start another process for another one.");
    }
  }

  @Override
  public synchronized void migrateIncoming(String uri) throws CommandException {
    MigrationUri address = parse(Role.DESTINATION, uri);
    if (opened.isDone()) {
      throw new CommandException(INCOMING_STARTED);
    }
    try {
      // The command is about to say how, if it has not yet.
      opened.complete(opening.join().at(address));
    } catch (IOException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }

  /** Checks that this process is the end that a client means. */
  private MigrationUri parse(Role wantedEnd, String uri) throws CommandException {
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
    try {
      return MigrationUri.parse(uri);
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }
}
