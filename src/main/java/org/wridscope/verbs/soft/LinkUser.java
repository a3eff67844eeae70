// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

/** Whom a {@link NetworkLink} serves. Called by the device's thread. */
interface LinkUser {

  /**
   * A frame of the connection manager came.
   *
   * @param privateData that came with it
   * @throws BrokenStreamException when it has no place here
   */
  void manage(Frame frame, byte[] privateData) throws BrokenStreamException;

  /** Nothing comes from the peer any more. Called once. */
  void lost(Loss loss);
}
