// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Main;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.control.MigrationUri;
import org.wridscope.guest.CaptureDisk;
import org.wridscope.guest.Leftover;
import org.wridscope.ui.window.WindowInAProcess;

/**
 * A capture by a process that is ended while the disk is slow, after the source has handed its
 * guest over.
 */
@Slow("each end is a process of its own, which is killed")
@ExtendWith(OverTcp.class)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CaptureInAProcessTest {
  @TempDir private Path folder;

  private Path target() {
    return folder.resolve("vm.mig");
  }

  private Path busy() {
    return folder.resolve("busy");
  }

  /** A destination on a disk that is busy while {@link #busy} exists. */
  private Wridscope destination() throws IOException {
    return new Wridscope(
        CaptureDisk.class,
        busy().toString(),
        "destination",
        "rdma:127.0.0.1:0",
        "--device=soft",
        "--capture=" + target());
  }

  /** Sends a guest, until the source has handed it over and the disk is busy. */
  private void send(Wridscope destination) throws Exception {
    MigrationUri uri = MigrationUri.parse(destination.awaitListening());
    try (var rig = new Rig();
        var guest = CaptureTest.guest()) {
      var source =
          new ScriptedQemuSource(
                  rig, guest, false, CaptureTest.PREFIX, CaptureTest.TAIL, Tamper.NONE)
              .to(new InetSocketAddress(uri.host(), uri.port()));
      source.run();
      assertThat(source.end()).isEqualTo("it went to the end");
    }
    var limit = new TimeLimit();
    while (!Files.exists(busy())) {
      assertThat(destination.isAlive()).isTrue();
      limit.glance("the disk to be busy");
    }
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static void assertHolds(Path file) throws IOException {
    try (var guest = CaptureTest.guest()) {
      CaptureTest.assertHolds(file, guest, CaptureTest.TAIL);
    }
  }

  @Test
  void signals_doNotLoseTheGuest_andTheStatusIsThatOfTheCapture() throws Exception {
    try (var destination = destination()) {
      send(destination);
      destination.signal("HUP");
      destination.awaitLine("can no longer be cancelled");
      for (String signal : List.of("HUP", "INT", "TERM")) {
        destination.signal(signal);
      }
      Files.delete(busy());
      assertThat(destination.awaitEnd(0)).contains("completed; not verified, because a QEMU");
    }
    assertThat(files()).containsExactly("vm.mig");
    assertHolds(target());
  }

  @Test
  void kill_leavesTheWholeGuestBehind_andRecoverFinishesIt() throws Exception {
    try (var destination = destination()) {
      send(destination);
      destination.signal("KILL");
      destination.awaitEnd(137);
    }
    Path left = Leftover.beside(target()).getFirst().path();
    assertThat(files()).containsExactlyInAnyOrder("busy", left.getFileName().toString());
    try (var doctor = new Wridscope(Main.class, "doctor")) {
      assertThat(doctor.awaitAnyEnd().replaceAll("\\s+", ""))
          .contains(left + "seemstoholdthewholeguest");
    }
    try (var recover = new Wridscope(Main.class, "recover", target().toString())) {
      recover.awaitEnd(0);
    }
    assertThat(files()).containsExactlyInAnyOrder("busy", "vm.mig");
    assertHolds(target());
  }

  private Wridscope window(String what) throws IOException {
    return new Wridscope(WindowInAProcess.class, busy().toString(), target().toString(), what);
  }

  @ParameterizedTest
  @ValueSource(strings = {"close", "hide", "destroy"})
  void windowThatIsClosed_doesNotLoseTheGuest(String what) throws Exception {
    try (var window = window(what)) {
      send(window);
      window.awaitLine(
          what.equals("close") ? "Waiting for the guest to be on the disk" : "the disk is busy");
      assertThat(window.isAlive()).isTrue();
      Files.delete(busy());
      window.awaitEnd(0);
    }
    assertThat(files()).containsExactly("vm.mig");
    assertHolds(target());
  }

  @Test
  void windowThatGetsASignal_doesNotLoseTheGuest() throws Exception {
    try (var window = window("nothing")) {
      send(window);
      window.signal("TERM");
      window.awaitLine("can no longer be cancelled");
      window.signal("INT");
      Files.delete(busy());
      window.awaitEnd(143);
    }
    assertThat(files()).containsExactly("vm.mig");
    assertHolds(target());
  }
}
