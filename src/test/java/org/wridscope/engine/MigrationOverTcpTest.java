// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole migrations that succeed, over TCP. */
@ExtendWith(OverTcp.class)
final class MigrationOverTcpTest extends MigrationTest {
  /** The whole block is one region then, as large as the offsets of an RDMA WRITE can be. */
  @Override
  @ParameterizedTest(name = "pin-all {0}")
  @CsvSource("true")
  void ramIsEqual_whenABlockIsLargerThan2GiB(boolean pinAll) throws Exception {
    super.ramIsEqual_whenABlockIsLargerThan2GiB(pinAll);
  }
}
