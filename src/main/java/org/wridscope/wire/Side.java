// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

/**
 * One end of a connection.
 *
 * @param queuePair its number, -1 when no captured packet tells it
 */
public record Side(Host host, int queuePair) {
  /** The queue pair is not known. */
  public static final int UNKNOWN = -1;

  @Override
  public String toString() {
    return queuePair == UNKNOWN ? host.text() : "%s QP %d".formatted(host.text(), queuePair);
  }
}
