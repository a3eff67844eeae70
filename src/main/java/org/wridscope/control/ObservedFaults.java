// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.SentAgain;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** A fault plan of a lab's device that tells the session what the device sent again. */
final class ObservedFaults implements FaultPlan {
  private final FaultPlan plan;

  /** Null until the session is known, whose engine may have begun before. */
  private @Nullable SessionTelemetry telemetry;

  /** What was sent again before the session was known. */
  private final List<SentAgain> early = new ArrayList<>();

  ObservedFaults(FaultPlan plan) {
    this.plan = plan;
  }

  synchronized void tell(Session session) {
    telemetry = session.telemetry();
    early.forEach(session.telemetry()::sentAgain);
    early.clear();
  }

  private synchronized void note(SentAgain request) {
    SessionTelemetry session = telemetry;
    if (session == null) {
      early.add(request);
    } else {
      session.sentAgain(request);
    }
  }

  @Override
  public Fault decide(
      int queuePairNumber, long ordinal, SendRequest.Opcode opcode, long workRequestId) {
    return plan.decide(queuePairNumber, ordinal, opcode, workRequestId);
  }

  @Override
  public long wireNanos(int length) {
    return plan.wireNanos(length);
  }

  @Override
  public DeviceCapabilities capabilities(DeviceCapabilities most) {
    return plan.capabilities(most);
  }

  @Override
  public int queuePairIds() {
    return plan.queuePairIds();
  }

  @Override
  public boolean freesNumbersEarly() {
    return plan.freesNumbersEarly();
  }

  @Override
  public void resent(
      int queuePairNumber, long ordinal, long workRequestId, int length, Resent what) {
    plan.resent(queuePairNumber, ordinal, workRequestId, length, what);
    note(new SentAgain(ordinal, workRequestId, length, data(what)));
  }

  private static SentAgain.Data data(Resent what) {
    return switch (what) {
      case SAME -> SentAgain.Data.SAME;
      case OTHER -> SentAgain.Data.OTHER;
      case NOTHING -> SentAgain.Data.NONE;
    };
  }
}
