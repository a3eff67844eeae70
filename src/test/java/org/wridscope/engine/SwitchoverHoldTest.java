// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Time;
import org.wridscope.verbs.soft.Fault;

/** A source that waits for permission before it switches over. */
@ExtendWith(UnderSchedule.class)
final class SwitchoverHoldTest {
  private static final long RAM = 4 << 20;

  /** A source that is held, its guest, which writes before each sync, and its destination. */
  private static final class Held implements AutoCloseable {
    final Rig rig = new Rig(Rig.SHORT_INQUIRY);
    final BlockGuest guest = BlockGuest.of(RAM).boot(1, 0.2);
    final BlockGuest copy = BlockGuest.of(RAM);
    final SourceSession source;
    final DestinationSession destination;
    private final Thread here;
    private final Thread there;

    Held(boolean extensions) throws Exception {
      guest.onSync(sync -> guest.write(0, sync % 100 * (long) RamBlock.PAGE_SIZE, (byte) sync));
      source = rig.source(guest, Rig.held(extensions));
      destination = rig.destination(copy, Rig.parameters(false, true));
      source.permitSwitchover();
      there = rig.start(destination);
      here = rig.start(source);
      await(() -> source.telemetry().status() == MigrationStatus.PRE_SWITCHOVER);
    }

    void awaitRounds(long more) throws InterruptedException {
      long enough = rounds() + more;
      await(() -> rounds() >= enough);
    }

    private long rounds() {
      return source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT);
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
      Rig.await(condition, () -> String.valueOf(source.outcome()));
    }

    void join() throws InterruptedException {
      Rig.join(here, source);
      Rig.join(there, destination);
    }

    void assertNeverStopped(MigrationStatus status) {
      assertThat(source.telemetry().status()).as(source.outcome()).isEqualTo(status);
      assertThat(source.outcome()).endsWith("The guest keeps running at the source.");
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.resumes()).as("it was never stopped").isEqualTo(1);
      assertThat(copy.isRunning()).isFalse();
    }

    @Override
    public void close() throws IOException {
      guest.close();
      copy.close();
      rig.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theGuestRunsAndIsSentAgain_untilTheSwitchOverIsPermitted(boolean extensions)
      throws Exception {
    try (var held = new Held(extensions)) {
      held.awaitRounds(3);
      assertThat(held.guest.isRunning()).isTrue();
      assertThat(held.copy.isRunning()).isFalse();
      assertThat(held.source.telemetry().status()).isEqualTo(MigrationStatus.PRE_SWITCHOVER);
      held.source.permitSwitchover();
      held.join();
      Rig.assertCompleted(held.source, held.destination);
      assertThat(held.copy.hasEqualRam(held.guest)).isTrue();
      assertThat(held.source.verified()).isEqualTo(extensions);
      assertThat(held.copy.isRunning()).isTrue();
      assertThat(held.source.telemetry().metrics().get(Metric.HELD_TIME)).isPositive();
      assertThat(held.source.telemetry().phases())
          .extracting(Phase::name)
          .as("rounds meanwhile are no phases")
          .containsSubsequence("round 1", "held", "switch-over")
          .doesNotContain("round 3");
    }
  }

  @Test
  void cancelledMeanwhile_theGuestRunsOnAtTheSource() throws Exception {
    try (var held = new Held(true)) {
      held.source.cancel();
      held.join();
      held.assertNeverStopped(MigrationStatus.CANCELLED);
    }
  }

  @Test
  void aPeerThatIsLostMeanwhile_leavesTheGuestAtTheSource() throws Exception {
    try (var held = new Held(true)) {
      held.rig.destinationDevice.setFaultPlan(
          (queuePairNumber, ordinal, opcode, workRequestId) -> new Fault.Cut());
      held.join();
      held.assertNeverStopped(MigrationStatus.FAILED);
    }
  }

  @Test
  void theTimeOfTheWait_doesNotCountForTheTimeout() throws Exception {
    long hour = Duration.ofHours(1).toNanos();
    long now = Time.nanos();
    var cancellation = new Cancellation(Duration.ofNanos(hour));
    cancellation.begin(now - 3 * hour);
    assertThatThrownBy(cancellation::check).hasMessageContaining("did not complete within");
    cancellation.suspend(now - 3 * hour + hour / 2);
    cancellation.check();
    cancellation.resume(now);
    cancellation.check();
    cancellation.suspend(now);
    cancellation.resume(now - hour);
    assertThatThrownBy(cancellation::check).hasMessageContaining("did not complete within");
    cancellation.request();
    cancellation.suspend(now);
    assertThatThrownBy(cancellation::check).isInstanceOf(CancelledException.class);
  }

  /** The engine does not rest then, but asks whether it may switch over. */
  @Test
  void permissionThatComesDuringASync_letsTheDeadlineCountAgain() throws Exception {
    var telemetry = new SessionTelemetry(Role.SOURCE, false);
    telemetry.setStatus(MigrationStatus.ACTIVE);
    var cancellation = new Cancellation(Duration.ofSeconds(5));
    var hold = new SwitchoverHold(true, telemetry, cancellation);
    assertThat(hold.permits()).isFalse();
    Time.sleep(Duration.ofSeconds(20));
    cancellation.check();
    hold.permit();
    assertThat(hold.permits()).isTrue();
    assertThat(telemetry.status()).isEqualTo(MigrationStatus.ACTIVE);
    assertThat(telemetry.metrics().get(Metric.HELD_TIME)).isGreaterThanOrEqualTo(20_000_000_000L);
    Time.sleep(Duration.ofSeconds(6));
    assertThatThrownBy(cancellation::check).isInstanceOf(IOException.class);
  }
}
