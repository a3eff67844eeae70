// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.DeviceCounts;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.DeviceCounter;

/** Writes the events of a session at chosen moments, as an engine would. */
public final class Script {
  /** Distance of events without a given moment: a microsecond. */
  private static final long STEP = 1_000;

  private final SessionTelemetry telemetry;
  private final long start;
  private long now;

  public Script(Role role) {
    this(new SessionTelemetry(role, true));
  }

  public Script(SessionTelemetry telemetry) {
    this(telemetry, telemetry.startNanos());
  }

  /**
   * @param start the origin of the moments of this script
   */
  public Script(SessionTelemetry telemetry, long start) {
    this.telemetry = telemetry;
    this.start = start;
    now = start;
  }

  public SessionTelemetry telemetry() {
    return telemetry;
  }

  public long now() {
    return now;
  }

  /** Sets the moment of the next event, in nanoseconds after the start. */
  public Script at(long nanos) {
    now = start + nanos - STEP;
    return this;
  }

  public static long write(int block, long chunk) {
    return WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
  }

  public Script event(EventKind kind, int detail, int length, long wrid, long argument) {
    now += STEP;
    telemetry.log().add(now, kind, detail, length, wrid, argument);
    return this;
  }

  public Script postWrite(long wrid, boolean signaled) {
    return event(EventKind.POST_WRITE, signaled ? 1 : 0, 4096, wrid, 0x7f00_0000_0000L);
  }

  public Script postReceive(int buffer) {
    return event(EventKind.POST_RECEIVE, 0, 524_288, WorkRequestId.CONTROL_RECEIVE + buffer, 0);
  }

  public Script send(ControlType type, int payload) {
    return event(EventKind.CONTROL_SENT, type.value(), payload, WorkRequestId.CONTROL_SEND, 1);
  }

  /** A completion of the send queue. */
  public Script completion(long wrid, int status) {
    return event(EventKind.COMPLETION_SEND_QUEUE, status, 0, wrid, 0);
  }

  public Script sent() {
    return completion(WorkRequestId.CONTROL_SEND, 0);
  }

  /** A completion of the receive queue, not decoded. */
  public Script receiveCompletion(int buffer) {
    return event(
        EventKind.COMPLETION_RECEIVE_QUEUE, 0, 24, WorkRequestId.CONTROL_RECEIVE + buffer, 0);
  }

  /** A message that arrived and was decoded. */
  public Script receive(int buffer, ControlType type, int payload) {
    return receiveCompletion(buffer)
        .event(
            EventKind.CONTROL_RECEIVED,
            type.value(),
            payload,
            WorkRequestId.CONTROL_RECEIVE + buffer,
            1);
  }

  public Script wait(String phrase, long wrid) {
    return event(EventKind.WAIT_BEGIN, telemetry.phrase(phrase), 0, wrid, 0);
  }

  public Script waitEnds(String phrase) {
    return event(EventKind.WAIT_END, telemetry.phrase(phrase), 0, 0, 0);
  }

  public Script dropped(String phrase, long wrid) {
    return event(EventKind.COMPLETION_DROPPED, telemetry.phrase(phrase), 0, wrid, 0);
  }

  public Script met(String phrase, long wrid) {
    return event(EventKind.COMPLETION_MET, telemetry.phrase(phrase), 0, wrid, 0);
  }

  /** A sample found that a counter of a device has counted so much. */
  public Script counted(DeviceCounter counter, long value, boolean atLeast) {
    // It gets its name; the event itself, which has the present time, is not taken.
    telemetry.counted(counter, new DeviceCounts.Count(value, atLeast));
    int name = telemetry.waits().indexOf(new Wait(counter));
    return event(EventKind.DEVICE_COUNTED, name, atLeast ? 1 : 0, 0, value);
  }

  public Requests requests() {
    return new Requests(telemetry).readAll();
  }
}
