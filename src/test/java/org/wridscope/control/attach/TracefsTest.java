// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Where the kernel's tracing files are. */
final class TracefsTest {
  @Test
  void theMount_isFoundWhereverItIs() {
    assertThat(
            Tracefs.mounted(
                """
                sysfs /sys sysfs rw,relatime 0 0
                tracefs /mnt/tracefs-is-not-here tmpfs rw 0 0
                none /sys/kernel/debug/tracing tracefs rw,relatime 0 0
                tracefs /sys/kernel/tracing tracefs rw,relatime 0 0
                """))
        .contains(Path.of("/sys/kernel/debug/tracing"));
    assertThat(Tracefs.mounted("sysfs /sys sysfs rw 0 0\n\nbroken\n")).isEmpty();
  }
}
