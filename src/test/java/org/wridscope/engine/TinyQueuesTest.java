// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.soft.TinyDevice;

/** Migrations over devices that support hardly more than the protocol needs. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TinyQueuesTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @CsvSource({
    "3, 3, true, false",
    "3, 3, true, true",
    "3, 3, false, false",
    "4, 4, true, false",
    "8, 8, true, false",
    "8, 3, false, true",
    "5, 64, true, false",
  })
  void ramIsEqual_andTheWaitsAreCounted(
      int workRequests, int completions, boolean extensions, boolean pinAll) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(24 * MIB, MIB).boot(1, 0.2);
        var copy = BlockGuest.of(24 * MIB, MIB)) {
      rig.sourceDevice.setFaultPlan(TinyDevice.queues(workRequests, completions));
      rig.destinationDevice.setFaultPlan(TinyDevice.queues(completions, workRequests));
      guest.onSync(sync -> {
        for (long page = sync; sync < 4 && page < 400; page += 2) {
          guest.write(0, page * 4096, (byte) (sync + 1));
        }
      });
      var source = rig.source(guest, Rig.parameters(pinAll, extensions, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, extensions));

      rig.run(source, destination);

      assertThat(source.telemetry().status())
          .as(source.outcome())
          .isEqualTo(MigrationStatus.COMPLETED);
      assertThat(copy.hasEqualRam(guest)).isTrue();
      Metrics metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.SEND_QUEUE_DEPTH))
          .isEqualTo(Math.min(workRequests, completions));
      assertThat(metrics.get(Metric.SEND_CONTEXT_WAITS)).isPositive();
      assertThat(metrics.get(Metric.WAIT_SEND_QUEUE_TIME)).isPositive();
      assertThat(metrics.get(Metric.WRITES_COMPLETED))
          .isEqualTo(metrics.get(Metric.WRITES_POSTED))
          .isPositive();
      assertThat(metrics.get(Metric.SENDS_COMPLETED)).isEqualTo(metrics.get(Metric.SENDS_POSTED));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDeviceThatIsTooSmall_isNamed_andTheGuestGoesOn(boolean atTheSource) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = BlockGuest.of(MIB).boot(1, 0);
        var copy = BlockGuest.of(MIB)) {
      (atTheSource ? rig.sourceDevice : rig.destinationDevice)
          .setFaultPlan(TinyDevice.queues(2, 64));
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      if (!atTheSource) {
        Rig.join(there, destination);
      }
      Rig.join(rig.start(source), source);
      destination.cancel();
      Rig.join(there, destination);

      MigrationSession victim = atTheSource ? source : destination;
      assertThat(victim.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(victim.outcome())
          .contains("supports 2 work requests in a queue (max_qp_wr), but a migration needs 3;");
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(guest.isRunning()).isTrue();
      assertThat(copy.isRunning()).isFalse();
    }
  }
}
