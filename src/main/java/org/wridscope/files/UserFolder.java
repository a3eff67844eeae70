// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Where this program keeps what must outlive a process, by the XDG base directory specification.
 */
public enum UserFolder {
  /** What the user has decided, below {@code XDG_CONFIG_HOME}. */
  CONFIG("XDG_CONFIG_HOME", List.of(".config")),
  /** What the program has noticed, below {@code XDG_STATE_HOME}. */
  STATE("XDG_STATE_HOME", List.of(".local", "state"));

  private final String variable;
  private final List<String> otherwise;

  /**
   * @param variable of the environment
   * @param otherwise the path below the home directory if the variable is not set
   */
  UserFolder(String variable, List<String> otherwise) {
    this.variable = variable;
    this.otherwise = otherwise;
  }

  /** The directory of this process's user; it may not exist. */
  public Path ofUser() {
    return of(System.getenv(), System.getProperty("user.home", ""));
  }

  /**
   * The directory with these environment variables and this home directory. A relative path in a
   * variable is ignored, as the specification demands.
   */
  public Path of(Map<String, String> environment, String home) {
    String set = environment.getOrDefault(variable, "");
    Path folder =
        set.startsWith("/") ? Path.of(set) : Path.of(home, otherwise.toArray(String[]::new));
    return folder.resolve("wridscope");
  }
}
