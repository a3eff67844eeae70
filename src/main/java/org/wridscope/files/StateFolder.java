// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.nio.file.Path;
import java.util.Map;

/** Where this program keeps what must outlive a process, below {@code XDG_STATE_HOME}. */
public final class StateFolder {
  private StateFolder() {}

  /** The directory of this process's user; it may not exist. */
  public static Path ofUser() {
    return of(System.getenv(), System.getProperty("user.home", ""));
  }

  /** The directory with these environment variables and this home directory. */
  public static Path of(Map<String, String> environment, String home) {
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    Path folder = state.isEmpty() ? Path.of(home, ".local", "state") : Path.of(state);
    return folder.resolve("wridscope");
  }
}
