// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.SimulatedQemu;
import org.wridscope.control.qemu.QemuConnection.Phase;
import org.wridscope.qmp.QmpAddress;

final class QemuConnectionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private final QemuConnections connections = new QemuConnections();

  @AfterEach
  void close() {
    connections.close();
  }

  private QemuConnection await(QmpAddress address, Predicate<QemuConnection> condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      QemuConnection now =
          connections.list().stream()
              .filter(one -> one.address().equals(address))
              .findFirst()
              .orElseThrow();
      if (condition.test(now)) {
        return now;
      }
      assertThat(System.nanoTime()).as("still %s", now).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static QemuState stateOf(QemuConnection connection) {
    return Objects.requireNonNull(connection.state(), "it has not answered");
  }

  private QemuConnection connected(SimulatedQemu qemu) {
    connections.connect(qemu.address());
    return await(qemu.address(), one -> one.phase() == Phase.CONNECTED);
  }

  @Test
  void connectedQemu_saysWhatItIs() throws IOException {
    try (SimulatedQemu qemu = SimulatedQemu.running(directory, "vm7")) {
      QemuConnection connection = connected(qemu);
      QemuState state = stateOf(connection);
      assertThat(connection.title()).isEqualTo("vm7");
      assertThat(connection.condition()).isEqualTo("running");
      assertThat(connection.canMigrate()).isTrue();
      assertThat(connection.canReceive()).isFalse();
      assertThat(state.version()).isEqualTo("9.1.2");
      assertThat(state.blocks())
          .containsExactly(
              new QemuState.Block("ram0", 1L << 30),
              new QemuState.Block("0000:00:02.0/vga.vram", 16L << 20));
      assertThat(state.backends()).hasSize(1).first().matches(backend -> backend.share());
      assertThat(state.capabilities()).containsEntry("rdma-pin-all", false);
      assertThat(state.ramBytes()).isEqualTo((1L << 30) + (16L << 20));
    }
  }

  @Test
  void waitingQemu_canReceive() throws IOException {
    try (SimulatedQemu qemu = SimulatedQemu.waiting(directory, "empty")) {
      QemuConnection connection = connected(qemu);
      assertThat(connection.condition()).isEqualTo("waits for a guest");
      assertThat(connection.canMigrate()).isFalse();
      assertThat(connection.canReceive()).isTrue();
      qemu.setMigration("{\"status\": \"setup\"}");
      assertThat(await(qemu.address(), one -> !one.canReceive()).condition())
          .isEqualTo("listens for a guest");
    }
  }

  @Test
  void privateRam_isTheReasonWhyWridscopeCannotTakeIt() throws IOException {
    try (SimulatedQemu qemu = SimulatedQemu.running(directory, "vm7")) {
      qemu.setShared(false);
      Fitness take = stateOf(connected(qemu)).take();
      assertThat(take.possible()).isFalse();
      assertThat(take.reason()).endsWith(".");
    }
  }

  @Test
  void lentQemu_isLeftAlone_untilItIsTakenBack() throws Exception {
    try (SimulatedQemu qemu = SimulatedQemu.running(directory, "vm7")) {
      connected(qemu);
      connections.lend(List.of(qemu.address()));
      assertThat(connections.list().getFirst().phase()).isEqualTo(Phase.LENT);
      assertThat(connections.list().getFirst().state()).as("what it said last").isNotNull();
      int clients = qemu.clients();
      assertThat(clients).isEqualTo(1);
      connections.takeBack(List.of(qemu.address()));
      await(qemu.address(), one -> one.phase() == Phase.CONNECTED);
      assertThat(qemu.clients()).isEqualTo(2);
    }
  }

  @Test
  void lostConnection_isTriedAgain() throws IOException {
    try (SimulatedQemu qemu = SimulatedQemu.running(directory, "vm7")) {
      connected(qemu);
      qemu.hangUp();
      assertThat(await(qemu.address(), one -> one.phase() == Phase.LOST).message()).endsWith(".");
      await(qemu.address(), one -> one.phase() == Phase.CONNECTED);
      assertThat(qemu.clients()).isEqualTo(2);
    }
  }

  @Test
  void nobodyThere_isSaid() {
    var nobody = new QmpAddress.Unix(directory.resolve("nobody.qmp"));
    connections.connect(nobody);
    QemuConnection lost = await(nobody, one -> one.phase() == Phase.LOST);
    assertThat(lost.title()).isEqualTo(nobody.toString());
    assertThat(lost.condition()).isEqualTo("no answer");
    assertThat(lost.message()).contains("nobody.qmp");
    connections.disconnect(nobody);
    assertThat(connections.list()).isEmpty();
  }

  @Test
  void asking_changesNothing() throws IOException {
    try (SimulatedQemu qemu = SimulatedQemu.running(directory, "vm7")) {
      var before = Map.copyOf(qemu.capabilities());
      connected(qemu);
      assertThat(qemu.commands()).isEmpty();
      assertThat(qemu.capabilities()).isEqualTo(before);
    }
  }
}
