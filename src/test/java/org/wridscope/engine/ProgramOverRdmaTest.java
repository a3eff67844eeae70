// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.qmp.QmpException;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/** The program's commands and a real QEMU over a real RDMA device. */
@Tag("rdma")
@Tag("qemu")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ProgramOverRdmaTest {
  /** Fixed ports, because QEMU does not report which port it uses. */
  private static int nextPort = 4700;

  private final String address = new RdmaUnderTest().address().getAddress().getHostAddress();

  @TempDir private Path folder;

  private String freeUri() {
    return "rdma:%s:%d".formatted(address, nextPort++);
  }

  private List<Path> files() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().contains(".mig")).toList();
    }
  }

  /**
   * Of a guest that writes nothing: what a starved link carries may be less than any dirty rate.
   * {@code lab/softroce demo} is the same between two processes, without pin-all.
   */
  @Test
  void wridscopes_migrateWithPinAll() throws Exception {
    try (var destination =
        Wridscope.inThread("destination", "rdma:%s:0".formatted(address), "--ram=32MiB")) {
      String uri = destination.awaitListening();
      try (var source =
          Wridscope.inThread(
              "source", uri, "--ram=32MiB", "--dirty-rate=0", "--virtio-requests=0", "--pin-all")) {
        assertThat(source.awaitEnd(0)).contains("verified: every RAM block is equal");
        assertThat(destination.awaitEnd(0)).contains("verified: every RAM block is equal");
      }
    }
  }

  /**
   * From a QEMU to a file, from there to a second one, whose RAM is then equal, and again to a
   * third one. The guest of the third one is captured while it runs: its RAM cannot be compared
   * byte for byte, since emulation loses dirty pages in live migration. It goes into no other
   * machine.
   */
  @Test
  void guestIsCaptured_andRestored_andGoesOnCounting_inItsMachineOnly() throws Exception {
    String second = freeUri();
    String third = freeUri();
    try (var to = MachineQemu.small(folder, "q35", "-S", "-incoming", second)) {
      try (var from = MachineQemu.small(folder, "q35")) {
        from.awaitCounting();
        from.execute("stop");
        from.setCapability("rdma-pin-all", true);
        Path file = captured(from, "first.mig");
        assertFewRoundTrips(restored(from, file, to, second, "--pin-all"), true);
      }
      to.execute("stop");
      try (var last = MachineQemu.small(folder, "q35", "-S", "-incoming", third)) {
        Path file = captured(to, "second.mig");
        String summary = restored(to, file, last, third, "--unregister");
        assertFewRoundTrips(summary, false);
        // QEMU answers each request, and exits if the chunk is not registered.
        assertThat(number("in total", summary, "([\\d,]+) in total")).isPositive();
        assertThat(number("unregistered", summary, "unregistered *([\\d,]+) before the end"))
            .isEqualTo(number("in total", summary, "([\\d,]+) in total"));
        int counter = last.count();
        assertGoesIntoItsMachineOnly(captured(last, "third.mig"), counter);
      }
    }
  }

  /** Captures the guest of a QEMU. */
  private Path captured(MachineQemu from, String name) throws Exception {
    try (var destination = capture(name)) {
      from.monitor().migrate(destination.awaitListening());
      destination.awaitEnd(0);
    }
    Path file = folder.resolve(name);
    assertThat(files()).contains(file).allMatch(one -> one.toString().endsWith(".mig"));
    return file;
  }

  /** Restores what was captured of a QEMU that stands still; returns what the source printed. */
  private static String restored(
      MachineQemu from, Path file, MachineQemu to, String uri, String option) throws Exception {
    try (var source = Wridscope.inThread("source", uri, "--restore=" + file, option)) {
      String summary = source.awaitEnd(0);
      to.awaitLoaded();
      assertThat(to.ram()).isEqualTo(from.ram());
      assertThat(to.count()).isEqualTo(from.count());
      to.execute("cont");
      to.awaitCounting();
      return summary;
    }
  }

  private void assertGoesIntoItsMachineOnly(Path file, int counter) throws Exception {
    try (var qemu = MachineQemu.small(folder, "q35", "-incoming", "exec:cat " + file)) {
      qemu.awaitLoaded();
      assertThat(qemu.count()).isGreaterThan(counter);
      qemu.awaitCounting();
    }
    String uri = freeUri();
    try (var qemu = MachineQemu.small(folder, "pc", "-S", "-incoming", uri);
        var source = Wridscope.inThread("source", uri, "--restore=" + file)) {
      assertThat(source.awaitEnd(1)).containsIgnoringCase("destination");
      qemu.awaitEnd();
      assertThat(qemu.log()).contains("Machine type received is");
    }
  }

  /** At most one for 16 chunks of RAM, and one for each small block, such as those of firmware. */
  private static void assertFewRoundTrips(String summary, boolean pinAll) {
    assertThat(number("round trips", summary, "round trips: (\\d+)"))
        .as(summary)
        .isLessThanOrEqualTo(pinAll ? 0 : MachineQemu.RAM_MIB / 16 + 8);
  }

  private static int number(String what, String summary, String pattern) {
    Matcher told = Pattern.compile(pattern).matcher(summary);
    assertThat(told.find()).as("%s in %s", what, summary).isTrue();
    return Integer.parseInt(told.group(1).replace(",", ""));
  }

  /** With post-copy enabled, QEMU connects twice, for which nobody waits. In the end it dies. */
  @Test
  void qemuThatFails_leavesNoFile_andKeepsItsGuest() throws Exception {
    try (var qemu = MachineQemu.small(folder, "pc")) {
      try (var destination = capture("vm.mig")) {
        String uri = destination.awaitListening();
        qemu.awaitCounting();
        qemu.setCapability("postcopy-ram", true);
        try {
          qemu.monitor().migrate(uri);
        } catch (QmpException e) {
          // The second connection may be turned away before QEMU has it.
          assertThat(e).hasMessageContaining("connecting to destination");
        }
        qemu.await(
            "the end of a migration with post-copy",
            () -> qemu.monitor().migration().status().equals("failed"));
        qemu.awaitCounting();
        // The destination waits on.
        qemu.setCapability("postcopy-ram", false);
        qemu.execute("migrate-set-parameters", "max-bandwidth", 4096);
        qemu.monitor().migrate(uri);
        // Before RAM arrives, a source that leaves is none.
        destination.awaitRound();
        qemu.execute("migrate_cancel");
        // Its disconnect and its ERROR message may come in either order.
        assertThat(destination.awaitEnd(1))
            .containsPattern("disconnected|The source gave up")
            .contains("The guest was not kept here");
        qemu.awaitCounting();
      }
      try (var destination = capture("vm.mig")) {
        qemu.monitor().migrate(destination.awaitListening());
        destination.awaitRound();
        qemu.kill();
        assertThat(destination.awaitEnd(1)).containsIgnoringCase("source");
      }
    }
    assertThat(files()).isEmpty();
  }

  private Wridscope capture(String name) throws Exception {
    return Wridscope.inThread(
        "destination", "rdma:%s:0".formatted(address), "--capture=" + folder.resolve(name));
  }

  @Test
  void nobodyListens_isOneSentence() throws Exception {
    try (var source = Wridscope.inThread("source", freeUri(), "--ram=16MiB")) {
      assertThat(source.awaitEnd(1)).containsIgnoringCase("nobody listens");
    }
  }
}
