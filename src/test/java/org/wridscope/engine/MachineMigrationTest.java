// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.RunningQemu;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.guest.qemu.WaitingQemu;

/** Guests of real QEMUs that leave while they run, and arrive in other real QEMUs. */
@Tag("qemu")
@EnabledIf(
    value = "org.wridscope.engine.MachineQemu#isInstalled",
    disabledReason = "qemu-system-x86_64 is not installed")
final class MachineMigrationTest {
  private static final long RAM = (long) MachineQemu.RAM_MIB << 20;

  /** A guest that writes 20 MB a second. */
  private static final CounterGuest GUEST = new CounterGuest(RAM, 20 << 20, 16 << 20, false);

  /** In shared memory, as the RAM of a guest must be. */
  private Path folder;

  @BeforeEach
  void createFolder() throws IOException {
    folder = Files.createTempDirectory(Path.of("/dev/shm"), "wridscope-test");
  }

  @AfterEach
  void deleteFolder() throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** How a guest has its RAM. */
  enum Memory {
    FILE,
    FOLDER,
    MEMFD,
    TWO_NODES,
    DIMM;

    List<String> arguments(Path own) {
      return switch (this) {
        case FILE -> one("memory-backend-file,mem-path=" + own.resolve("ram"));
        case FOLDER -> one("memory-backend-file,mem-path=" + own);
        case MEMFD -> one("memory-backend-memfd");
        case TWO_NODES ->
            List.of(
                "-m",
                MachineQemu.RAM_MIB + "M",
                "-object",
                "memory-backend-memfd,id=a,share=on,size=%dM".formatted(MachineQemu.RAM_MIB / 2),
                "-object",
                "memory-backend-memfd,id=b,share=on,size=%dM".formatted(MachineQemu.RAM_MIB / 2),
                "-numa",
                "node,memdev=a",
                "-numa",
                "node,memdev=b");
        case DIMM -> {
          var arguments = new ArrayList<>(one("memory-backend-memfd"));
          arguments.set(arguments.indexOf("-m") + 1, MachineQemu.RAM_MIB + "M,slots=1,maxmem=1G");
          arguments.addAll(
              List.of(
                  "-object",
                  "memory-backend-file,id=plugged,share=on,size=128M,mem-path="
                      + own.resolve("dimm"),
                  "-device",
                  "pc-dimm,memdev=plugged"));
          yield arguments;
        }
      };
    }

    private static List<String> one(String backend) {
      return List.of(
          "-m",
          MachineQemu.RAM_MIB + "M",
          "-object",
          "%s,id=ram0,share=on,size=%dM".formatted(backend, MachineQemu.RAM_MIB),
          "-machine",
          "memory-backend=ram0");
    }
  }

  private MachineQemu start(String name, String machine, Memory memory, String... more)
      throws IOException, InterruptedException {
    Path own = Files.createDirectory(folder.resolve(name));
    var arguments = new ArrayList<>(List.of("-machine", machine, "-vga", "std"));
    arguments.addAll(memory.arguments(own));
    arguments.addAll(List.of(more));
    return new MachineQemu(own, GUEST, arguments);
  }

  @ParameterizedTest
  @CsvSource({
    "pc, FILE, false",
    "q35, MEMFD, true",
    "pc, FOLDER, false",
    "q35, TWO_NODES, false",
    "pc, DIMM, false",
  })
  void runningGuest_goesOnAtTheDestination(String machine, Memory memory, boolean pinAll)
      throws Exception {
    try (var here = start("source", machine, memory);
        var there = start("destination", machine, memory, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      Map<String, Boolean> capabilities = here.monitor().capabilities();
      var parameters = here.monitor().parameters();
      var sourceNotes = new RecordingGuards();
      var counts = new int[2];
      var destinationNotes =
          new RecordingGuards(
              "",
              () -> {
                try {
                  assertThat(there.memory(RAM)).isEqualTo(here.memory(RAM));
                  assertThat(there.status()).isEqualTo("paused");
                  counts[0] = here.count();
                } catch (InterruptedException e) {
                  throw new IOException(e);
                }
              });
      try (var leaving =
              RunningQemu.of(here.address(), DirtyLogChoice.COMPARE, Throttle.OFF, sourceNotes);
          var arriving = WaitingQemu.of(there.address(), true, destinationNotes)) {
        var source = rig.source(leaving, Rig.parameters(pinAll, true));
        var destination = rig.destination(arriving, Rig.parameters(pinAll, true));
        rig.run(source, destination);
        Rig.assertCompleted(source, destination);
        assertThat(source.unconfirmed()).as(source.outcome()).isEmpty();
      }
      assertThat(counts[0]).isPositive();
      assertThat(here.status()).isEqualTo("postmigrate");
      assertThat(here.count()).isEqualTo(counts[0]);
      assertThat(there.status()).isEqualTo("running");
      there.await("the guest to count on", () -> there.count() > counts[0] + 2);
      assertThat(here.monitor().capabilities()).isEqualTo(capabilities);
      assertThat(here.monitor().parameters()).isEqualTo(parameters);
      assertThat(there.monitor().capabilities()).isEqualTo(capabilities);
      assertThat(sourceNotes.notes).containsExactly("guard source", "handing over", "handed over");
      assertThat(destinationNotes.notes)
          .containsExactly("guard destination", "loading", "loaded", "switching over", "running");
    }
  }
}
