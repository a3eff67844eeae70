// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.TimeLimit;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;

final class PausesTest {
  @TempDir private Path folder;
  private ScriptedQemu qemu;
  private Qmp qmp;
  private Pauses pauses;
  private final RecordingGuards notes = new RecordingGuards();

  @BeforeEach
  void connect() throws IOException, InterruptedException {
    qemu = new ScriptedQemu(folder);
    qmp = Qmp.connect(qemu.address(), Duration.ofSeconds(10));
    pauses = new Pauses(new QemuMonitor(qmp), guard(notes));
  }

  private SourceGuard guard(RecordingGuards guards) throws IOException {
    return guards.guardSource(
        GuardedQemu.of(ProcessHandle.current().pid(), qemu.address()),
        new GuardedSettings(Map.of(), new JsonObject(), false));
  }

  @AfterEach
  void close() throws IOException {
    pauses.close();
    qmp.close();
    qemu.close();
  }

  @Test
  void guestThatRuns_standsStillDuringTheWork() throws IOException {
    var running = new boolean[1];
    assertThat(pauses.during(() -> running[0] = qemu.running)).isPositive();
    assertThat(running[0]).isFalse();
    assertThat(qemu.running).isTrue();
    assertThat(notes.notes).containsExactly("guard source", "stopping", "resumed");
  }

  /** The guard would not continue it. */
  @Test
  void guest_isNotStopped_unlessTheGuardKnows() throws IOException {
    pauses = new Pauses(new QemuMonitor(qmp), guard(RecordingGuards.failingAt("stopping")));
    assertThatThrownBy(() -> pauses.during(() -> {})).hasMessage("The guard is gone.");
    assertThat(qemu.executed).containsExactly("query-status");
  }

  @Test
  void guestThatWasStoppedForTheSwitchOver_isNotContinuedAfterTheWork() throws IOException {
    pauses.stopping();
    qemu.running = false;
    qemu.status = "postmigrate";
    var _ = pauses.during(() -> {});
    assertThat(qemu.executed).isEmpty();
    assertThat(pauses.areOn()).isTrue();
  }

  @Test
  void guestThatSomebodyElsePaused_staysPaused() throws IOException {
    qemu.running = false;
    qemu.status = "paused";
    var _ = pauses.during(() -> {});
    assertThat(qemu.running).isFalse();
    assertThat(qemu.executed).containsExactly("query-status");
    assertThat(notes.notes).containsExactly("guard source");
  }

  @Test
  void guest_runsAfterWorkThatFails() {
    assertThatThrownBy(() ->
            pauses.during(() -> {
              throw new IOException("it failed");
            }))
        .hasMessage("it failed");
    assertThat(qemu.running).isTrue();
  }

  /** The throttle is closed while QEMU is just stopping the guest. */
  @Test
  void guest_runsAfterTheThrottle() throws InterruptedException {
    var stopping = new CountDownLatch(1);
    var closing = new CountDownLatch(1);
    qemu.stopping =
        () -> {
          stopping.countDown();
          try {
            assertThat(closing.await(20, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    pauses.begin(new Throttle(99));
    assertThat(stopping.await(20, TimeUnit.SECONDS)).isTrue();
    Thread closer = Thread.ofPlatform().start(pauses::close);
    // It waits for the answer, or has given it up.
    new TimeLimit()
        .await("it", () -> closer.getState() == Thread.State.WAITING || !closer.isAlive());
    closing.countDown();
    closer.join();
    assertThat(qemu.running).isTrue();
    assertThat(pauses.areOn()).isFalse();
  }
}
