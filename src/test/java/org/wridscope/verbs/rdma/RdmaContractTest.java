// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.wridscope.verbs.CompletionContract;
import org.wridscope.verbs.ConnectionContract;
import org.wridscope.verbs.ProtectionContract;
import org.wridscope.verbs.QueuePairContract;
import org.wridscope.verbs.TransferContract;

/** Runs an RDMA device through the contracts of the verbs. */
@Tag("rdma")
final class RdmaContractTest {

  @Nested
  final class Connections extends ConnectionContract {
    Connections() {
      super(new RdmaUnderTest());
    }
  }

  @Nested
  final class Transfers extends TransferContract {
    Transfers() {
      super(new RdmaUnderTest());
    }
  }

  @Nested
  final class QueuePairs extends QueuePairContract {
    QueuePairs() {
      super(new RdmaUnderTest());
    }
  }

  @Nested
  final class Completions extends CompletionContract {
    Completions() {
      super(new RdmaUnderTest());
    }
  }

  @Nested
  final class Protection extends ProtectionContract {
    Protection() {
      super(new RdmaUnderTest());
    }
  }
}
