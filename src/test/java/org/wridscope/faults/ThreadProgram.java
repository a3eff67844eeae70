// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.wridscope.cli.CommandInThread;

/**
 * The program on a thread of this process, for an end that is not killed: a process of its own
 * takes some three seconds of a processor. Its guard is a process all the same.
 */
final class ThreadProgram extends LocalProgram {
  private static final Duration END = Duration.ofMinutes(2);

  private final CommandInThread command;

  ThreadProgram(List<String> arguments) throws IOException {
    command = new CommandInThread(arguments.toArray(String[]::new));
    read("a command", command.output());
  }

  @Override
  void onEnd(Runnable task) {
    command.onEnd(task);
  }

  @Override
  boolean await(Duration limit) throws InterruptedException {
    return awaitOutput(limit.toNanos());
  }

  /** Cancels it, and waits for it, so that it no longer uses what its test removes. */
  @Override
  public void close() {
    command.close();
    try {
      if (!await(END)) {
        throw new IllegalStateException("a command does not end: " + output());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
