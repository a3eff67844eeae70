// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;

/**
 * What an end of a migration does while it does not wait. An engine reports nothing while it
 * computes, so this follows from its newest event: the protocol leaves it one thing to do next.
 *
 * @param nanos of that event
 * @param event its number
 * @param verb for example {@code registers memory for the source}; null if it cannot be told
 */
record Activity(long nanos, long event, @Nullable String verb) {

  /** What it does at a moment; null if it waits then, or nothing had happened before. */
  static @Nullable Activity at(Requests end, long nanos) {
    Waits waits = end.waits();
    long wait = waits.indexOf(nanos);
    if (waits.has(wait) && waits.beganNanos(wait) <= nanos) {
      return null;
    }
    return newest(end, nanos).stream().max(Comparator.comparingLong(Activity::event)).orElse(null);
  }

  /** The newest event of each kind. */
  private static List<Activity> newest(Requests end, long nanos) {
    var found = new ArrayList<Activity>();
    for (Event event : end.milestones().reversed()) {
      // The engine goes on with what it did, whatever the operator does to the guest.
      if (event.nanos() <= nanos && event.kind() != EventKind.OPERATED) {
        found.add(new Activity(event.nanos(), event.number(), after(event)));
        break;
      }
    }
    Messages sent = end.sent();
    long message = sent.indexOf(nanos + 1) - 1;
    if (sent.has(message)) {
      found.add(new Activity(sent.nanos(message), sent.event(message), null));
    }
    Messages received = end.received();
    message = received.indexOf(nanos + 1) - 1;
    if (received.has(message)) {
      String verb = afterReceiving(end.role(), ControlType.of(received.type(message)));
      found.add(new Activity(received.nanos(message), received.event(message), verb));
    }
    WorkRequests sends = end.sends();
    long posted = sends.posted().indexOf(nanos + 1) - 1;
    if (sends.has(posted) && sends.kind(posted) == RequestKind.WRITE) {
      found.add(
          new Activity(
              sends.postedNanos(posted),
              sends.postEvent(posted),
              "looks for more dirty RAM that is not zero, to write it"));
    }
    return found;
  }

  private static @Nullable String after(Event milestone) {
    return switch (milestone.kind()) {
      case ROUND_BEGIN ->
          "looks for dirty RAM that is not zero, before its first write of the round";
      case ROUND_END -> "collects which pages the guest has written in the meantime";
      case GUEST_PAUSED -> "collects the last dirty pages of its paused guest";
      default -> null;
    };
  }

  private static @Nullable String afterReceiving(Role role, @Nullable ControlType type) {
    return switch (type) {
      case RAM_BLOCKS_REQUEST -> "lists its RAM blocks, and registers them with pin-all";
      case REGISTER_REQUEST -> "registers memory for the source";
      case UNREGISTER_REQUEST -> "deregisters memory for the source";
      case COMPRESS -> "makes sure that the announced ranges are zero";
      case QEMU_FILE -> "reads the migration stream";
      case RAM_BLOCKS_RESULT -> "compares the RAM blocks of both ends";
      case REGISTER_RESULT -> "posts the writes that need the keys";
      case READY -> role == Role.SOURCE ? "prepares its next message" : null;
      case null, default -> null;
    };
  }
}
