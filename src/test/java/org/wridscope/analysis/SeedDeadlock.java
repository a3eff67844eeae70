// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * The hang that QEMU commit b390afd8c50b describes, step by step: with one completion queue for
 * sends and receives, the destination's wait for its SEND drops the completion of a receive for
 * which it waits later.
 */
public final class SeedDeadlock {
  public static final String WAIT_SEND = "the completion of CONTROL SEND";
  public static final String WAIT_RECEIVE = "the completion of CONTROL RECV 0";

  private final Script source;
  private final Script destination;

  public SeedDeadlock() {
    this(new SessionTelemetry(Role.SOURCE, true), new SessionTelemetry(Role.DESTINATION, true));
  }

  /** Writes the events into two sessions, starting a millisecond after the start of the source. */
  public SeedDeadlock(SessionTelemetry sourceTelemetry, SessionTelemetry destinationTelemetry) {
    source = new Script(sourceTelemetry);
    destination = new Script(destinationTelemetry, sourceTelemetry.startNanos());
    // 1. Both post a receive; 2. the source waits for READY.
    source.at(1_000_000).postReceive(0);
    destination.at(1_001_000).postReceive(0);
    source.at(1_002_000).wait(WAIT_RECEIVE, WorkRequestId.CONTROL_RECEIVE);
    // 3. The destination sends READY, and 4. waits for the completion of that SEND.
    destination.at(1_100_000).send(ControlType.READY, 0);
    destination.wait(WAIT_SEND, WorkRequestId.CONTROL_SEND);
    // 5. READY reaches the source, 6. which answers it and waits for its own SEND.
    source.at(1_120_000).receive(0, ControlType.READY, 0);
    source.waitEnds(WAIT_RECEIVE).postReceive(0);
    source.at(1_130_000).send(ControlType.REGISTER_REQUEST, 32);
    source.wait(WAIT_SEND, WorkRequestId.CONTROL_SEND);
    // 8. Its message reaches the destination before 10. the completion of the destination's SEND.
    destination.at(1_150_000).receiveCompletion(0);
    destination.dropped(WAIT_SEND, WorkRequestId.CONTROL_RECEIVE);
    // 9. The source's SEND completes; it waits for the answer.
    source.at(1_160_000).sent().waitEnds(WAIT_SEND);
    source.at(1_170_000).wait(WAIT_RECEIVE, WorkRequestId.CONTROL_RECEIVE);
    destination.at(1_180_000).sent().waitEnds(WAIT_SEND);
    // 11. The destination waits for the completion that it dropped.
    destination.at(1_190_000).wait(WAIT_RECEIVE, WorkRequestId.CONTROL_RECEIVE);
  }

  public Script source() {
    return source;
  }

  public Script destination() {
    return destination;
  }
}
