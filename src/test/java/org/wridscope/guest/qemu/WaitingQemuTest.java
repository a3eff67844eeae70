// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.engine.SharedMemoryFolder;
import org.wridscope.memory.RamBlock;
import org.wridscope.stream.BlockListing;

/** A QEMU that cannot wait for a guest, or misbehaves before anything is loaded. */
final class WaitingQemuTest {
  private static final List<BlockListing> BLOCKS =
      List.of(
          new BlockListing("ram0", ScriptedQemu.RAM),
          new BlockListing("vga.vram", ScriptedQemu.OWN));

  private static final String RAM_BLOCKS =
      """
                    Block Name    PSize              Offset               Used              Total
                          ram0    4 KiB  0x0000000000000000 0x0000000000100000 0x0000000000100000
                      vga.vram    4 KiB  0x0000000000100000 0x0000000000002000 0x0000000000010000
      """;

  @TempDir(factory = SharedMemoryFolder.class)
  private Path folder;

  @TempDir private Path onDisk;

  private ScriptedQemu qemu;
  private WaitingQemu guest;
  private Map<String, Boolean> capabilities = Map.of();

  @BeforeEach
  void start() throws IOException {
    start(folder);
  }

  private void start(Path where) throws IOException {
    qemu = new ScriptedQemu(where);
    qemu.status = "inmigrate";
    qemu.running = false;
    qemu.human.put("info ramblock", RAM_BLOCKS);
    qemu.capabilities.put("multifd", true);
    qemu.capabilities.put("x-ignore-shared", true);
    capabilities = new TreeMap<>(qemu.capabilities);
    guest = new WaitingQemu(qemu.address(), false, new RecordingGuards(), Patience.DEFAULT);
  }

  @AfterEach
  void close() throws IOException {
    guest.close();
    qemu.close();
  }

  @Test
  void sharedRam_isFilled_andTheQemuWaitsOn() throws IOException {
    guest.prepare(BLOCKS, true);
    assertThat(guest.ramBlocks()).extracting(RamBlock::name).containsExactly("ram0", "vga.vram");
    guest.ramBlocks().getFirst().memory().set(ValueLayout.JAVA_BYTE, 77, (byte) 1);
    assertThat(qemu.ram.segment().get(ValueLayout.JAVA_BYTE, 77)).isEqualTo((byte) 1);
    assertThat(qemu.executed).contains("stop").doesNotContain("cont", "migrate-incoming");
    assertThat(qemu.capabilities)
        .containsEntry("late-block-activate", true)
        .containsEntry("multifd", false)
        .containsEntry("x-ignore-shared", false);

    assertThat(guest.abandon(false)).endsWith("waits on for a guest.");
    assertThat(qemu.capabilities).isEqualTo(capabilities);
    // It starts its guest by itself again, as without -S.
    assertThat(qemu.executed).endsWith("cont");
    assertThat(guest.hasStarted()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void qemuThatMisbehavesAtAnyCommand_isAsItWasBefore(ScriptedQemu.Fault fault) throws IOException {
    guest.prepare(BLOCKS, true);
    int commands = qemu.executed.size();
    for (int command = 0; command < commands; command++) {
      close();
      start();
      qemu.failAt(command, fault);
      try {
        guest.prepare(BLOCKS, true);
      } catch (IOException e) {
        assertThat(e.getMessage())
            .as("%s at command %d", fault, command)
            .doesNotContain("Exception", "null", "\n", "..");
      }
      var _ = guest.abandon(false);
      assertThat(qemu.capabilities).as("%s at command %d", fault, command).isEqualTo(capabilities);
    }
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        ScriptedQemu.refusal(
            "runs", qemu -> qemu.status = "running", "start it with -incoming defer"),
        ScriptedQemu.refusal("migrates", qemu -> qemu.migration = "active", "migrates already"),
        ScriptedQemu.refusal(
            "colo", qemu -> qemu.capabilities.put("x-colo", true), "capability x-colo is on"),
        ScriptedQemu.refusal(
            "no such block",
            qemu -> qemu.human.put("info ramblock", RAM_BLOCKS.replace("vga.vram", "qxl.vram")),
            "has a RAM block vga.vram, which QEMU"),
        ScriptedQemu.refusal(
            "less RAM",
            qemu -> qemu.human.put("info ramblock", RAM_BLOCKS.replace("100000\n", "080000\n")),
            "start it with the same RAM"),
        ScriptedQemu.refusal(
            "less RAM, as QEMU 10.0 and 11.1 tell it",
            qemu ->
                qemu.human.put(
                    "info ramblock",
                    RAM_BLOCKS
                        .replace("100000\n", "080000\n")
                        .replace("0\n", "0 0x00007f9a63e00000  rw\n")),
            "start it with the same RAM"),
        ScriptedQemu.refusal(
            "another back end",
            qemu -> qemu.backends = qemu.backends.replace("1048576", "524288"),
            "start both machines with the same RAM"),
        ScriptedQemu.refusal(
            "not shared",
            qemu -> qemu.backends = qemu.backends.replace("true", "false"),
            "is not shared with other processes; start QEMU with"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void qemuThatCannotBeFilled_isRefusedWithTheReason(Consumer<ScriptedQemu> how, String why)
      throws IOException {
    how.accept(qemu);
    Map<String, Boolean> before = new TreeMap<>(qemu.capabilities);
    assertThatThrownBy(() -> guest.prepare(BLOCKS, true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
    var _ = guest.abandon(false);
    assertThat(qemu.capabilities).isEqualTo(before);
  }

  @Test
  void ramInAFileOnADisk_isRefusedForADeviceOfTheKernel() throws IOException {
    String type = Files.getFileStore(onDisk).type();
    close();
    start(onDisk);
    boolean pins =
        type.equals("tmpfs") || !QemuChecks.isAtLeast(System.getProperty("os.version"), 6, 5);
    if (pins) {
      guest.prepare(BLOCKS, true);
    } else {
      assertThatThrownBy(() -> guest.prepare(BLOCKS, true))
          .hasMessageContaining("is in a file on " + type)
          .hasMessageContaining("/dev/shm");
    }
  }

  /** The software device copies memory itself, so the kernel pins none. */
  @Test
  void ramInAFileOnADisk_isFilledByTheSoftwareDevice() throws IOException {
    close();
    start(onDisk);
    guest.prepare(BLOCKS, false);
    guest.ramBlocks().getFirst().memory().set(ValueLayout.JAVA_BYTE, 77, (byte) 1);
    assertThat(qemu.ram.segment().get(ValueLayout.JAVA_BYTE, 77)).isEqualTo((byte) 1);
  }
}
