// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.qmp.QmpException;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/** The program's commands and a real QEMU over a real RDMA device. */
@Tag("rdma")
@Tag("qemu")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
      return files.filter(file -> file.getFileName().toString().contains("vm.mig")).toList();
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

  /** From a QEMU to a file and from there to another QEMU, whose RAM is then equal. */
  @ParameterizedTest
  @CsvSource({"true, false", "false, true"})
  void qemuIsCaptured_andRestored_andGoesOnCounting(boolean pinAll, boolean unregister)
      throws Exception {
    Path file = folder.resolve("vm.mig");
    byte[] ram;
    int counter;
    try (var qemu = MachineQemu.small(folder, "q35");
        var destination = capture()) {
      String uri = destination.awaitListening();
      qemu.awaitCounting();
      qemu.execute("stop");
      ram = qemu.ram();
      counter = qemu.count();
      if (pinAll) {
        qemu.setCapability("rdma-pin-all", true);
      }
      qemu.monitor().migrate(uri);
      destination.awaitEnd(0);
    }
    assertThat(files()).containsExactly(file);
    String uri = freeUri();
    try (var qemu = MachineQemu.small(folder, "q35", "-S", "-incoming", uri)) {
      List<String> options = new ArrayList<>(List.of("source", uri, "--restore=" + file));
      if (pinAll) {
        options.add("--pin-all");
      }
      if (unregister) {
        options.add("--unregister");
      }
      try (var source = Wridscope.inThread(options.toArray(String[]::new))) {
        String summary = source.awaitEnd(0);
        assertFewRoundTrips(summary, pinAll);
        if (unregister) {
          // QEMU answers each request, and exits if the chunk is not registered.
          assertThat(number("in total", summary, "([\\d,]+) in total")).isPositive();
          assertThat(number("unregistered", summary, "unregistered *([\\d,]+) before the end"))
              .isEqualTo(number("in total", summary, "([\\d,]+) in total"));
        }
      }
      qemu.awaitLoaded();
      assertThat(qemu.ram()).isEqualTo(ram);
      assertThat(qemu.count()).isEqualTo(counter);
      qemu.execute("cont");
      qemu.awaitCounting();
      assertThat(qemu.count()).isGreaterThan(counter);
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

  /**
   * Its RAM cannot be compared byte for byte: emulation loses dirty pages in live migration. The
   * captured guest does not go into another machine.
   */
  @Test
  void runningQemu_isCapturedAndGoesOn_inItsMachineOnly() throws Exception {
    Path file = folder.resolve("vm.mig");
    int counter;
    try (var qemu = MachineQemu.small(folder, "pc");
        var destination = capture()) {
      String uri = destination.awaitListening();
      qemu.awaitCounting();
      counter = qemu.count();
      qemu.monitor().migrate(uri);
      destination.awaitEnd(0);
    }
    try (var qemu = MachineQemu.small(folder, "pc", "-incoming", "exec:cat " + file)) {
      qemu.awaitLoaded();
      assertThat(qemu.count()).isGreaterThan(counter);
      qemu.awaitCounting();
    }
    String uri = freeUri();
    try (var qemu = MachineQemu.small(folder, "q35", "-S", "-incoming", uri);
        var source = Wridscope.inThread("source", uri, "--restore=" + file)) {
      assertThat(source.awaitEnd(1)).containsIgnoringCase("destination");
      qemu.awaitEnd();
      assertThat(qemu.log()).contains("Machine type received is");
    }
  }

  /** With post-copy enabled, QEMU connects twice, for which nobody waits. In the end it dies. */
  @Test
  void qemuThatFails_leavesNoFile_andKeepsItsGuest() throws Exception {
    try (var qemu = MachineQemu.small(folder, "pc")) {
      try (var destination = capture()) {
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
      try (var destination = capture()) {
        qemu.monitor().migrate(destination.awaitListening());
        destination.awaitRound();
        qemu.kill();
        assertThat(destination.awaitEnd(1)).containsIgnoringCase("source");
      }
    }
    assertThat(files()).isEmpty();
  }

  private Wridscope capture() throws Exception {
    return Wridscope.inThread(
        "destination", "rdma:%s:0".formatted(address), "--capture=" + folder.resolve("vm.mig"));
  }

  @Test
  void nobodyListens_isOneSentence() throws Exception {
    try (var source = Wridscope.inThread("source", freeUri(), "--ram=16MiB")) {
      assertThat(source.awaitEnd(1)).containsIgnoringCase("nobody listens");
    }
  }
}
