// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.wridscope.analysis.Script;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.SessionTelemetry;

/** Logs the events of any number of requests, as a source and a destination would. */
public final class ScriptedRequests {
  private static final int SIGNALED_EVERY = 8;
  private static final int WRITES_PER_MESSAGE = 64;
  private static final int BUFFERS = 4;

  private final Script source;
  private final Script destination;
  private final SplittableRandom random;
  private final ArrayDeque<Long> flying = new ArrayDeque<>();
  private long now;

  /** Messages that the source received; they use its buffers in the order of their posts. */
  private int received;

  public ScriptedRequests(
      SessionTelemetry sourceTelemetry, SessionTelemetry destinationTelemetry, long seed) {
    source = new Script(sourceTelemetry);
    destination = new Script(destinationTelemetry, sourceTelemetry.startNanos());
    random = new SplittableRandom(seed);
  }

  /**
   * Logs a number of RDMA writes and the messages between them.
   *
   * @param apart mean time between two writes, in nanoseconds
   */
  public ScriptedRequests writes(int count, long apart) {
    for (int buffer = 0; buffer < BUFFERS; buffer++) {
      source.at(now).postReceive(buffer);
      destination.at(now).postReceive(buffer);
    }
    int message = 0;
    for (int i = 0; i < count; i++) {
      if (i % WRITES_PER_MESSAGE == 0) {
        exchange(message++ % BUFFERS);
      }
      now += random.nextLong(apart / 2, apart * 3 / 2);
      long wrid = Script.write(i % 97 == 0 ? 1 : 0, i % 8_192);
      boolean signaled = i % SIGNALED_EVERY == SIGNALED_EVERY - 1;
      source.at(now).postWrite(wrid, signaled);
      if (signaled) {
        flying.add(wrid);
      }
      if (flying.size() > 3 + random.nextInt(10)) {
        now += apart / 4;
        source.at(now).completion(flying.remove(), 0);
      }
    }
    while (!flying.isEmpty()) {
      now += apart;
      source.at(now).completion(flying.remove(), 0);
    }
    return this;
  }

  private void exchange(int buffer) {
    long step = 6_000;
    // A SEND completes after the writes before it.
    while (!flying.isEmpty()) {
      source.at(now += step).completion(flying.remove(), 0);
    }
    source.at(now += step).wait("the destination's READY", 0);
    destination.at(now += step).send(ControlType.READY, 0);
    int first = received++ % BUFFERS;
    source.at(now += step).receive(first, ControlType.READY, 0);
    destination.at(now += 1_000).sent();
    source.at(now += 1_000).waitEnds("the destination's READY").postReceive(first);
    source.at(now += step).send(ControlType.REGISTER_REQUEST, 32);
    long send = WorkRequestId.CONTROL_SEND;
    boolean late = random.nextInt(20) == 0;
    if (!late) {
      source.at(now += step).sent();
    }
    source.at(now += 1_000).wait("the peer's REGISTER RESULT", 0);
    destination.at(now += step).receive(buffer, ControlType.REGISTER_REQUEST, 32);
    destination.postReceive(buffer);
    destination.at(now += step).send(ControlType.REGISTER_RESULT, 16);
    destination.at(now += step).sent();
    int other = received++ % BUFFERS;
    source.at(now += step).receive(other, ControlType.REGISTER_RESULT, 16);
    if (late) {
      // The response overtook the completion of the request.
      source.at(now += 3 * step).completion(send, 0);
    }
    source.at(now += 1_000).waitEnds("the peer's REGISTER RESULT").postReceive(other);
    source.event(EventKind.REGISTERED, 0, 1, Script.write(0, 1), 7);
  }

  /** The moment of the last event, in nanoseconds after the start. */
  public long lastNanos() {
    return now;
  }

  public Script source() {
    return source;
  }

  public Script destination() {
    return destination;
  }
}
