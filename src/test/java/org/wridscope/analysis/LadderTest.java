// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;

final class LadderTest {
  private final SeedDeadlock deadlock = new SeedDeadlock();
  private final Requests source = deadlock.source().requests();
  private final Requests destination = deadlock.destination().requests();

  @Test
  void rung_ofBothEnds_pairsTheNthSentWithTheNthReceived() {
    var ladder = new Ladder(source, destination);
    assertThat(ladder.isPaired()).isTrue();
    assertThat(ladder.count(Role.SOURCE)).isEqualTo(1);
    Ladder.Rung ready = ladder.rung(Role.DESTINATION, 0);
    assertThat(ready.type()).isEqualTo(ControlType.READY.value());
    assertThat(ready.receivedNanos() - ready.sentNanos()).isEqualTo(20_000);
    assertThat(ready.dropped()).isFalse();
    Ladder.Rung request = ladder.rung(Role.SOURCE, 0);
    assertThat(request.type()).isEqualTo(ControlType.REGISTER_REQUEST.value());
    assertThat(request.receivedNanos()).isGreaterThan(request.sentNanos());
    assertThat(request.dropped()).isTrue();
    assertThat(ladder.ofEvent(Role.DESTINATION, request.receivedEvent())).isEqualTo(request);
    assertThat(ladder.ofEvent(Role.SOURCE, request.sentEvent())).isEqualTo(request);
    assertThat(ladder.indexOf(Role.SOURCE, request.receivedNanos() + 1)).isEqualTo(1);
    assertThat(ladder.indexOf(Role.SOURCE, request.receivedNanos())).isZero();
  }

  @Test
  void rung_ofOneEnd_hasOnlyTheMomentsOfThatEnd() {
    var ladder = new Ladder(null, destination);
    assertThat(ladder.isPaired()).isFalse();
    Ladder.Rung ready = ladder.rung(Role.DESTINATION, 0);
    assertThat(ready.receivedNanos()).isEqualTo(Ladder.UNKNOWN);
    assertThat(ready.firstNanos()).isEqualTo(ready.lastNanos());
    Ladder.Rung dropped = ladder.rung(Role.SOURCE, 0);
    assertThat(dropped.type()).isEqualTo(Messages.UNKNOWN);
    assertThat(dropped.sentNanos()).isEqualTo(Ladder.UNKNOWN);
    assertThat(dropped.dropped()).isTrue();
    assertThat(Objects.requireNonNull(ladder.ofEvent(Role.DESTINATION, dropped.receivedEvent())))
        .isEqualTo(dropped);
    assertThat(ladder.ofEvent(Role.SOURCE, 0)).isNull();
  }
}
