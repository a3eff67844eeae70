// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.List;

/** Examines a machine, the foundations first. */
public final class Doctor {
  private static final List<Check> CHECKS =
      List.of(
          new NativeAccessCheck(),
          new DispatcherCheck(),
          new LibrariesCheck(),
          new KernelCheck(),
          new DevicesCheck(),
          new ConnectionManagerCheck(),
          new PermissionsCheck(),
          new PortsCheck(),
          new LockedMemoryCheck(),
          new AddressCheck(),
          new CapturesCheck());

  private Doctor() {}

  /** What all checks find, in an order in which things can be mended. May take a moment. */
  public static List<Finding> examine(Machine machine, Question question) {
    return CHECKS.stream().map(check -> check.look(machine, question)).toList();
  }

  /** The worst of some findings; {@link Level#OK} of none. */
  public static Level worst(List<Finding> findings) {
    return findings.stream().map(Finding::level).max(Level::compareTo).orElse(Level.OK);
  }
}
