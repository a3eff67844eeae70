// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SamplerTest {
  /** A session whose log has no space, so that taking an event fails. */
  private static SessionTelemetry defective() {
    var session = new SessionTelemetry(Role.SOURCE, true, -1 << 20);
    session.event(EventKind.STATUS, 0, 0, 0, 0);
    return session;
  }

  @Test
  void defectInOneSession_doesNotAffectOthers() {
    try (var sampler = new Sampler()) {
      var healthy = new SessionTelemetry(Role.DESTINATION, true);
      sampler.add(defective());
      sampler.add(healthy);
      for (int events = 1; events <= 3; events++) {
        healthy.event(EventKind.STATUS, 0, 0, 0, 0);
        while (healthy.log().size() < events) {
          Thread.yield();
        }
      }
    }
  }

  @Test
  void defectiveSession_canBeRemoved() {
    try (var sampler = new Sampler()) {
      SessionTelemetry session = defective();
      sampler.add(session);
      sampler.remove(session);
      session.closeRing();
      assertThat(session.eventsLeftOut()).isZero();
    }
  }
}
