// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import org.junit.jupiter.api.Tag;
import org.wridscope.verbs.VerbsContractSuite;
import org.wridscope.verbs.VerbsUnderTest;

/** Runs an RDMA device through the contracts of the verbs. */
@Tag("rdma")
final class RdmaContractTest extends VerbsContractSuite {

  @Override
  protected VerbsUnderTest verbs() {
    return new RdmaUnderTest();
  }
}
