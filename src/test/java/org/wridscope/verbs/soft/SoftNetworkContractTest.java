// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.Slow;
import org.wridscope.verbs.VerbsContractSuite;
import org.wridscope.verbs.VerbsUnderTest;

/** Runs software devices on the network through the contracts of the verbs, over loopback. */
@Slow("the contracts over TCP, in real time")
final class SoftNetworkContractTest extends VerbsContractSuite {

  @Override
  protected VerbsUnderTest verbs() {
    return new SoftUnderTest(SoftNetwork::open);
  }
}
