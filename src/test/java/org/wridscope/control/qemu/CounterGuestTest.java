// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.TimeLimit;
import org.wridscope.host.Processor;
import org.wridscope.memory.RamBlock;

final class CounterGuestTest {
  private static final long RAM = 32 << 20;

  @TempDir private Path directory;

  /** With a machine, a dirty rate, and whether the guest is busy. */
  static List<Arguments> guests() {
    boolean arm = QemuLab.PROCESSOR == Processor.AARCH64;
    return List.of(
        Arguments.of(arm ? "virt" : "pc", 0, false),
        Arguments.of(arm ? "virt" : "q35", 40_960_000, true));
  }

  @Tag("qemu")
  @ParameterizedTest
  @MethodSource("guests")
  void guest_fillsItsRam_countsAndWrites(String machine, long dirtyRate, boolean busy)
      throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin", QemuLab.PROGRAM)),
        QemuLab.PROGRAM + " is not installed");
    Path ram = directory.resolve("ram");
    Path serial = directory.resolve("serial");
    var guest = new CounterGuest(RAM, dirtyRate, 8 << 20, busy);
    var arguments =
        new ArrayList<>(
            List.of("-accel", "tcg", "-nodefaults", "-display", "none", "-m", RAM + "B"));
    arguments.addAll(guest.boot(QemuLab.PROCESSOR, directory.resolve("guest")));
    arguments.addAll(
        List.of(
            "-machine",
            machine,
            "-object",
            "memory-backend-file,id=ram,share=on,size=%d,mem-path=%s".formatted(RAM, ram),
            "-serial",
            "file:" + serial));
    try (Arena arena = Arena.ofShared();
        var _ = Qemu.start(QemuLab.PROGRAM, arguments, directory.resolve("log"))) {
      MemorySegment memory;
      try (FileChannel file = FileChannel.open(ram, StandardOpenOption.READ)) {
        memory = file.map(MapMode.READ_ONLY, 0, RAM, arena);
      }
      new TimeLimit().await("the guest", () -> CounterGuest.count(memory) > 210);
      for (long page = 2 << 20; page < RAM - (1 << 20); page += RamBlock.PAGE_SIZE) {
        assertThat(memory.get(ValueLayout.JAVA_INT, page)).as("page at %d", page).isNotZero();
      }
      assertThat(Files.readAllLines(serial).subList(0, 200))
          .isEqualTo(IntStream.rangeClosed(1, 200).mapToObj(Integer::toString).toList());
      boolean hasWritten = memory.get(ValueLayout.JAVA_INT, 8 << 20) != 8 << 20;
      assertThat(hasWritten).isEqualTo(dirtyRate > 0);
      assertThat(memory.get(ValueLayout.JAVA_INT, 16 << 20)).isEqualTo(16 << 20);
      int loops = CounterGuest.loops(memory);
      if (busy) {
        assertThat(Integer.toUnsignedLong(loops)).isGreaterThan(100_000);
      } else {
        assertThat(loops).isBetween(200, CounterGuest.count(memory) + 2);
      }
    }
  }

  @Test
  void whatCannotBe_isOneSentence() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CounterGuest(8 << 20, 0, 0, false))
        .withMessage(
            "RAM: the guest that counts cannot have 8MiB; give it a multiple of 1 MiB from 16MiB"
                + " to 2GiB.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CounterGuest(RAM, 0, 24 << 20, false))
        .withMessageContaining("whole pages, at most 23MiB");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CounterGuest(RAM, -1, 0, false))
        .withMessageContaining("-1");
  }
}
