// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.host.Processor;
import org.wridscope.qmp.QmpException;

@Tag("qemu")
final class QemuMigrationTest {
  private static final String QEMU = Processor.HERE.qemu();

  @TempDir private Path directory;

  @BeforeEach
  void qemuIsInstalled() {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin", QEMU)), QEMU + " is not installed");
  }

  private Path ram() throws Exception {
    Path ram = directory.resolve("ram");
    Files.write(ram, new byte[16 << 20]);
    return ram;
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void migration_isTimedByQemu() throws Exception {
    var migration = new QemuMigration("tcp:127.0.0.1:" + freePort(), List.of("multifd"));
    assertThat(migration.run(ram(), directory)).isPositive();
  }

  @Test
  void refusal_isToldInQemusWords() throws Exception {
    var migration = new QemuMigration("tcp:127.0.0.1:0", List.of("no-such-capability"));
    Path ram = ram();
    assertThatThrownBy(() -> migration.run(ram, directory))
        .isInstanceOf(QmpException.class)
        .hasMessageContaining("QEMU refused migrate-set-capabilities")
        .hasMessageContaining("no-such-capability");
  }

  @Test
  void qemuThatEndsAtOnce_saysWhy() {
    Path log = directory.resolve("log");
    assertThatThrownBy(() -> Qemu.start(QEMU, List.of("-machine", "no-such-machine"), log))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("it closed the connection")
        .hasMessageContaining("supported machines");
  }
}
