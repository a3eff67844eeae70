// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.List;

/** Runs all checks on a machine. */
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
          new MemoryCheck(),
          new DirtyLogCheck(),
          new AddressCheck(),
          new CapturesCheck(),
          new JournalsCheck());

  private Doctor() {}

  /** Runs all checks, in the order in which problems should be fixed. May take a moment. */
  public static List<CheckResult> examine(Machine machine, Question question) {
    return CHECKS.stream().map(check -> check.run(machine, question)).toList();
  }

  /** The worst of some results; {@link Level#OK} of none. */
  public static Level worst(List<CheckResult> results) {
    return results.stream().map(CheckResult::level).max(Level::compareTo).orElse(Level.OK);
  }
}
