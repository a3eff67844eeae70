// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.VerbsContractSuite;
import org.wridscope.verbs.VerbsUnderTest;

/** Runs software devices of one fabric through the contracts of the verbs. */
final class SoftDeviceContractTest extends VerbsContractSuite {

  @Override
  protected VerbsUnderTest verbs() {
    return new SoftUnderTest(new SoftFabric()::open);
  }
}
