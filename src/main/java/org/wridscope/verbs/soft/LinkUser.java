// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

/** The user of a {@link NetworkLink}. Called by the device's thread. */
interface LinkUser {

  /**
   * A frame of the connection manager arrived.
   *
   * @param privateData of the frame
   * @throws BrokenStreamException when the frame is not allowed in this state
   */
  void manage(Frame frame, byte[] privateData) throws BrokenStreamException;

  /** Nothing arrives from the peer any more. Called once. */
  void lost(Loss loss);
}
