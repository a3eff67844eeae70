// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.InetSocketAddress;

/** What a contract needs of an implementation of the verbs. */
public interface VerbsUnderTest {

  /** Opens a device; those that one instance opens reach each other. The contract closes it. */
  RdmaDevice open(String name) throws VerbsException;

  /** An address to listen on, with port 0. */
  InetSocketAddress address();
}
