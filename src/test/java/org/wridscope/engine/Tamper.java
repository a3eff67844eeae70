// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.List;

/** What becomes of the messages of a peer that otherwise keeps to the protocol. */
@FunctionalInterface
interface Tamper {
  /** Nothing. */
  Tamper NONE = (index, message) -> List.of(message);

  /**
   * What is sent in the place of a message.
   *
   * @param index of the message among those that this peer sends, from 0
   */
  List<byte[]> apply(int index, byte[] message);
}
