// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.RequestKind;

/** The words of the wrid view. */
final class WridTextTest {
  @Test
  void operations_areThoseThatTheProgramPosts_withTheSignsOfTheirStrokes() {
    assertThat(WridText.operations(EnumSet.of(RequestKind.WRITE, RequestKind.SEND), true))
        .isEqualTo("│ RDMA WRITE    ■ SEND    ");
    assertThat(WridText.operations(EnumSet.of(RequestKind.READ, RequestKind.ATOMIC), true))
        .isEqualTo("▲ RDMA READ    ◆ atomic    ");
    assertThat(WridText.operations(Set.of(), true)).isEmpty();
  }

  @Test
  void operations_whenThereAreTooManyRequestsForStrokes_areNamedOnly() {
    assertThat(WridText.operations(EnumSet.of(RequestKind.READ), false))
        .isEqualTo("bars: RDMA READ    ");
    assertThat(WridText.operations(EnumSet.of(RequestKind.WRITE, RequestKind.SEND), false))
        .isEqualTo("bars: RDMA WRITE, SEND, which are told apart when you zoom in    ");
  }
}
