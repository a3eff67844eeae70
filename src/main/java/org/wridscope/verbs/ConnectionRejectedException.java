// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** The peer's connection manager rejected a connection request. */
public final class ConnectionRejectedException extends VerbsException {
  private static final long serialVersionUID = 1L;

  private final transient byte[] privateData;
  private final boolean byPeer;

  /**
   * @param byPeer true when a listener rejected the request, false when nobody listens there
   * @param privateData private data of the rejection, empty when there is none
   */
  public ConnectionRejectedException(String message, boolean byPeer, byte[] privateData) {
    super(Errno.ECONNREFUSED, message);
    this.byPeer = byPeer;
    this.privateData = privateData.clone();
  }

  /** True when a listener rejected the request, false when nobody listens on that port. */
  public boolean byPeer() {
    return byPeer;
  }

  /** Private data of the rejection, padded with zeros; empty when nobody listens. */
  public byte[] privateData() {
    return privateData.clone();
  }
}
