// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.VerbsUnderTest;

/** Software devices on loopback. */
record SoftUnderTest(Opener opener) implements VerbsUnderTest {

  /** Opens a device with a name. */
  interface Opener {
    RdmaDevice open(String name) throws VerbsException;
  }

  @Override
  public RdmaDevice open(String name) throws VerbsException {
    return opener.open(name);
  }

  @Override
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  @Override
  public boolean hasExactStatuses() {
    return true;
  }
}
