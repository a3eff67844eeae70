// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;

final class CmEventTest {

  @ParameterizedTest
  @EnumSource
  void everyConstant_isExplained_withItsValue(CmEvent.Type type) {
    assertThat(Meanings.explain("RDMA_CM_EVENT_" + type.name()).meanings())
        .singleElement()
        .extracting(Meaning::value)
        .isEqualTo((long) type.ordinal());
  }
}
