// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.account.Account;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.soft.FaultPlan;

final class ObservedFaultsTest {

  /** The engines of a lab run before the lab has its sessions. */
  @Test
  void requestThatIsSentAgainBeforeTheSessionIsKnown_isToldOnce() {
    var faults = new ObservedFaults(FaultPlan.NONE);
    var session =
        new FakeSession(
            "lab source",
            "rdma:127.0.0.1:1",
            new SessionTelemetry(Role.SOURCE, false, Account::new));
    faults.resent(17, 3, 7, 4096, FaultPlan.Resent.NOTHING);
    faults.tell(session);
    faults.resent(17, 4, 7, 4096, FaultPlan.Resent.SAME);
    session.telemetry().takeSentAgain();
    assertThat(session.telemetry().metrics().get(Metric.REQUESTS_SENT_AGAIN)).isEqualTo(2);
    assertThat(session.telemetry().metrics().get(Metric.SENT_AGAIN_UNREGISTERED)).isEqualTo(1);
  }
}
