// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/** Limits of the private data in messages of the connection manager. */
public final class PrivateData {
  private PrivateData() {}

  /**
   * Checks private data for a connect.
   *
   * @throws VerbsException with {@link Errno#EINVAL} when it is longer than {@link
   *     ConnectionParameters#MAX_CONNECT_PRIVATE_DATA}
   */
  public static void requireFitsConnect(byte[] data) throws VerbsException {
    requireFits("connect", data, ConnectionParameters.MAX_CONNECT_PRIVATE_DATA);
  }

  /**
   * Checks private data for a reject.
   *
   * @throws VerbsException with {@link Errno#EINVAL} when it is longer than {@link
   *     ConnectionRequest#MAX_REJECT_PRIVATE_DATA}
   */
  public static void requireFitsReject(byte[] data) throws VerbsException {
    requireFits("reject", data, ConnectionRequest.MAX_REJECT_PRIVATE_DATA);
  }

  private static void requireFits(String message, byte[] data, int limit) throws VerbsException {
    if (data.length > limit) {
      throw new VerbsException(
          Errno.EINVAL,
          "private data of %d bytes, a %s carries at most %d"
              .formatted(data.length, message, limit));
    }
  }
}
