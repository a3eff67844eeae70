// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.stream.Stream;

/** Phases for tests. */
public final class Phases {
  private Phases() {}

  /**
   * The phase with this name, such as {@code connect} or {@code round 2}.
   *
   * @param nanos of its start
   */
  public static Phase named(String name, long nanos) {
    return Stream.of(Phase.Kind.values())
        .map(kind ->
            kind == Phase.Kind.ROUND && name.startsWith("round ")
                ? new Phase(kind, Long.parseLong(name.substring(6)), nanos)
                : new Phase(kind, nanos))
        .filter(phase -> phase.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
