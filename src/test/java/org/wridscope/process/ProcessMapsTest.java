// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.NativeMemory;
import org.wridscope.process.ProcessMaps.FileId;

final class ProcessMapsTest {
  private static final String QEMU =
      """
      55d0c0a00000-55d0c0b00000 r-xp 00001000 fe:01 262402                     /usr/bin/qemu
      7f0000000000-7f0004000000 rw-s 00000000 00:1b 3                          /dev/shm/my ram
      7f0004000000-7f0008000000 rw-s 04000000 00:1b 3                          /dev/shm/my ram
      7f0008000000-7f0008001000 ---p 00000000 00:00 0
      7f0010000000-7f0014000000 rw-s 00000000 00:01 1030                       /memfd:pc.ram (deleted)
      7f0014000000-7f0018000000 rw-s 00000000 00:01 1031                       /memfd:pc.ram (deleted)
      7f0018000000-7f0018001000 r--s 00000000 00:01 1032                       /memfd:other (deleted)
      7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
      ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
      """;

  @TempDir private Path directory;

  @Test
  void parse_findsSharedFiles_andJoinsWhatContinues() throws IOException {
    ProcessMaps maps = ProcessMaps.parse(7, QEMU);
    assertThat(maps.shared())
        .containsExactly(
            new SharedRange(
                7, 0x7f0000000000L, 0x8000000, 0, new FileId(0, 0x1b, 3), "/dev/shm/my ram"),
            new SharedRange(
                7,
                0x7f0010000000L,
                0x4000000,
                0,
                new FileId(0, 1, 1030),
                "/memfd:pc.ram (deleted)"),
            new SharedRange(
                7,
                0x7f0014000000L,
                0x4000000,
                0,
                new FileId(0, 1, 1031),
                "/memfd:pc.ram (deleted)"));
    assertThat(maps.sharedOfMemfd("pc.ram")).hasSize(2);
    assertThat(maps.sharedOfMemfd("other")).isEmpty();
    assertThat(maps.at(0xffffffffff600800L).orElseThrow().name()).isEqualTo("[vsyscall]");
    assertThat(maps.at(0x55d0c0b00000L)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7f0000000000-7f0004000000 rw-s 00000000 00:1b",
        "7f0004000000-7f0000000000 rw-s 00000000 00:1b 3 /a",
        "7f0000000000-7f0000000000 rw-s 00000000 00:1b 3 /a",
        "7f0000000001-7f0000002000 rw-s 00000000 00:1b 3 /a",
        "07f0000000000000-7f0000002000 rw-q 00000000 00:1b 3 /a",
        "1000-2000 rw-s 00000000 00:1b 99999999999999999999 /a",
        "1000-3000 rw-s 0 00:1b 3 /a\n1000-2000 rw-s 0 00:1b 3 /a",
        "1000-2000 rw-s 0 123456789:1b 3 /a",
        "\u001b[31m"
      })
  void parse_whatTheKernelDoesNotWrite_isRefused(String text) {
    assertThatThrownBy(() -> ProcessMaps.parse(7, text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("process 7")
        .hasMessageNotContaining("\u001b");
  }

  @Test
  void read_noSuchProcess_saysSo() {
    assertThatThrownBy(() -> ProcessMaps.read(1L << 40))
        .isInstanceOf(IOException.class)
        .hasMessage("there is no process 1099511627776.");
  }

  @Test
  void part_isOfTheSameFile_andMustBeInside() throws IOException {
    SharedRange range = ProcessMaps.parse(7, QEMU).shared().getFirst();
    SharedRange part = range.part(4096, 8192);
    assertThat(part.address()).isEqualTo(range.address() + 4096);
    assertThat(part.offset()).isEqualTo(4096);
    assertThat(part.pages()).isEqualTo(2);
    assertThatThrownBy(() -> range.part(0x8000000, 4096))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> range.part(1, 4096)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void map_aFileOfAnotherProcess_isTheSameMemory_alsoWhenItWasDeletedOrReplaced()
      throws IOException {
    Path file = create("a b\nc");
    try (Target target = Target.mapping(file)) {
      List<SharedRange> found = ProcessMaps.read(target.pid()).sharedOf(file);
      assertThat(found).hasSize(1);
      try (NativeMemory memory = found.getFirst().part(4096, 4096).map()) {
        target.writePage(0, 1, 42);
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 1)).isEqualTo((byte) 42);
      }
      Path other = create("other");
      Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
      List<SharedRange> deleted = ProcessMaps.read(target.pid()).sharedOf(file);
      assertThat(deleted).hasSize(1);
      try (NativeMemory memory = deleted.getFirst().map()) {
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 4097)).isEqualTo((byte) 42);
      }
      // What was found before the file was replaced is never taken for the new file.
      try (NativeMemory memory = found.getFirst().map()) {
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 4097)).isEqualTo((byte) 42);
      }
    }
  }

  @Test
  void map_aFileInMemory_isTheSameMemory() throws IOException {
    try (Target target = Target.mappingMemoryFile("a ram")) {
      ProcessMaps maps = ProcessMaps.read(target.pid());
      assertThat(maps.sharedOfMemfd("ram")).isEmpty();
      List<SharedRange> found = maps.sharedOfMemfd("a ram");
      assertThat(found).hasSize(1);
      assertThat(found.getFirst().pages()).isEqualTo(8);
      target.writePage(0, 2, 33);
      try (NativeMemory memory = found.getFirst().map()) {
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 8194)).isEqualTo((byte) 33);
      }
    }
  }

  @Test
  void map_ofAProcessThatHasEnded_saysWhatToDo() throws IOException {
    Path file = create("gone");
    SharedRange range;
    try (Target target = Target.mapping(file)) {
      range = ProcessMaps.read(target.pid()).sharedOf(file).getFirst();
    }
    assertThatThrownBy(range::map).isInstanceOf(IOException.class).hasMessageEndingWith(".");
  }

  private Path create(String name) throws IOException {
    Path file = directory.resolve(name);
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      NativeMemory.mapShared(channel, file, 8192).close();
    }
    return file;
  }
}
