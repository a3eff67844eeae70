// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.engine.MachineQemu.Memory;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/**
 * The guests of real QEMUs over a real RDMA device: from a stock QEMU into one that waits, from a
 * running one to a stock one, and from a running one into one that waits, which use no RDMA
 * themselves.
 */
@Tag("rdma")
@Tag("qemu")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RealGuestOverRdmaTest {
  private static final long RAM = (long) MachineQemu.RAM_MIB << 20;

  /** Its writes to one MiB end in a switch-over even on a starved link. */
  private static final CounterGuest GUEST = new CounterGuest(RAM, 1 << 20, 1 << 20, false);

  private final String address = new RdmaUnderTest().address().getAddress().getHostAddress();

  @TempDir private Path folder;
  private Path disk = Path.of("");
  private byte lastWritten;

  @BeforeEach
  void makeDisk() throws Exception {
    disk = Files.write(folder.resolve("disk"), new byte[1 << 20]);
  }

  private MachineQemu start(String name, String machine, Memory memory, String... more)
      throws Exception {
    var arguments = new ArrayList<>(List.of("-drive", "id=disk,if=virtio,format=raw,file=" + disk));
    arguments.addAll(List.of(more));
    return MachineQemu.start(
        folder, name, machine, memory, GUEST, arguments.toArray(String[]::new));
  }

  private Wridscope destination(MachineQemu waiting, String... more) throws Exception {
    var arguments = new ArrayList<>(List.of("destination", "rdma:%s:0".formatted(address)));
    arguments.add("--qemu=" + waiting.address());
    arguments.addAll(List.of(more));
    return Wridscope.inThread(arguments.toArray(String[]::new));
  }

  /** The guest runs there, where it goes on counting and has its disk, and only there. */
  private void assertMoved(MachineQemu from, int count, MachineQemu to) throws Exception {
    from.await("the guest to leave", () -> from.status().equals("postmigrate"));
    to.awaitCounting();
    assertThat(to.count()).isGreaterThan(count);
    byte written = ++lastWritten;
    to.write("disk", written);
    to.await("the disk to be written", () -> Files.readAllBytes(disk)[0] == written);
  }

  /**
   * Its guest stands still, and does so at the destination, where its RAM can be compared. Then it
   * runs, and goes on to a third QEMU; both Wridscopes compare its RAM before it runs there.
   */
  @Test
  void stockQemu_intoOneThatWaits_byteForByte_andFromThereWithPinAll() throws Exception {
    try (var second = start("second", "pc", Memory.TWO_NODES, "-incoming", "defer")) {
      try (var first = start("first", "pc", Memory.TWO_NODES);
          var destination = destination(second)) {
        String uri = destination.awaitListening();
        first.awaitCounting();
        first.monitor().stop();
        int count = first.count();
        first.monitor().migrate(uri);
        destination.awaitEnd(0);
        second.awaitLoaded();
        assertThat(second.ram()).isEqualTo(first.ram());
        assertThat(second.count()).isEqualTo(count);
        second.monitor().cont();
        assertMoved(first, count, second);
      }
      try (var third = start("third", "pc", Memory.TWO_NODES, "-incoming", "defer");
          var destination = destination(third, "--verify")) {
        String uri = destination.awaitListening();
        int count = second.count();
        try (var source =
            Wridscope.inThread("source", uri, "--pin-all", "--qemu=" + second.address())) {
          assertThat(source.awaitEnd(0)).contains("verified: every RAM block is equal");
          assertThat(destination.awaitEnd(0)).contains("verified: every RAM block is equal");
        }
        assertMoved(second, count, third);
      }
    }
  }

  /** It runs, and goes on by itself; from there it comes back to a stock QEMU, which is told to. */
  @Test
  void stockQemu_intoOneThatWaits_pinAll_andFromThereToAStockOne_byteForByte() throws Exception {
    try (var second = start("second", "q35", Memory.MEMFD, "-incoming", "defer")) {
      try (var first = start("first", "q35", Memory.MEMFD);
          var destination = destination(second)) {
        String uri = destination.awaitListening();
        first.awaitCounting();
        first.monitor().setCapabilities(Map.of("rdma-pin-all", true));
        int count = first.count();
        first.monitor().migrate(uri);
        destination.awaitEnd(0);
        assertMoved(first, count, second);
      }
      String uri = "rdma:%s:4800".formatted(address);
      try (var third = start("third", "q35", Memory.FILE, "-S", "-incoming", uri)) {
        int count = second.count();
        try (var source = Wridscope.inThread("source", uri, "--qemu=" + second.address())) {
          source.awaitEnd(0);
        }
        third.awaitLoaded();
        assertThat(third.ram()).isEqualTo(second.ram());
        third.monitor().cont();
        assertMoved(second, count, third);
      }
    }
  }
}
