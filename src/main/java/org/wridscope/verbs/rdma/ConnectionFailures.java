// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** Why a connection was not established, and what to do about it. */
final class ConnectionFailures {
  /** Reject reason (IBTA table 107): nobody listens on that port. */
  private static final int REJECT_NO_LISTENER = 8;

  /** Reject reason: the listener refused. */
  private static final int REJECT_BY_CONSUMER = 28;

  private ConnectionFailures() {}

  static VerbsException noRoute(String peer, NativeCallException e) {
    Errno errno = Errno.of(e.errno());
    return switch (errno) {
      case ETIMEDOUT, EHOSTUNREACH ->
          new VerbsException(
              errno,
              "%s does not answer; check that the host is up, the address is right and the cable is plugged in"
                  .formatted(peer));
      case ENODEV ->
          new VerbsException(
              Errno.ENODEV,
              "the route to %s does not use an RDMA device; use an address of the RDMA network, not a loopback address"
                  .formatted(peer));
      case ENETUNREACH ->
          new VerbsException(
              Errno.ENETUNREACH,
              "there is no route to %s; check the address and this machine's routes"
                  .formatted(peer));
      default -> Installation.failed("finding the route to " + peer, e);
    };
  }

  static VerbsException removed(String device) {
    return new VerbsException(
        Errno.ENODEV, "the RDMA device %s was removed from this machine".formatted(device));
  }

  static VerbsException rejected(String peer, CmEvent event) {
    return switch (event.status()) {
      case REJECT_NO_LISTENER ->
          new ConnectionRejectedException(
              "nobody listens on %s; start the other side first".formatted(peer),
              false,
              new byte[0]);
      case REJECT_BY_CONSUMER ->
          new ConnectionRejectedException(
              "%s refused the connection".formatted(peer), true, event.privateData());
      default ->
          new VerbsException(
              Errno.ECONNREFUSED,
              "the connection manager of %s refused the connection (reason %d); try again"
                  .formatted(peer, event.status()));
    };
  }

  static VerbsException gaveUp(String peer) {
    return new VerbsException(
        Errno.ETIMEDOUT, "%s gave up before its request was accepted".formatted(peer));
  }
}
