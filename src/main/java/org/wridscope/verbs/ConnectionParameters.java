// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.util.Arrays;

/**
 * Parameters of connect and accept; see {@code struct rdma_conn_param}.
 *
 * @param privateData data for the peer: at most {@value #MAX_CONNECT_PRIVATE_DATA} bytes with
 *     connect, {@value #MAX_ACCEPT_PRIVATE_DATA} bytes with accept
 * @param retryCount how often the transport repeats an unanswered packet, 0 to 6 (7 means forever
 *     on some devices and is therefore not allowed)
 * @param rnrRetryCount how often the <em>peer</em> repeats a message for which no receive is posted
 *     here, 0 to 7, where 7 means forever
 */
@SuppressWarnings("ArrayRecordComponent") // copied on the way in and out, compared by content
public record ConnectionParameters(byte[] privateData, int retryCount, int rnrRetryCount) {
  public static final int MAX_CONNECT_PRIVATE_DATA = 56;
  public static final int MAX_ACCEPT_PRIVATE_DATA = 196;

  public ConnectionParameters {
    if (privateData.length > MAX_ACCEPT_PRIVATE_DATA) {
      throw new IllegalArgumentException(
          "private data of %d bytes, at most %d are allowed"
              .formatted(privateData.length, MAX_ACCEPT_PRIVATE_DATA));
    }
    if (retryCount < 0 || retryCount > 6) {
      throw new IllegalArgumentException("retry count " + retryCount + " is not in 0..6");
    }
    if (rnrRetryCount < 0 || rnrRetryCount > 7) {
      throw new IllegalArgumentException("RNR retry count " + rnrRetryCount + " is not in 0..7");
    }
    privateData = privateData.clone();
  }

  @Override
  public byte[] privateData() {
    return privateData.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ConnectionParameters that
        && retryCount == that.retryCount
        && rnrRetryCount == that.rnrRetryCount
        && Arrays.equals(privateData, that.privateData);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Arrays.hashCode(privateData) + retryCount) + rnrRetryCount;
  }
}
