// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.time.Duration;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.PrivateData;

/** A connection request that a listener received. */
final class NativeConnectionRequest implements ConnectionRequest {
  private final byte[] privateData;
  private final NativeConnection connection;

  NativeConnectionRequest(byte[] privateData, NativeConnection connection) {
    this.privateData = privateData;
    this.connection = connection;
  }

  @Override
  public byte[] privateData() {
    return privateData.clone();
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public void beginAccept(ConnectionParameters parameters) throws VerbsException {
    connection.beginAccept(parameters);
  }

  @Override
  public boolean awaitConfirmation(Duration timeout) throws VerbsException, InterruptedException {
    return connection.awaitConfirmation(timeout);
  }

  @Override
  public void accept(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException {
    connection.accept(parameters, timeout);
  }

  @Override
  public void reject(byte[] privateData) throws VerbsException {
    PrivateData.requireFitsReject(privateData);
    connection.reject(privateData);
    connection.close();
  }
}
