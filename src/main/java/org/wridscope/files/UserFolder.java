// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where this program keeps what must outlive a process, by the XDG base directory specification.
 */
public enum UserFolder {
  /** What the user has decided, below {@code XDG_CONFIG_HOME}. */
  CONFIG("XDG_CONFIG_HOME", List.of(".config")),
  /** What the program has noticed, below {@code XDG_STATE_HOME}. */
  STATE("XDG_STATE_HOME", List.of(".local", "state")),
  /** What can be made again, below {@code XDG_CACHE_HOME}; libvirt keeps its logs there. */
  CACHE("XDG_CACHE_HOME", List.of(".cache"));

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

  /** The directory of this program, of this process's user; it may not exist. */
  public Path ofUser() {
    return of(System.getenv(), System.getProperty("user.home", ""));
  }

  /** The directory of all programs, of this process's user; it may not exist. */
  public Path ofAllPrograms() {
    return ofAllPrograms(System.getenv(), System.getProperty("user.home", ""));
  }

  /**
   * The directory with these environment variables. A relative path in a variable is ignored, as
   * the specification demands.
   *
   * @param home the home directory unless {@code HOME} names it
   */
  public Path of(Map<String, String> environment, String home) {
    return ofAllPrograms(environment, home).resolve("wridscope");
  }

  private Path ofAllPrograms(Map<String, String> environment, String home) {
    return absolute(environment, variable)
        .orElseGet(() ->
            absolute(environment, "HOME")
                .orElse(Path.of(home))
                .resolve(Path.of("", otherwise.toArray(String[]::new))));
  }

  private static Optional<Path> absolute(Map<String, String> environment, String variable) {
    return Optional.ofNullable(environment.get(variable))
        .filter(path -> path.startsWith("/"))
        .map(Path::of);
  }
}
