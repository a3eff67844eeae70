// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.wridscope.guest.qemu.JournalEntry.Role;

/**
 * The process of a guard; see {@link GuardProcess}. Arguments: the file for its log, and the role.
 */
public final class GuardMain {
  private GuardMain() {}

  /**
   * Takes notes until the end of the input, and then does what is left to do.
   *
   * @param arguments the file for the log, and the role for which it gets ready
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream answers = System.out;
    // What libraries print must not get among the answers.
    System.setOut(System.err);
    Guard.prepare(Role.valueOf(arguments[1]));
    var guard = new Guard(new GuardLog(Path.of(arguments[0])));
    try (var notes = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      guard.watch(notes, answers);
    }
    // Not by the end of all threads: those of an RDMA device may still run.
    System.exit(0);
  }

  /** Does in this process what a guard does before it is told its QEMU. */
  public static void rehearse() throws IOException {
    Guard.prepare(Role.SOURCE);
    var notes = new BufferedReader(new StringReader(Note.of(Note.Kind.LEAVE).line()));
    new Guard(new GuardLog(GuardProcesses.log()))
        .watch(notes, new PrintStream(OutputStream.nullOutputStream()));
  }
}
