// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.wridscope.telemetry.Role;

/** The device over which guests of QEMUs are migrated while processes are killed. */
enum KillSetting {
  TCP("TCP", "127.0.0.1", "soft"),
  /**
   * On the devices rxe0 of two VMs of {@code lab/softroce}, of which the first has the destination.
   */
  SOFT_ROCE("soft-RoCE", "10.9.0.1", "rxe0");

  private final String text;
  private final String host;
  private final String device;

  KillSetting(String text, String host, String device) {
    this.text = text;
    this.host = host;
    this.device = device;
  }

  String text() {
    return text;
  }

  /** The address of the machine with the destination. */
  String host() {
    return host;
  }

  /** Where a destination listens, on any port. */
  String uri() {
    return "rdma:" + host + ":0";
  }

  /** The command line of one end; slow enough to be killed in the middle. */
  List<String> arguments(Role role, String uri, Path qmp) {
    String command = role.text();
    List<String> both = List.of(command, uri, "--device", device, "--qemu", "unix:" + qmp);
    return role == Role.SOURCE
        ? Stream.concat(both.stream(), Stream.of("--bandwidth", "64MiB")).toList()
        : both;
  }

  /** Where the RAM of guests is, in memory. */
  static Path folder() {
    Path shared = Path.of("/dev/shm");
    return Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
  }
}
