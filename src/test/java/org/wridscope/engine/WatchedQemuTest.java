// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

/** Real QEMUs are watched by the program: in a process of its own if that gets a signal. */
@Tag("qemu")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WatchedQemuTest {
  private static final String RDMA_EVENT = "rdma_add_block";
  private static final String STATUS_EVENT = "migrate_set_state";

  /** Written at each command of the test. */
  private static final String NOISE = "handle_qmp_command";

  /** Written with each answer, and with all of it. */
  private static final String ANSWER = "monitor_qmp_respond";

  @TempDir Path folder;

  @BeforeEach
  void needsQemu() {
    assumeTrue(MachineQemu.isInstalled(), MachineQemu.PROGRAM + " is not installed");
  }

  private MachineQemu start(String... more) throws Exception {
    return MachineQemu.small(folder, "pc", more);
  }

  /** One whose guest never runs, so that it takes no processor: it logs all the same. */
  private MachineQemu stopped(String... more) throws Exception {
    var arguments = new ArrayList<>(List.of(more));
    arguments.add("-S");
    return start(arguments.toArray(String[]::new));
  }

  private static boolean isOn(MachineQemu qemu, String event) throws Exception {
    return qemu.monitor().traceEvents(event).equals(Map.of(event, true));
  }

  private static Wridscope watch(MachineQemu... qemus) throws Exception {
    var arguments = new String[1 + qemus.length];
    arguments[0] = "watch";
    for (int i = 0; i < qemus.length; i++) {
      arguments[1 + i] = "qmp:" + qemus[i].address();
    }
    var watch = new Wridscope(arguments);
    watch.awaitLine("watching the QEMU");
    return watch;
  }

  /** Its log goes there again: what is written by an event after that is in the file. */
  private static void assertLogsTo(MachineQemu qemu, Path log) throws Exception {
    long before = Files.size(log);
    qemu.monitor().setTraceEvent(NOISE, true);
    qemu.monitor().setTraceEvent(NOISE, false);
    qemu.await("a line in " + log, () -> Files.size(log) > before);
  }

  /**
   * Has the QEMU write so many bytes: its answers, since it reads commands byte by byte, which
   * takes much longer than to write them.
   */
  private static void writeLog(MachineQemu qemu, int bytes) throws Exception {
    qemu.monitor().setTraceEvent(ANSWER, true);
    int written = 0;
    while (written < bytes) {
      written += qemu.execute("query-commands").toString().length();
    }
    qemu.monitor().setTraceEvent(ANSWER, false);
  }

  @Test
  void migration_isWatchedFromBeginningToEnd() throws Exception {
    Path log = folder.resolve("source.log");
    Path socket = folder.resolve("migration");
    Path recording = folder.resolve("watched.wrs");
    try (var from = start("-D", log.toString());
        var to = start("-incoming", "unix:" + socket);
        var watch =
            Wridscope.inThread(
                "watch",
                "qmp:" + from.address(),
                "qmp:" + to.address(),
                "--record",
                recording.toString())) {
      watch.awaitLine("watching the QEMU");
      watch.awaitLine("watching the QEMU");
      assertThat(isOn(from, RDMA_EVENT)).isTrue();
      assertThat(isOn(to, STATUS_EVENT)).isTrue();
      from.awaitCounting();
      from.monitor().migrate("unix:" + socket);
      String output = watch.awaitEnd(0);
      var ram = from.monitor().migration().ram().orElseThrow();
      assertThat(output)
          .contains("completed; not verified, because a QEMU does not send digests of its RAM")
          .contains("log went to " + log);
      for (MachineQemu qemu : new MachineQemu[] {from, to}) {
        assertThat(isOn(qemu, RDMA_EVENT)).isFalse();
        assertThat(isOn(qemu, STATUS_EVENT)).isFalse();
      }
      assertLogsTo(from, log);
      String recorded = Wridscope.inThread("replay", recording.toString()).awaitEnd(0);
      assertThat(recorded)
          .containsPattern("watch \\d+ source: completed")
          .containsPattern("watch \\d+ destination: completed");
      assertThat(ram.dirtySyncCount()).isPositive();
      to.awaitCounting();
    }
  }

  @Test
  void interrupt_putsEverythingBack() throws Exception {
    Path log = folder.resolve("first log");
    try (var qemu = stopped("-D", log.toString());
        var watch = watch(qemu)) {
      watch.signal("INT");
      assertThat(watch.awaitEnd(130)).contains("The watch was ended before a migration began.");
      assertThat(isOn(qemu, RDMA_EVENT)).isFalse();
      assertLogsTo(qemu, log);
    }
  }

  @Test
  void twoSources_areRefused_andNothingIsChanged() throws Exception {
    Path log = folder.resolve("log");
    try (var one = stopped("-D", log.toString());
        var other = stopped();
        var watch = Wridscope.inThread("watch", "qmp:" + one.address(), "qmp:" + other.address())) {
      assertThat(watch.awaitEnd(1)).contains("Neither QEMU waits for a guest");
      assertThat(isOn(one, RDMA_EVENT)).isFalse();
      assertThat(isOn(other, RDMA_EVENT)).isFalse();
      assertLogsTo(one, log);
    }
  }

  /** A log that was changed after the start is not in the command line. */
  @Test
  void logThatWasChanged_isPutBack() throws Exception {
    Path log = folder.resolve("second.log");
    try (var qemu = stopped("-D", folder.resolve("first.log").toString())) {
      assertThat(qemu.monitor().logTo(log.toString())).isEmpty();
      try (var watch = watch(qemu)) {
        watch.signal("TERM");
        watch.awaitEnd(143);
      }
      assertLogsTo(qemu, log);
    }
  }

  @Test
  void standardError_isPutBack() throws Exception {
    try (var qemu = stopped();
        var watch = watch(qemu)) {
      watch.signal("INT");
      watch.awaitEnd(130);
      qemu.monitor().setTraceEvent(NOISE, true);
      qemu.monitor().setTraceEvent(NOISE, false);
      qemu.await("a line on standard error", () -> qemu.log().contains(NOISE));
    }
  }

  /** QEMU goes on writing to a pipe that nobody reads, and migrates; then all is put back. */
  @Test
  void kill_doesNoHarm_andIsPutBackLater() throws Exception {
    Path log = folder.resolve("log");
    try (var qemu = stopped("-D", log.toString())) {
      try (var watch = watch(qemu)) {
        watch.signal("KILL");
        watch.awaitEnd(137);
      }
      assertThat(isOn(qemu, RDMA_EVENT)).isTrue();
      writeLog(qemu, 512 << 10);
      qemu.save(folder.resolve("saved"));
      try (var putBack = new Wridscope("watch", "--put-back")) {
        assertThat(putBack.awaitEnd(0)).contains("goes to " + log + " again");
      }
      assertThat(isOn(qemu, RDMA_EVENT)).isFalse();
      assertLogsTo(qemu, log);
    }
  }

  /** Nobody reads the pipe for a while, as after Ctrl-Z; QEMU does not wait for that. */
  @Test
  void stop_doesNotHoldQemuUp() throws Exception {
    try (var qemu = stopped();
        var watch = watch(qemu)) {
      watch.signal("STOP");
      // More than the pipe holds.
      writeLog(qemu, (1 << 20) + (256 << 10));
      watch.signal("CONT");
      watch.signal("INT");
      assertThat(watch.awaitEnd(130)).contains("QEMU may have left out lines");
    }
  }
}
