// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Signals for other processes, by the kill that is part of each shell: a minimal Debian 13 has no
 * program of that name.
 */
public final class Signals {
  private Signals() {}

  /**
   * Sends a signal, to all of the processes at once.
   *
   * @param name for example {@code KILL}
   * @return whether all of them were there
   */
  public static boolean send(String name, long... pids) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("sh", "-c", "kill -s \"$@\"", "kill", name));
    for (long pid : pids) {
      command.add(Long.toString(pid));
    }
    return new ProcessBuilder(command).start().waitFor() == 0;
  }
}
