// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.protocol.ControlType;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.recording.Recording;
import org.wridscope.recording.qemu.LiveImport;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/** One stock QEMU migrates to another over a real RDMA device, and is watched. */
@Tag("rdma")
@Tag("qemu")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WatchOverRdmaTest {
  /** Fixed ports, because QEMU does not report which port it uses. */
  private static int nextPort = 4900;

  private final String address = new RdmaUnderTest().address().getAddress().getHostAddress();

  @TempDir private Path folder;

  /**
   * What each run of the same migration has at each end: the numbers of events by kind, except for
   * those that depend on how often QEMU interrupts a round, and the bytes of RAM, zero or not.
   */
  private static Map<String, Long> counts(RecordedSession session) throws Exception {
    var counts = new TreeMap<String, Long>();
    session.forEachEvent(event -> {
      switch (event.kind()) {
        case ZERO, POST_WRITE -> {
          // A destination sees only zeros, and which pages are zero differs.
          if (session.role() == Role.SOURCE) {
            counts.merge("bytes", bytes(event), Long::sum);
          }
        }
        case REGISTERED,
            DEREGISTERED,
            KEY_REQUESTED,
            KEY_GIVEN,
            ESTABLISHED,
            DISCONNECTING,
            DEVICE_OPENED,
            ROUND_BEGIN,
            ROUND_END ->
            counts.merge(event.kind().toString(), 1L, Long::sum);
        case STATUS -> counts.merge("status " + event.detail(), 1L, Long::sum);
        default -> {
          // Differs from run to run.
        }
      }
    });
    return counts;
  }

  private static long bytes(Event event) {
    return event.kind() == EventKind.ZERO ? event.argument() : event.length();
  }

  private static long bytes(RecordedSession session, EventKind kind) throws Exception {
    var sum = new AtomicLong();
    session.forEachEvent(event -> sum.addAndGet(event.kind() == kind ? bytes(event) : 0));
    return sum.get();
  }

  private static RecordedSession end(Role role, List<RecordedSession> sessions) {
    return sessions.stream().filter(session -> session.role() == role).findFirst().orElseThrow();
  }

  /** A guest that stands still, so that each run sends the same. */
  private MachineQemu start(String... more) throws Exception {
    var arguments = new ArrayList<>(List.of("-S", "-msg", "timestamp=on"));
    arguments.addAll(List.of(more));
    return MachineQemu.small(folder, "pc", arguments.toArray(String[]::new));
  }

  private MachineQemu traced(Path log, String... more) throws Exception {
    var arguments = new ArrayList<>(List.of("-D", log.toString()));
    for (String events : LiveImport.tracePatterns()) {
      arguments.addAll(List.of("-trace", events));
    }
    arguments.addAll(List.of(more));
    return start(arguments.toArray(String[]::new));
  }

  private String uri() {
    return "rdma:%s:%d".formatted(address, nextPort++);
  }

  private static void migrate(MachineQemu from, String uri) throws Exception {
    from.monitor().migrate(uri);
    from.await("the guest to leave", () -> from.status().equals("postmigrate"));
  }

  /** QEMU gives everything back some time after the end. */
  private static void awaitCleanup(MachineQemu qemu, Path log) throws Exception {
    qemu.await(
        "the end of " + log,
        () -> {
          List<String> lines = Files.readAllLines(log);
          long added = lines.stream().filter(line -> line.contains("rdma_add_block")).count();
          long deleted = lines.stream().filter(line -> line.contains("rdma_delete_block")).count();
          return added > 0 && added == deleted;
        });
  }

  /** The same migration with {@code -trace} and {@code -D}. */
  private Map<Role, Map<String, Long>> tracedFromTheStart() throws Exception {
    String uri = uri();
    Path source = folder.resolve("source.log");
    Path destination = folder.resolve("destination.log");
    try (var from = traced(source);
        var to = traced(destination, "-incoming", uri)) {
      migrate(from, uri);
      to.awaitLoaded();
      awaitCleanup(from, source);
      awaitCleanup(to, destination);
      from.monitor().quit();
      from.awaitEnd();
      to.monitor().quit();
      to.awaitEnd();
    }
    try (Recording one = Recording.open("file", source);
        Recording other = Recording.open("file", destination)) {
      return Map.of(
          Role.SOURCE, counts(one.sessions().getFirst()),
          Role.DESTINATION, counts(other.sessions().getFirst()));
    }
  }

  @Test
  void watched_isWhatATraceFromTheStartShows_andWhatQemuCounts() throws Exception {
    String uri = uri();
    Path recording = folder.resolve("watched.wrs");
    MigrationInfo.Ram counted;
    try (var from = start();
        var to = start("-incoming", uri);
        var watch =
            Wridscope.inThread(
                "watch",
                "qmp:" + from.address(),
                "qmp:" + to.address(),
                "--record",
                recording.toString())) {
      watch.awaitLine("watching the QEMU");
      watch.awaitLine("watching the QEMU");
      migrate(from, uri);
      counted = from.monitor().migration().ram().orElseThrow();
      assertThat(watch.awaitEnd(0)).contains("completed").doesNotContain("not understood");
    }
    try (Recording watched = Recording.open("file", recording)) {
      RecordedSession source = end(Role.SOURCE, watched.sessions());
      RecordedSession destination = end(Role.DESTINATION, watched.sessions());
      assertThat(bytes(source, EventKind.POST_WRITE))
          .isEqualTo(counted.normal() * counted.pageSize());
      assertThat(bytes(source, EventKind.ZERO))
          .isEqualTo(bytes(destination, EventKind.ZERO))
          .isEqualTo(counted.duplicate() * counted.pageSize());
      for (ControlType type : ControlType.values()) {
        assertThat(destination.telemetry().messagesReceived().get(type))
            .as("%s", type)
            .isEqualTo(source.telemetry().messagesSent().get(type));
        assertThat(source.telemetry().messagesReceived().get(type))
            .as("%s", type)
            .isEqualTo(destination.telemetry().messagesSent().get(type));
      }
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.WRITES_COMPLETED))
          .isPositive()
          .isEqualTo(metrics.get(Metric.WRITES_POSTED));
      assertThat(Map.of(Role.SOURCE, counts(source), Role.DESTINATION, counts(destination)))
          .isEqualTo(tracedFromTheStart());
    }
  }
}
