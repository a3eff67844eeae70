// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.wridscope.Slow;

/** The program rdma, and programs in its place. */
@Slow("it starts processes")
final class RdmaToolTest {
  @Test
  void aProgramThatHangs_isEnded_withASentence() {
    assertThatThrownBy(() -> RdmaTool.run(Duration.ofMillis(10), "tail", "-f", "/dev/null"))
        .isInstanceOf(IOException.class)
        .hasMessage("'tail -f /dev/null' took longer than 10 ms and was ended.");
  }

  @Test
  void whatIsPrinted_isRead_andAStatusThatIsNotZeroIsSaid() throws Exception {
    assertThat(RdmaTool.run(Duration.ofMinutes(1), "echo", "[]")).isEqualTo("[]");
    assertThatThrownBy(() -> RdmaTool.run(Duration.ofMinutes(1), "false"))
        .isInstanceOf(IOException.class)
        .hasMessage("'false' ended with status 1.");
  }
}
