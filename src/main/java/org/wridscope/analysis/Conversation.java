// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;

/**
 * Tells which message answers which SEND, by the rules of the protocol: the source sends a message
 * only after READY, and the destination answers it, and sends the next READY, only after the
 * message has arrived.
 */
final class Conversation {
  private final boolean source;
  private long asked = WorkRequests.NONE;
  private long asks;
  private long readies;
  private long lastReady = WorkRequests.NONE;
  private long switchOver = WorkRequests.NONE;
  private long loaded = WorkRequests.NONE;

  Conversation(Role role) {
    source = role == Role.SOURCE;
  }

  /** Records the SEND that carried a message. */
  void sent(@Nullable ControlType type, long request) {
    switch (type) {
      case SWITCH_OVER -> switchOver = request;
      case LOADED -> loaded = request;
      case READY -> {
        lastReady = request;
        readies++;
      }
      case null -> {
        // unknown type
      }
      default -> {
        if (source && needsReady(type)) {
          asked = request;
          asks++;
        }
      }
    }
  }

  /**
   * Records a received message.
   *
   * @param type null when it was never decoded
   * @return the SEND that it answers, {@link WorkRequests#NONE} when there is none
   */
  long received(@Nullable ControlType type) {
    if (source) {
      return switch (type) {
        case RUNNING -> switchOver;
        case HEARTBEAT, ERROR, DIGESTS -> WorkRequests.NONE;
        case READY -> {
          long follows = asks == readies ? asked : WorkRequests.NONE;
          readies++;
          yield follows;
        }
        // If as many messages were sent as READYs received, this answers the last message.
        case null, default -> asks == readies ? asked : WorkRequests.NONE;
      };
    }
    if (type == ControlType.SWITCH_OVER) {
      return loaded;
    }
    if (type != null && !needsReady(type)) {
      return WorkRequests.NONE;
    }
    asks++;
    return asks == readies ? lastReady : WorkRequests.NONE;
  }

  private static boolean needsReady(ControlType type) {
    return !type.isPrivate() && type != ControlType.READY && type != ControlType.ERROR;
  }
}
