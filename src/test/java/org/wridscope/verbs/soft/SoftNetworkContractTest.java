// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Nested;
import org.wridscope.verbs.CompletionContract;
import org.wridscope.verbs.ConnectionContract;
import org.wridscope.verbs.ProtectionContract;
import org.wridscope.verbs.QueuePairContract;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.TransferContract;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.VerbsUnderTest;

/** Runs software devices on the network through the contracts of the verbs, over loopback. */
final class SoftNetworkContractTest {

  private static final class NetworkVerbs implements VerbsUnderTest {
    @Override
    public RdmaDevice open(String name) throws VerbsException {
      return SoftNetwork.open(name);
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

  @Nested
  final class Protection extends ProtectionContract {
    Protection() {
      super(new NetworkVerbs());
    }
  }

  @Nested
  final class QueuePairs extends QueuePairContract {
    QueuePairs() {
      super(new NetworkVerbs());
    }
  }

  @Nested
  final class Completions extends CompletionContract {
    Completions() {
      super(new NetworkVerbs());
    }
  }

  @Nested
  final class Connections extends ConnectionContract {
    Connections() {
      super(new NetworkVerbs());
    }
  }

  @Nested
  final class Transfers extends TransferContract {
    Transfers() {
      super(new NetworkVerbs());
    }
  }
}
