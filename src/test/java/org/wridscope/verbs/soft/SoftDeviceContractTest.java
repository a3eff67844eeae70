// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Nested;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.TransferContract;
import org.wridscope.verbs.VerbsUnderTest;

/** Runs the software device through the contracts of the verbs. */
final class SoftDeviceContractTest {

  private static final class SoftVerbs implements VerbsUnderTest {
    private final SoftFabric fabric = new SoftFabric();

    @Override
    public RdmaDevice open(String name) {
      return fabric.open(name);
    }

    @Override
    public InetSocketAddress address() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }
  }

  @Nested
  final class Transfers extends TransferContract {
    Transfers() {
      super(new SoftVerbs());
    }
  }
}
