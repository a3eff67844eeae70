// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import static org.assertj.core.api.Assertions.assertThatIOException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.libvirt.VirtUri;

/** Scripts that do not print what they should. */
final class ShellProbeTest {
  /** The second one's output stays open in a child. */
  @ParameterizedTest
  @CsvSource({
    "exec sleep 30, 10, sh took longer than 10 ms.",
    "sleep 30 & wait, 10, sh took longer than 10 ms.",
    "exit 3, 60000, sh ended with the status 3.",
    "echo begin; kill -9 $$, 60000, sh ended with the status 137.",
  })
  void run_saysWhyThereIsNoAnswer(String script, int millis, String reason) throws Exception {
    VirtUri host = VirtUri.parse("qemu:///system");
    assertThatIOException()
        .isThrownBy(
            () -> ShellProbe.run(List.of("sh", "-s"), script, host, Duration.ofMillis(millis)))
        .withMessage("Wridscope could not look at qemu:///system: " + reason);
  }
}
