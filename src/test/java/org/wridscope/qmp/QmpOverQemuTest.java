// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.TimeLimit;

/** A real QEMU, whose QMP is pretty on one socket and plain on the other. */
@Tag("qemu")
@Timeout(120)
final class QmpOverQemuTest {
  private static final String PROGRAM = "qemu-system-x86_64";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path directory;

  private Process qemu;
  private Path plain;
  private Path pretty;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin", PROGRAM)), PROGRAM + " is not installed");
    plain = directory.resolve("vm.sock");
    pretty = directory.resolve("vm,pretty.qmp");
    Path ram = directory.resolve("ram");
    var command = new ArrayList<>(List.of(PROGRAM, "-accel", "tcg", "-nodefaults"));
    command.addAll(List.of("-display", "none", "-S", "-m", "16M", "-name", "guest=vm one"));
    command.addAll(
        List.of(
            "-object",
            "memory-backend-file,id=ram0,size=16M,share=on,mem-path=" + ram,
            "-machine",
            "pc,memory-backend=ram0"));
    command.addAll(List.of("-qmp", "unix:" + plain + ",server=on,wait=off"));
    command.addAll(
        List.of(
            "-chardev",
            "socket,id=m,server=on,wait=off,path=" + pretty.toString().replace(",", ",,"),
            "-mon",
            "m,mode=control,pretty=on"));
    qemu =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    var limit = new TimeLimit(LIMIT);
    while (!Files.exists(pretty) && qemu.isAlive() && limit.lasts()) {}
  }

  @AfterEach
  void end() throws InterruptedException {
    if (qemu != null) {
      qemu.destroyForcibly();
      qemu.waitFor();
    }
  }

  private QemuMonitor connect(Path socket) throws IOException, InterruptedException {
    return new QemuMonitor(Qmp.connect(new QmpAddress.Unix(socket), LIMIT));
  }

  @Test
  void bothForms_tellTheSame() throws Exception {
    for (Path socket : List.of(plain, pretty)) {
      QemuMonitor monitor = connect(socket);
      try (Qmp qmp = monitor.qmp()) {
        assertThat(monitor.status()).isEqualTo(new RunState("prelaunch", false));
        assertThat(monitor.name()).contains("vm one");
        assertThat(monitor.version().isAtLeast(5, 0)).isTrue();
        assertThat(monitor.migration().status()).isEqualTo("none");
        assertThat(monitor.capabilities()).containsEntry("events", false);
        assertThat(monitor.parameters().has("max-bandwidth")).isTrue();
        assertThat(monitor.blockDevices()).isEmpty();
        assertThat(monitor.usesDirectIo()).isFalse();
        assertThat(monitor.humanMonitor("info ramblock")).contains("ram0");
        assertThat(monitor.memoryBackends())
            .containsExactly(
                new MemoryBackend(
                    "ram0", "memory-backend-file", 16 << 20, true, directory.resolve("ram")));
        // Some hundred kilobytes.
        assertThat(qmp.execute("query-qmp-schema").getAsJsonArray()).hasSizeGreaterThan(500);
      }
    }
  }

  @Test
  void steering_hasItsEvents_andIsRefusedInQemusWords() throws Exception {
    QemuMonitor monitor = connect(plain);
    try (Qmp qmp = monitor.qmp()) {
      var events = new LinkedBlockingQueue<String>();
      qmp.onEvent(event -> events.add(event.name()));
      monitor.setCapabilities(Map.of("events", true));
      assertThat(monitor.capabilities()).containsEntry("events", true);
      monitor.cont();
      assertThat(monitor.status().running()).isTrue();
      monitor.stop();
      assertThat(monitor.status()).isEqualTo(new RunState("paused", false));
      assertThat(events).containsSubsequence("RESUME", "STOP");
      assertThatThrownBy(() -> monitor.migrateIncoming("tcp:127.0.0.1:0"))
          .isInstanceOf(QmpException.class)
          .hasMessageStartingWith("QEMU refused migrate-incoming: ");
      monitor.migrate("exec:cat >/dev/null");
      var limit = new TimeLimit(LIMIT);
      while (monitor.migration().isInProgress() && limit.lasts()) {}
      MigrationInfo migration = monitor.migration();
      assertThat(migration.status()).isEqualTo("completed");
      assertThat(migration.ram().orElseThrow().total()).isGreaterThanOrEqualTo(16 << 20);
      assertThat(migration.ram().orElseThrow().pageSize()).isEqualTo(4096);
      assertThat(migration.downtime()).isPresent();
      monitor.quit();
      assertThat(qemu.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aSecondClient_isNotServed_andToldWhy() throws Exception {
    QemuMonitor first = connect(plain);
    try (Qmp qmp = first.qmp()) {
      assertThat(qmp.isOpen()).isTrue();
      assertThatThrownBy(() -> Qmp.connect(new QmpAddress.Unix(plain), Duration.ofMillis(500)))
          .hasMessageContaining("serves one client of a QMP socket at a time");
      assertThat(first.status().status()).isEqualTo("prelaunch");
    }
  }

  @Test
  void aQemuThatIsKilled_endsTheConnection() throws Exception {
    QemuMonitor monitor = connect(plain);
    try (Qmp qmp = monitor.qmp()) {
      qemu.destroyForcibly().waitFor();
      assertThatThrownBy(monitor::status)
          .isInstanceOf(QmpException.class)
          .hasMessageContaining("No answer to query-status");
      assertThat(qmp.isOpen()).isFalse();
    }
  }

  @Test
  void itIsFound_withItsAddresses() {
    var machine = new QemuDiscovery();
    var ofPlain = new QmpAddress.Unix(plain);
    var ofPretty = new QmpAddress.Unix(pretty);
    assertThat(machine.find())
        .contains(new FoundQemu(OptionalLong.of(qemu.pid()), "vm one", List.of(ofPlain, ofPretty)));
    assertThat(machine.pidOf(ofPlain)).hasValue(qemu.pid());
    assertThat(machine.pidOf(ofPretty)).hasValue(qemu.pid());
  }
}
