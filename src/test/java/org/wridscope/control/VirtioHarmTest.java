// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** What reports say about predicted and observed harm, and how long one waits for it. */
final class VirtioHarmTest {
  private static final String QUEUE = "virtio-blk requestq";
  private static final String PREDICTION =
      "virtio-blk requestq: request 5 is lost: it will never be completed.";
  private static final String OBSERVATION =
      "virtio-blk requestq: request 7 waits in a queue that no longer works.";

  private final RequestFailure lost = new RequestFailure(RequestFailure.Kind.LOST, QUEUE, 5);
  private final RequestFailure broken = new RequestFailure(RequestFailure.Kind.BROKEN, QUEUE, 7);

  private static VirtioSnapshot snapshot(
      @Nullable RequestFailure predicted, @Nullable RequestFailure observed) {
    var queue = new QueueSnapshot(QUEUE, 64, 9, 8, 9, 8, 8, List.of(), 10, 8);
    return new VirtioSnapshot(
        true,
        List.of(queue),
        List.of(),
        0,
        0,
        Optional.ofNullable(predicted),
        Optional.ofNullable(observed));
  }

  private static MigrationReport.Virtio report(
      @Nullable RequestFailure predicted, @Nullable RequestFailure observed) {
    MigrationReport.Virtio report = Reports.virtio(snapshot(predicted, observed));
    assertThat(report).isNotNull();
    return report;
  }

  @Test
  void report_saysWhatWasPredicted_andWhatADriverMet() {
    assertThat(report(null, null).finding()).isNull();
    assertThat(report(null, null).harm()).isNull();

    assertThat(report(lost, null).finding()).isEqualTo(PREDICTION);
    assertThat(report(lost, null).observed()).isNull();
    assertThat(report(lost, null).harm())
        .isEqualTo(PREDICTION + " No driver has noticed this so far.");

    assertThat(report(lost, broken).predicted()).isEqualTo(PREDICTION);
    assertThat(report(lost, broken).observed()).isEqualTo(OBSERVATION);
    assertThat(report(lost, broken).harm())
        .isEqualTo(PREDICTION + " A driver noticed this: " + OBSERVATION);

    assertThat(report(null, broken).finding()).as("something is wrong").isEqualTo(OBSERVATION);
    assertThat(report(null, broken).predicted()).as("but was not predicted").isNull();
    assertThat(report(null, broken).harm()).isEqualTo(OBSERVATION);
  }

  @Test
  void harmIsPending_untilADriverMeetsIt_whereTheGuestRuns() throws Exception {
    var session = new FakeSession("d", "rdma:h:1", Role.DESTINATION, false);
    session.setGuestRunning(true);
    assertThat(PredictedHarm.isPending(session)).as("no devices").isFalse();
    session.setVirtio(snapshot(null, null));
    assertThat(PredictedHarm.isPending(session)).isFalse();
    session.setVirtio(snapshot(lost, null));
    assertThat(PredictedHarm.isPending(session)).isTrue();
    session.setGuestRunning(false);
    assertThat(PredictedHarm.isPending(session)).as("nobody drives the devices").isFalse();
    session.setGuestRunning(true);

    session.end(MigrationStatus.COMPLETED, "The guest runs here.");
    session.setGuestRunning(true);
    var looks = new ArrayList<Integer>();
    PredictedHarm.await(
        List.of(session),
        () -> {
          looks.add(looks.size());
          if (looks.size() == 3) {
            session.setVirtio(snapshot(lost, broken));
          }
          return true;
        });
    assertThat(looks).hasSize(3);
    session.setVirtio(snapshot(lost, null));
    PredictedHarm.await(List.of(session), () -> false);
    assertThat(PredictedHarm.isPending(session)).as("nobody wanted to wait").isTrue();
  }
}
