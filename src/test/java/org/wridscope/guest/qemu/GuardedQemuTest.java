// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import org.junit.jupiter.api.Test;
import org.wridscope.qmp.QmpAddress;

final class GuardedQemuTest {
  private static final QmpAddress QMP = QmpAddress.parse("unix:/none");
  private static final String AFTER_THE_NAME =
      " S 1 2 3 4 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 815 0 0 18446744073709551615";

  @Test
  void aProcess_isAliveUntilItEnds() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    try {
      GuardedQemu qemu = GuardedQemu.of(process.pid(), QMP);
      assertThat(qemu.isAlive()).isTrue();
      assertThat(new GuardedQemu(qemu.pid(), qemu.start() + 1, QMP).isAlive()).isFalse();
      process.destroyForcibly().waitFor();
      assertThat(qemu.isAlive()).isFalse();
      assertThatIOException()
          .isThrownBy(() -> GuardedQemu.of(process.pid(), QMP))
          .withMessage("There is no process %d.", process.pid());
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void theNameOfTheProgram_mayLookLikeFields() throws Exception {
    assertThat(GuardedQemu.start("7 (a) Z 1 (b))" + AFTER_THE_NAME)).hasValue(815);
    assertThat(GuardedQemu.start("7 (qemu)" + AFTER_THE_NAME.replace(" S ", " Z "))).isEmpty();
    assertThatIOException().isThrownBy(() -> GuardedQemu.start("7 (qemu) S 1"));
  }
}
