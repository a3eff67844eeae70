// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;
import java.util.Arrays;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.PrivateData;

/** A connection request of a client to a listener. */
final class SoftConnectionRequest implements ConnectionRequest {
  private final byte[] privateData;
  private final SoftConnection server;

  /** The private data is padded to the length that the transport carries. */
  SoftConnectionRequest(byte[] privateData, SoftConnection server) {
    this.privateData = privateData;
    this.server = server;
  }

  @Override
  public byte[] privateData() {
    return privateData.clone();
  }

  @Override
  public Connection connection() {
    return server;
  }

  @Override
  public void beginAccept(ConnectionParameters parameters) throws VerbsException {
    server.beginAccept(parameters);
  }

  @Override
  public boolean awaitConfirmation(Duration timeout) throws VerbsException, InterruptedException {
    return server.awaitConfirmation(timeout);
  }

  @Override
  public void accept(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException {
    server.accept(parameters, timeout);
  }

  @Override
  public void reject(byte[] privateData) throws VerbsException {
    PrivateData.requireFitsReject(privateData);
    server.reject(Arrays.copyOf(privateData, MAX_REJECT_PRIVATE_DATA));
    server.close();
  }

  /** The listener's device failed: the request gets no answer. */
  void abandon() {
    server.abandon();
  }
}
