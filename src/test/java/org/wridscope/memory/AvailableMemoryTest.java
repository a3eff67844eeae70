// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AvailableMemoryTest {
  @TempDir private Path directory;
  private Path meminfo;

  @BeforeEach
  void writeMeminfo() throws IOException {
    meminfo = directory.resolve("meminfo");
    Files.writeString(
        meminfo,
        """
        MemTotal:       24684132 kB
        MemFree:        23519892 kB
        MemAvailable:   1000000 kB
        SwapCached:            0 kB
        SwapFree:           24 kB
        """);
  }

  private long bytes() {
    return AvailableMemory.bytes(meminfo, directory);
  }

  @Test
  void bytes_noControlGroup_isWhatTheMachineHas() {
    assertThat(bytes()).isEqualTo(1000024L * 1024);
  }

  @Test
  void bytes_aControlGroupWithoutLimit_isWhatTheMachineHas() throws IOException {
    Files.writeString(directory.resolve("memory.max"), "max\n");
    assertThat(bytes()).isEqualTo(1000024L * 1024);
  }

  @Test
  void bytes_aTightControlGroup_isWhatItHasLeft() throws IOException {
    Files.writeString(directory.resolve("memory.max"), "500000000\n");
    Files.writeString(directory.resolve("memory.stat"), "anon 200000000\nfile 77\n");
    assertThat(bytes()).isEqualTo(300_000_000);
  }

  @Test
  void bytes_aControlGroupThatIsFull_isZero() throws IOException {
    Files.writeString(directory.resolve("memory.max"), "5\n");
    Files.writeString(directory.resolve("memory.stat"), "anon 6\n");
    assertThat(bytes()).isZero();
  }

  @Test
  void bytes_nothingToReadFrom_isNoLimit() throws IOException {
    Files.writeString(meminfo, "MemAvailable: many kB\n");
    assertThat(bytes()).isEqualTo(Long.MAX_VALUE);
    Files.delete(meminfo);
    assertThat(bytes()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void bytes_thisMachine_hasSome() {
    assertThat(AvailableMemory.bytes()).isPositive();
  }
}
