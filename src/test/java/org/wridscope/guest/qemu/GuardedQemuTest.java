// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import org.junit.jupiter.api.Test;
import org.wridscope.Slow;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.qmp.QmpAddress;

@Slow("guards are processes of their own")
final class GuardedQemuTest {
  private static final QmpAddress QMP = QmpAddress.parse("unix:/none");

  @Test
  void aProcess_isAliveUntilItEnds() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    try {
      GuardedQemu qemu = GuardedQemu.of(process.pid(), QMP);
      assertThat(qemu.isAlive()).isTrue();
      assertThat(new ProcessIdentity(qemu.pid(), qemu.start() + 1).isAlive()).isFalse();
      process.destroyForcibly().waitFor();
      assertThat(qemu.isAlive()).isFalse();
      assertThatIOException()
          .isThrownBy(() -> GuardedQemu.of(process.pid(), QMP))
          .withMessage("There is no process %d.", process.pid());
    } finally {
      process.destroyForcibly();
    }
  }
}
