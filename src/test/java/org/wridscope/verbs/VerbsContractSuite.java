// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import org.junit.jupiter.api.Nested;

/** All contracts of the verbs, for one implementation. */
public abstract class VerbsContractSuite {

  /** Called for each test. */
  protected abstract VerbsUnderTest verbs();

  @Nested
  final class Protection extends ProtectionContract {
    Protection() {
      super(VerbsContractSuite.this.verbs());
    }
  }

  @Nested
  final class QueuePairs extends QueuePairContract {
    QueuePairs() {
      super(VerbsContractSuite.this.verbs());
    }
  }

  @Nested
  final class Completions extends CompletionContract {
    Completions() {
      super(VerbsContractSuite.this.verbs());
    }
  }

  @Nested
  final class Connections extends ConnectionContract {
    Connections() {
      super(VerbsContractSuite.this.verbs());
    }
  }

  @Nested
  final class Transfers extends TransferContract {
    Transfers() {
      super(VerbsContractSuite.this.verbs());
    }
  }
}
