// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The device over which guests of QEMUs are migrated while processes are killed. */
enum KillSetting {
  TCP("TCP", "127.0.0.1", "soft"),
  /** On the device rxe0 of the VM of {@code lab/softroce}. */
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

  /** The address on which a destination listens. */
  String uri() {
    return "rdma:" + host + ":0";
  }

  /** The command line of one end; slow enough to be killed in the middle. */
  List<String> arguments(String role, String uri, Path qmp) {
    List<String> both = List.of(role, uri, "--device", device, "--qemu", "unix:" + qmp);
    return role.equals("source")
        ? Stream.concat(both.stream(), Stream.of("--bandwidth", "64MiB")).toList()
        : both;
  }

  /** Where the RAM of guests is, in memory. */
  static Path folder() {
    Path shared = Path.of("/dev/shm");
    return Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
  }
}
