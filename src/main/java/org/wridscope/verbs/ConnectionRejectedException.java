// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** The peer's connection manager rejected a connection request. */
public final class ConnectionRejectedException extends VerbsException {
  private static final long serialVersionUID = 1L;

  private final transient byte[] privateData;
  private final boolean byPeer;

  /**
   * @param byPeer whether a listener refused; else nobody listens there
   * @param privateData what the listener said, empty when it said nothing
   */
  public ConnectionRejectedException(String message, boolean byPeer, byte[] privateData) {
    super(Errno.ECONNREFUSED, message);
    this.byPeer = byPeer;
    this.privateData = privateData.clone();
  }

  /** Whether a listener refused; else nobody listens on that port. */
  public boolean byPeer() {
    return byPeer;
  }

  /** What the listener said, padded with zeros by the transport; empty when nobody listens. */
  public byte[] privateData() {
    return privateData.clone();
  }
}
