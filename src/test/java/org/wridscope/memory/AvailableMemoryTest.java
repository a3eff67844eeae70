// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What limits memory, on machines that are directories. */
final class AvailableMemoryTest {
  private static final long MACHINE = 1000024L * 1024;

  @TempDir private Path root;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @BeforeEach
  void writeMeminfo() throws IOException {
    write(
        "proc/meminfo",
        """
        MemTotal:       24684132 kB
        MemFree:        23519892 kB
        MemAvailable:   1000000 kB
        SwapCached:            0 kB
        SwapFree:           24 kB
        """);
  }

  private void versionTwo(String path, String mounted) throws IOException {
    write("proc/self/cgroup", "0::" + path + "\n");
    write(
        "proc/self/mountinfo",
        """
        22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
        29 22 0:26 %s /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate
        """
            .formatted(mounted));
  }

  private void group(String path, String max, String high, long used) throws IOException {
    String group = "sys/fs/cgroup/" + path + "/";
    write(group + "memory.max", max + "\n");
    write(group + "memory.high", high + "\n");
    write(group + "memory.current", used + "\n");
  }

  private void versionOne(String path) throws IOException {
    write("proc/self/cgroup", "7:cpu,cpuacct:/other\n4:memory:" + path + "\n0::/\n");
    write(
        "proc/self/mountinfo",
        """
        30 22 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
        31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
        34 30 0:31 / /sys/fs/cgroup/of\\040memory rw - cgroup cgroup rw,memory
        40 30 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
        """);
  }

  private void groupOne(String path, String limit, long used) throws IOException {
    String group = "sys/fs/cgroup/of memory/" + path + "/";
    write(group + "memory.limit_in_bytes", limit + "\n");
    write(group + "memory.usage_in_bytes", used + "\n");
  }

  private void assertLeast(long bytes, String place) {
    assertThat(AvailableMemory.least(root)).hasValue(new AvailableMemory(bytes, place));
  }

  @Test
  void withoutControlGroups_itIsWhatTheMachineHas() {
    assertLeast(MACHINE, "this machine");
  }

  @Test
  void controlGroupsWithoutLimit_areNone() throws IOException {
    versionTwo("/system.slice/vm.service", "/");
    group("system.slice/vm.service", "max", "max", 77);
    assertLeast(MACHINE, "this machine");
    versionOne("/machine/vm");
    groupOne("machine/vm", "9223372036854771712", 77);
    assertLeast(MACHINE, "this machine");
  }

  @ParameterizedTest
  @CsvSource({
    "'',                     memory.max",
    "'',                     memory.high",
    "system.slice,           memory.max",
    "system.slice,           memory.high",
    "system.slice/vm.service, memory.max",
    "system.slice/vm.service, memory.high"
  })
  void versionTwo_theGroupAndAllAboveIt_limit(String tight, String file) throws IOException {
    versionTwo("/system.slice/vm.service", "/");
    for (String group : new String[] {"", "system.slice", "system.slice/vm.service"}) {
      boolean here = group.equals(tight);
      String max = here && file.equals("memory.max") ? "500000000" : "700000000";
      String high = here && file.equals("memory.high") ? "500000000" : "max";
      group(group, max, high, 200_000_000);
    }
    assertLeast(
        300_000_000,
        file + " of the control group /sys/fs/cgroup" + (tight.isEmpty() ? "" : "/" + tight));
  }

  @ParameterizedTest
  @CsvSource({"''", "machine", "machine/vm"})
  void versionOne_theGroupAndAllAboveIt_limit(String tight) throws IOException {
    versionOne("/machine/vm");
    for (String group : new String[] {"", "machine", "machine/vm"}) {
      groupOne(group, group.equals(tight) ? "500000000" : "700000000", 200_000_000);
    }
    assertLeast(
        300_000_000,
        "memory.limit_in_bytes of the control group /sys/fs/cgroup/of memory"
            + (tight.isEmpty() ? "" : "/" + tight));
  }

  @Test
  void pagesOfFiles_canBeGivenBack() throws IOException {
    versionTwo("/vm", "/");
    group("vm", "500000000", "max", 400_000_000);
    write(
        "sys/fs/cgroup/vm/memory.stat",
        """
        anon 7
        file 99
        shmem 9
        active_file 100000000
        inactive_file 90000000
        slab_reclaimable 10000000
        """);
    assertLeast(300_000_000, "memory.max of the control group /sys/fs/cgroup/vm");
  }

  @Test
  void aFullGroup_hasNone() throws IOException {
    versionTwo("/vm", "/");
    group("vm", "5", "max", 6);
    assertLeast(0, "memory.max of the control group /sys/fs/cgroup/vm");
  }

  @ParameterizedTest
  @CsvSource({
    // A container that sees its own group only, with and without a name space of its own.
    "/docker/77, /docker/77",
    "/,          /",
    "/../..,     /",
    "/../../etc, /"
  })
  void aGroupThatIsMountedAtItsOwnPlace_isRead(String path, String mounted) throws IOException {
    versionTwo(path, mounted);
    group(".", "500000000", "max", 0);
    write("sys/fs/memory.max", "1\n");
    write("sys/fs/memory.current", "0\n");
    assertLeast(500_000_000, "memory.max of the control group /sys/fs/cgroup");
  }

  @Test
  void filesThatSayNothing_areNoLimit() throws IOException {
    versionTwo("/vm", "/");
    group("vm", "many", "-5", 0);
    write("proc/meminfo", "MemAvailable: many kB\n");
    assertThat(AvailableMemory.least(root)).isEmpty();
    write("proc/self/mountinfo", "22 1 - \n - cgroup2 x y\nx\n");
    write("proc/self/cgroup", "0\n\nmemory:memory\n0::/vm\n");
    Files.delete(root.resolve("proc/meminfo"));
    assertThat(AvailableMemory.least(root)).isEmpty();
  }

  @Test
  void thisMachine_hasSome() {
    assertThat(AvailableMemory.bytesHere()).isBetween(1L, Long.MAX_VALUE - 1);
  }
}
