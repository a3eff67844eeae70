// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.List;

/** Replaces messages of a peer that otherwise follows the protocol. */
@FunctionalInterface
interface Tamper {
  /** Replaces nothing. */
  Tamper NONE = (index, message) -> List.of(message);

  /** Replaces nothing, and adds each message to a list. */
  static Tamper recording(List<byte[]> messages) {
    return (index, message) -> {
      if (index == messages.size()) {
        messages.add(message);
      }
      return List.of(message);
    };
  }

  /**
   * The messages that are sent instead of a message.
   *
   * @param index of the message among those of this peer, from 0
   */
  List<byte[]> apply(int index, byte[] message);
}
