// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.time.Duration;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/** A connection request that came to a listener. */
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
  public void accept(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException {
    connection.accept(parameters, timeout);
  }

  @Override
  public void reject(byte[] privateData) throws VerbsException {
    if (privateData.length > MAX_REJECT_PRIVATE_DATA) {
      throw new VerbsException(
          Errno.EINVAL,
          "private data of %d bytes, a reject carries at most %d"
              .formatted(privateData.length, MAX_REJECT_PRIVATE_DATA));
    }
    connection.reject(privateData);
    connection.close();
  }
}
