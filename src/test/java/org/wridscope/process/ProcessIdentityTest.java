// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import org.junit.jupiter.api.Test;

final class ProcessIdentityTest {
  private static final String AFTER_THE_NAME =
      " S 1 2 3 4 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 815 0 0 18446744073709551615";

  @Test
  void theNameOfTheProgram_mayLookLikeFields() throws Exception {
    assertThat(ProcessIdentity.start("7 (a) Z 1 (b))" + AFTER_THE_NAME)).hasValue(815);
    assertThat(ProcessIdentity.start("7 (qemu)" + AFTER_THE_NAME.replace(" S ", " Z "))).isEmpty();
    assertThatIOException().isThrownBy(() -> ProcessIdentity.start("7 (qemu) S 1"));
  }
}
