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

  /** Fixed ports, because QEMU does not report which port it uses. */
  private static int nextPort = 4800;

  private final String address = new RdmaUnderTest().address().getAddress().getHostAddress();

  @TempDir private Path folder;
  private Path disk = Path.of("");

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
    to.write("disk", 0x5a);
    to.await("the disk to be written", () -> Files.readAllBytes(disk)[0] == 0x5a);
  }

  /** Its guest stands still, and does so at the destination, where its RAM can be compared. */
  @Test
  void stockQemu_intoOneThatWaits_byteForByte() throws Exception {
    try (var from = start("from", "pc", Memory.TWO_NODES);
        var to = start("to", "pc", Memory.TWO_NODES, "-incoming", "defer");
        var destination = destination(to)) {
      String uri = destination.awaitListening();
      from.awaitCounting();
      from.monitor().stop();
      int count = from.count();
      from.monitor().migrate(uri);
      destination.awaitEnd(0);
      to.awaitLoaded();
      assertThat(to.ram()).isEqualTo(from.ram());
      assertThat(to.count()).isEqualTo(count);
      to.monitor().cont();
      assertMoved(from, count, to);
    }
  }

  /** It runs, and goes on by itself. */
  @Test
  void stockQemu_intoOneThatWaits_pinAll() throws Exception {
    try (var from = start("from", "q35", Memory.MEMFD);
        var to = start("to", "q35", Memory.MEMFD, "-incoming", "defer");
        var destination = destination(to)) {
      String uri = destination.awaitListening();
      from.awaitCounting();
      from.monitor().setCapabilities(Map.of("rdma-pin-all", true));
      int count = from.count();
      from.monitor().migrate(uri);
      destination.awaitEnd(0);
      assertMoved(from, count, to);
    }
  }

  @Test
  void runningQemu_toAStockOne_byteForByte() throws Exception {
    String uri = "rdma:%s:%d".formatted(address, nextPort++);
    try (var from = start("from", "q35", Memory.FILE);
        var to = start("to", "q35", Memory.FILE, "-S", "-incoming", uri)) {
      from.awaitCounting();
      int count = from.count();
      try (var source = Wridscope.inThread("source", uri, "--qemu=" + from.address())) {
        source.awaitEnd(0);
      }
      to.awaitLoaded();
      assertThat(to.ram()).isEqualTo(from.ram());
      to.monitor().cont();
      assertMoved(from, count, to);
    }
  }

  /** Both Wridscopes compare its RAM before it goes on. */
  @Test
  void runningQemu_intoOneThatWaits_pinAll() throws Exception {
    try (var from = start("from", "pc", Memory.TWO_NODES);
        var to = start("to", "pc", Memory.TWO_NODES, "-incoming", "defer");
        var destination = destination(to, "--verify")) {
      String uri = destination.awaitListening();
      from.awaitCounting();
      int count = from.count();
      try (var source =
          Wridscope.inThread("source", uri, "--pin-all", "--qemu=" + from.address())) {
        assertThat(source.awaitEnd(0)).contains("verified: every RAM block is equal");
        assertThat(destination.awaitEnd(0)).contains("verified: every RAM block is equal");
      }
      assertMoved(from, count, to);
    }
  }
}
