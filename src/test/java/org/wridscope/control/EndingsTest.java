// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;

/** Which end's reason is told when both ends of a migration have failed. */
final class EndingsTest {
  private static String told(Origin here, MigrationStatus there, Origin origin) {
    return told(1, here, there, origin);
  }

  private static String told(long sends, Origin here, MigrationStatus there, Origin origin) {
    var source = new FakeSession("s", "rdma:h:1", Role.SOURCE, true);
    source.telemetry().metrics().set(Metric.SENDS_POSTED, sends);
    source.end(
        MigrationStatus.FAILED,
        new SessionOutcome("It broke. See there.", "The guest runs.", here));
    var destination = new FakeSession("d", "rdma:h:1", Role.DESTINATION, true);
    destination.end(there, new SessionOutcome("Its RAM is small.", "No guest came.", origin));
    var ending = Objects.requireNonNull(Endings.of(source, destination));
    assertThat(ending.state()).isEqualTo(State.FAILED);
    return ending.sentence();
  }

  @Test
  void whereTheFailureBegan_isTold_andWhereTheGuestIs() {
    String own = "It broke. See there. The guest runs.";
    String theirs = "The destination says: Its RAM is small. The guest runs.";
    assertThat(told(Origin.UNKNOWN, MigrationStatus.FAILED, Origin.HERE)).isEqualTo(theirs);
    assertThat(told(Origin.UNKNOWN, MigrationStatus.FAILED, Origin.UNKNOWN)).isEqualTo(own);
    assertThat(told(Origin.UNKNOWN, MigrationStatus.FAILED, Origin.PEER)).isEqualTo(own);
    assertThat(told(Origin.UNKNOWN, MigrationStatus.CANCELLED, Origin.HERE)).isEqualTo(own);
    assertThat(told(Origin.HERE, MigrationStatus.FAILED, Origin.HERE)).isEqualTo(own);
    assertThat(told(Origin.PEER, MigrationStatus.FAILED, Origin.HERE)).isEqualTo(own);
  }

  /** As the ends of captured packets, which tell the same, and as a source without a guest. */
  @Test
  void sourceThatSaysNothingOfAGuest_addsItsReason_unlessItIsTheSame() {
    for (String reason : List.of("It broke.", "Its RAM is small.")) {
      var source = new FakeSession("s", "rdma:h:1", Role.SOURCE, true);
      source.end(MigrationStatus.FAILED, new SessionOutcome(reason, "", Origin.UNKNOWN));
      var destination = new FakeSession("d", "rdma:h:1", Role.DESTINATION, true);
      destination.end(MigrationStatus.FAILED, new SessionOutcome("Its RAM is small."));
      assertThat(Objects.requireNonNull(Endings.of(source, destination)).sentence())
          .isEqualTo(
              "The destination says: Its RAM is small."
                  + (reason.equals("It broke.") ? " It broke." : ""));
    }
  }

  @Test
  void sourceThatNeverSent_knowsLessThanItsDestination() {
    assertThat(told(0, Origin.HERE, MigrationStatus.FAILED, Origin.HERE))
        .isEqualTo("The destination says: Its RAM is small. The guest runs.");
  }
}
