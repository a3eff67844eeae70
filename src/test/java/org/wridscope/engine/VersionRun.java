// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.wridscope.Main;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.control.qemu.Counting;
import org.wridscope.control.qemu.QemuRelease;
import org.wridscope.control.qemu.SerialPorts;
import org.wridscope.engine.VersionCell.Link;
import org.wridscope.engine.VersionCell.Sender;
import org.wridscope.engine.VersionRow.Result;
import org.wridscope.faults.MachineKills;
import org.wridscope.protocol.ControlType;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QmpException;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;

/** Runs a {@link VersionCell} and looks at the guest afterwards. */
final class VersionRun {
  private static final int RAM_MIB = 32;

  /** Its writes to one MiB end in a switch-over even on a starved link. */
  private static final CounterGuest GUEST =
      new CounterGuest((long) RAM_MIB << 20, 1 << 20, 1 << 20, false);

  private static final int KILLS = 10;

  private final VersionCell cell;
  private final Path folder;

  /** What came of it; what it says is a figure, or why QEMU cannot. */
  record Verdict(Result result, String note) {}

  /**
   * @param folder for its files, in memory; its own
   */
  VersionRun(VersionCell cell, Path folder) {
    this.cell = cell;
    this.folder = folder;
  }

  /**
   * Runs it.
   *
   * @throws Exception if it failed; so do assertions
   */
  Verdict run() throws Exception {
    return switch (cell.way()) {
      case WATCH -> passed(cell.link() == Link.SOFTWARE ? watch() : watchLogs());
      case LAB -> passed(lab());
      case KILL_SOURCE, KILL_DESTINATION -> passed(kills());
      case ALONE -> alone();
      default -> passed(move());
    };
  }

  private static Verdict passed(String figures) {
    return new Verdict(Result.PASSED, figures);
  }

  private MachineQemu start(String name, QemuRelease release, String... more) throws Exception {
    Path own = Files.createDirectory(folder.resolve(name));
    var arguments = new ArrayList<>(List.of("-machine", cell.machine(), "-vga", "std"));
    arguments.addAll(MachineQemu.Memory.file(own, RAM_MIB));
    arguments.addAll(List.of("-serial", "file:" + serial(name)));
    arguments.addAll(List.of(more));
    return new MachineQemu(release.program(), own, GUEST, arguments);
  }

  private Path serial(String name) {
    return folder.resolve(name + ".serial");
  }

  private static boolean reads(Sender sender) {
    return sender == Sender.RESTORE;
  }

  // ----------------------------------------------------------------------------- by this engine

  private String move() throws Exception {
    Sender sender = Objects.requireNonNull(cell.way().sender());
    try (var here = start("here", cell.from())) {
      here.awaitCounting();
      // Emulation loses dirty pages in QEMU's own live migrations, so that only the RAM of a guest
      // that stands still can be compared. With pin-all it runs.
      if (reads(sender) || (sender == Sender.OWN && !cell.pinAll())) {
        here.monitor().stop();
      }
      if (reads(sender)) {
        here.save(saved());
      }
      return switch (Objects.requireNonNull(cell.way().receiver())) {
        case LAND -> land(here);
        case CAPTURE -> capture(here);
        case OWN -> arrive(here);
      };
    }
  }

  private Path saved() {
    return folder.resolve("saved");
  }

  private String land(MachineQemu here) throws Exception {
    try (var there = start("there", cell.to(), "-incoming", "defer");
        var destination = destination("--qemu=" + there.address(), "--verify")) {
      return judge(here, there, send(here, destination));
    }
  }

  private String capture(MachineQemu here) throws Exception {
    Path file = folder.resolve("captured");
    String said;
    try (var destination = destination("--capture=" + file)) {
      said = send(here, destination);
    }
    try (var there = start("there", cell.to(), "-S", "-incoming", "exec:cat " + file)) {
      return judge(here, there, said);
    }
  }

  private String arrive(MachineQemu here) throws Exception {
    String uri = uri();
    try (var there = start("there", cell.to(), "-S", "-incoming", uri)) {
      return judge(here, there, send(here, uri));
    }
  }

  /** QEMU does not report which port it uses. */
  private String uri() {
    return "rdma:%s:4800".formatted(cell.link().host());
  }

  private Wridscope destination(String... more) throws Exception {
    var arguments =
        new ArrayList<>(List.of("destination", "rdma:%s:0".formatted(cell.link().host())));
    arguments.add("--device=" + cell.link().device());
    arguments.addAll(List.of(more));
    return Wridscope.inThread(arguments.toArray(String[]::new));
  }

  /**
   * Returns what the source says at its end. If it fails, the destination's words are told, too.
   */
  private String send(MachineQemu here, Wridscope destination) throws Exception {
    String uri = destination.awaitListening();
    try {
      String said = send(here, uri);
      destination.awaitEnd(0);
      return said;
    } catch (AssertionError e) {
      destination.close();
      throw new AssertionError(
          "%s; the destination: %s".formatted(e.getMessage(), destination.awaitAnyEnd()), e);
    }
  }

  /** Returns what the source says at its end. */
  private String send(MachineQemu here, String uri) throws Exception {
    if (cell.way().sender() == Sender.OWN) {
      migrate(here, uri);
      return "";
    }
    var arguments = new ArrayList<>(List.of("source", uri, "--device=" + cell.link().device()));
    arguments.add(
        reads(Objects.requireNonNull(cell.way().sender()))
            ? "--restore=" + saved()
            : "--qemu=" + here.address());
    if (cell.pinAll()) {
      arguments.add("--pin-all");
    }
    try (var source = Wridscope.inThread(arguments.toArray(String[]::new))) {
      return source.awaitEnd(0);
    }
  }

  private void migrate(MachineQemu here, String uri) throws Exception {
    if (cell.pinAll()) {
      here.setCapability("rdma-pin-all", true);
    }
    here.monitor().migrate(uri);
    here.await(
        "the migration",
        () -> {
          String status = here.monitor().migration().status();
          assertThat(status).as(here::log).isNotEqualTo("failed");
          return status.equals("completed");
        });
  }

  /**
   * The guest left one QEMU, with all its RAM, and counts on in the other.
   *
   * @param said by the source, about the comparison of RAM
   */
  private String judge(MachineQemu here, MachineQemu there, String said) throws Exception {
    there.awaitLoaded();
    assertThat(here.status()).as(here.log()).isIn("postmigrate", "paused");
    int count = here.count();
    String compared;
    if (there.status().equals("paused")) {
      assertThat(there.count()).isEqualTo(count);
      if (cell.way().sender() == Sender.OWN && cell.pinAll()) {
        compared = "RAM not compared";
      } else {
        assertThat(Arrays.mismatch(there.ram(), here.ram())).as("where RAM differs").isEqualTo(-1);
        compared = "RAM equal byte for byte";
      }
      there.monitor().cont();
    } else if (said.isEmpty()) {
      compared = "RAM not compared";
    } else {
      assertThat(said).contains("verified: every RAM block is equal");
      compared = "digests of RAM equal";
    }
    return "%s, %s".formatted(compared, counting(here, there, count));
  }

  /** It counts in one QEMU only, and if this engine moved it, both have every number once. */
  private String counting(MachineQemu here, MachineQemu there, int count) throws Exception {
    there.awaitCounting();
    assertThat(there.status()).isEqualTo("running");
    assertThat(here.count()).as("the guest counts at the source, too").isEqualTo(count);
    Counting counting = SerialPorts.counting(serial("here"), serial("there"));
    // What QEMU's own engine loses under emulation includes what the guest has counted.
    boolean ours = cell.way().sender() == Sender.LIFT || cell.way().sender() == Sender.RESTORE;
    assertThat(ours ? counting.hasMoved() : counting.atDestination()).as("%s", counting).isTrue();
    return "counted to %d and on to %d".formatted(counting.left(), counting.last());
  }

  // --------------------------------------------------------------------------- by QEMU's engine

  private Verdict alone() throws Exception {
    String[] device = {"-device", "virtio-rng-pci"};
    Path socket = folder.resolve("migration");
    String[] waiting = {"-device", "virtio-rng-pci", "-incoming", "unix:" + socket};
    try (var here = start("here", cell.from(), device);
        var there = start("there", cell.to(), waiting)) {
      here.awaitCounting();
      here.monitor().migrate("unix:" + socket);
      here.await(
          "the migration",
          () -> List.of("failed", "completed").contains(here.monitor().migration().status()));
      try {
        there.awaitLoaded();
      } catch (QmpException e) {
        // It ends when it cannot load what the source sends.
        there.awaitEnd();
        List<String> log = there.log().lines().filter(line -> line.contains("qemu")).toList();
        assertThat(log).isNotEmpty();
        return new Verdict(Result.IMPOSSIBLE, log.getFirst());
      }
      return passed(counting(here, there, here.count()));
    }
  }

  /** On the host, where no RDMA device is, over a socket; QEMU's log goes to the watch. */
  private String watch() throws Exception {
    Path socket = folder.resolve("migration");
    try (var here = start("here", cell.from(), "-msg", "timestamp=on");
        var there =
            start("there", cell.to(), "-msg", "timestamp=on", "-incoming", "unix:" + socket);
        var watch =
            Wridscope.inThread(
                "watch",
                "qmp:" + here.address(),
                "qmp:" + there.address(),
                "--record=" + folder.resolve("watched.wrs"))) {
      watch.awaitLine("watching the QEMU");
      watch.awaitLine("watching the QEMU");
      here.awaitCounting();
      here.monitor().migrate("unix:" + socket);
      String said = watch.awaitEnd(0);
      assertThat(said).contains("completed").doesNotContain("not understood");
      MigrationInfo.Ram ram = here.monitor().migration().ram().orElseThrow();
      there.awaitLoaded();
      return "%d rounds, %s".formatted(ram.dirtySyncCount(), counting(here, there, here.count()));
    }
  }

  /** Over RDMA; the counts of the watch are those of the log that it follows, and of QEMU. */
  private String watchLogs() throws Exception {
    Path source = folder.resolve("source.log");
    Path destination = folder.resolve("destination.log");
    Path watched = folder.resolve("watched.wrs");
    String uri = uri();
    MigrationInfo.Ram ram;
    String counting;
    try (var here = start("here", cell.from(), traced(source));
        var there = start("there", cell.to(), traced(destination, "-incoming", uri));
        var watch =
            Wridscope.inThread("watch", "" + source, "" + destination, "--record=" + watched)) {
      here.awaitCounting();
      migrate(here, uri);
      ram = here.monitor().migration().ram().orElseThrow();
      there.awaitLoaded();
      counting = counting(here, there, here.count());
      assertThat(watch.awaitEnd(0)).contains("completed").doesNotContain("not understood");
    }
    try (Recording recording = Recording.open("file", watched)) {
      for (RecordedSession session : recording.sessions()) {
        boolean first = session.role() == Role.SOURCE;
        List<String> lines = Files.readAllLines(first ? source : destination);
        var telemetry = session.telemetry();
        assertThat(Stream.of(ControlType.values()).mapToLong(telemetry.messagesSent()::get).sum())
            .as("messages of the %s", session.role())
            .isEqualTo(count(lines, "qemu_rdma_post_send_control"));
        if (first) {
          assertThat(telemetry.metrics().get(Metric.WRITES_POSTED))
              .isEqualTo(count(lines, "qemu_rdma_write_one_post"));
          assertThat(events(session, EventKind.ZERO))
              .isEqualTo(count(lines, "qemu_rdma_write_one_zero"));
        }
      }
    }
    return "%d rounds, %d pages written, counts as in the logs, %s"
        .formatted(ram.dirtySyncCount(), ram.normal(), counting);
  }

  private static String[] traced(Path log, String... more) {
    var arguments = new ArrayList<>(List.of("-msg", "timestamp=on", "-D", log.toString()));
    for (String events : List.of("qemu_rdma*", "rdma*", "migrat*")) {
      arguments.addAll(List.of("-trace", events));
    }
    arguments.addAll(List.of(more));
    return arguments.toArray(String[]::new);
  }

  private static long count(List<String> lines, String event) {
    return lines.stream().filter(line -> line.matches(".*[: ]%s .*".formatted(event))).count();
  }

  private static long events(RecordedSession session, EventKind kind) throws Exception {
    var number = new AtomicLong();
    session.forEachEvent(event -> number.addAndGet(event.kind() == kind ? 1 : 0));
    return number.get();
  }

  // ------------------------------------------------------------------------- whole programs

  private String lab() throws Exception {
    var arguments =
        new ArrayList<>(
            List.of("lab", "--qemu", "--ram=32MiB", "--dirty-rate=1MiB/s", "--timeout=2min"));
    if (cell.pinAll()) {
      arguments.add("--pin-all");
    }
    try (var lab =
        new Wridscope(
            Map.of("PATH", cell.from().first()), Main.class, arguments.toArray(String[]::new))) {
      String said = lab.awaitEnd(0);
      assertThat(said)
          .contains("completed; verified: every RAM block is equal")
          .containsPattern("The guest counted to [\\d,]+ in QEMU \\d+ and continues from");
      return "digests of RAM equal";
    }
  }

  private String kills() throws Exception {
    assertThat(cell.link()).isEqualTo(Link.SOFTWARE);
    return MachineKills.inTheSwitchOver(
        cell.from(), cell.way() == VersionCell.Way.KILL_SOURCE, KILLS);
  }
}
