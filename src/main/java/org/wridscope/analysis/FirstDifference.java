// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * Where the same end of two migrations, or two programs, first did something in another order:
 * posts, completions and control messages are compared one by one, whenever they happened.
 * Heartbeats are left out, which come by the clock, and so are the wr_ids of programs, which may be
 * addresses.
 *
 * @param same how many were the same before
 * @param lastSame the last of them at the first end; null if there is none
 * @param lastSameOfOther the last of them at the other one; null if there is none
 * @param one what the first end did then; null if nothing more
 * @param other what the other one did then; null if nothing more
 */
public record FirstDifference(
    long same,
    @Nullable Event lastSame,
    @Nullable Event lastSameOfOther,
    @Nullable Event one,
    @Nullable Event other) {

  /**
   * Reads the logs of both, as far as they are kept.
   *
   * @return null if there is no difference
   * @throws IllegalArgumentException with a sentence, if a log no longer has its first events
   */
  public static @Nullable FirstDifference between(SessionTelemetry one, SessionTelemetry other) {
    var ofOne = new Order(one);
    var ofOther = new Order(other);
    Event lastSame = null;
    Event lastSameOfOther = null;
    for (long same = 0; ; same++) {
      Event next = ofOne.next();
      Event nextOfOther = ofOther.next();
      if (next == null && nextOfOther == null) {
        return null;
      }
      if (next == null || nextOfOther == null || !isSame(next, nextOfOther)) {
        return new FirstDifference(same, lastSame, lastSameOfOther, next, nextOfOther);
      }
      lastSame = next;
      lastSameOfOther = nextOfOther;
    }
  }

  private static boolean isSame(Event one, Event other) {
    return one.kind() == other.kind()
        && (one.kind().ofProgram() || one.wrid() == other.wrid())
        // Whether a write is signaled does not change the order.
        && (one.kind() == EventKind.POST_WRITE || one.detail() == other.detail());
  }

  /** What is compared of a log, in its order. */
  private static final class Order {
    private static final int PIECE = 4_096;

    private final SessionTelemetry telemetry;
    private final Requests requests;
    private final Set<Long> heartbeats = new HashSet<>();
    private final Deque<Event> read = new ArrayDeque<>();
    private long from;

    Order(SessionTelemetry telemetry) {
      this.telemetry = telemetry;
      if (telemetry.log().oldest() > 0) {
        throw new IllegalArgumentException(
            "The first events of one of them are no longer kept, so the first difference is not"
                + " known. Record it, and compare the recording.");
      }
      requests = new Requests(telemetry).readAll();
      Messages received = requests.received();
      for (long message = received.first(); message < received.end(); message++) {
        if (received.type(message) == ControlType.HEARTBEAT.value()
            && received.request(message) != WorkRequests.NONE) {
          heartbeats.add(received.request(message));
        }
      }
    }

    @Nullable Event next() {
      while (read.isEmpty()) {
        long before = from;
        for (Event event : telemetry.log().read(from, PIECE)) {
          from = event.number() + 1;
          if (isCompared(event)) {
            read.add(event);
          }
        }
        if (from == before) {
          return null;
        }
      }
      return read.poll();
    }

    private boolean isCompared(Event event) {
      return switch (event.kind()) {
        case POST_WRITE,
            COMPLETION_DROPPED,
            COMPLETION_MET,
            PROGRAM_POST,
            PROGRAM_RECEIVE,
            PROGRAM_COMPLETION ->
            true;
        case POST_SEND, CONTROL_RECEIVED -> event.detail() != ControlType.HEARTBEAT.value();
        case COMPLETION_SEND_QUEUE -> {
          long request = requests.sends().ofEvent(event.number());
          yield !requests.sends().has(request)
              || requests.sends().controlType(request) != ControlType.HEARTBEAT.value();
        }
        case COMPLETION_RECEIVE_QUEUE ->
            !heartbeats.contains(requests.receives().ofEvent(event.number()));
        // A receive is posted again whenever one was handled, and CONTROL_SENT follows its post.
        default -> false;
      };
    }
  }
}
