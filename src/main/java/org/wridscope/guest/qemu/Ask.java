// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;

/** Commands to a QEMU on a thread whose interrupt ends the migration. */
final class Ask {
  private Ask() {}

  @FunctionalInterface
  interface Query<T> {
    T ask() throws IOException, InterruptedException;
  }

  @FunctionalInterface
  interface Command {
    void execute() throws IOException, InterruptedException;
  }

  static <T> T query(Query<T> query) throws IOException {
    try {
      return query.ask();
    } catch (InterruptedException e) {
      throw Deadline.interrupted(e);
    }
  }

  static void command(Command command) throws IOException {
    try {
      command.execute();
    } catch (InterruptedException e) {
      throw Deadline.interrupted(e);
    }
  }

  /**
   * Executes a command even if the thread was interrupted, which it stays: for what must happen
   * before a session ends.
   */
  static void regardless(Command command) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          command.execute();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
