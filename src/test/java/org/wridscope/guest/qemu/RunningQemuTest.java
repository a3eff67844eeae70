// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.guest.Handover;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.MigrationId;

/** A QEMU that does not do what it should, at any step. */
@Slow("each command of a QEMU fails once, in every way")
final class RunningQemuTest {
  private static final Patience SHORT =
      new Patience(
          Duration.ofMillis(300), Duration.ofMillis(300), Duration.ofMillis(300), Duration.ZERO);

  /** Sockets are created here, whose paths must be short. */
  @TempDir private Path folder;

  private String temporary = "";
  private ScriptedQemu qemu;
  private RunningQemu guest;
  private final RecordingGuards notes = new RecordingGuards();
  private Map<String, Boolean> capabilities = Map.of();
  private JsonObject parameters = new JsonObject();

  @BeforeEach
  void start() throws IOException {
    temporary = System.setProperty("java.io.tmpdir", folder.toString());
    qemu = new ScriptedQemu(folder);
    capabilities = new TreeMap<>(qemu.capabilities);
    parameters = qemu.parameters.deepCopy();
    guest = guest(Patience.DEFAULT);
  }

  private RunningQemu guest(Patience patience) {
    return new RunningQemu(qemu.address(), DirtyLogChoice.COMPARE, Throttle.OFF, notes, patience);
  }

  @AfterEach
  void requireNothingLeft() throws IOException {
    System.setProperty("java.io.tmpdir", temporary);
    guest.close();
    qemu.close();
    try (var files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString())).isSubsetOf("ram", "qmp");
    }
    assertThat(qemu.executed).noneMatch(command -> command.startsWith("DEFECT"));
  }

  private void requireRestored() {
    assertThat(qemu.capabilities).isEqualTo(capabilities);
    assertThat(qemu.parameters).isEqualTo(parameters);
    assertThat(qemu.running).isTrue();
    assertThat(qemu.migration).isIn("none", "cancelled", "completed", "failed");
  }

  private List<DirtyBitmap> bitmaps() {
    return guest.ramBlocks().stream().map(block -> new DirtyBitmap(block.pages())).toList();
  }

  private byte at(int block, long offset) {
    return guest.ramBlocks().get(block).memory().get(ValueLayout.JAVA_BYTE, offset);
  }

  @Test
  void guest_isTakenWithEveryWrite() throws IOException {
    guest.attach(() -> {});
    assertThat(guest.wasRunning()).isTrue();
    assertThat(guest.envelope().machineType()).isEqualTo("pc-i440fx-7.2");
    assertThat(guest.ramBlocks()).extracting(RamBlock::name).containsExactly("ram0", "vga.vram");
    assertThat(qemu.running).isTrue();
    GuardedSettings guarded = notes.settings;
    assertThat(guarded).isNotNull();
    assertThat(guarded.capabilities())
        .isEqualTo(
            Map.of(
                "xbzrle",
                true,
                "events",
                false,
                "x-ignore-shared",
                false,
                "pause-before-switchover",
                false));

    qemu.ram.segment().set(ValueLayout.JAVA_BYTE, 5, (byte) 1);
    guest.track();
    assertThat(at(0, 5)).isEqualTo((byte) 1);
    qemu.ram.segment().set(ValueLayout.JAVA_BYTE, 3 * 4096 + 5, (byte) 2);
    List<DirtyBitmap> round = bitmaps();
    guest.collect(round);
    assertThat(round.get(0).get(3)).isTrue();
    assertThat(round.get(0).count() + round.get(1).count()).isEqualTo(1);
    assertThat(at(0, 3 * 4096 + 5)).isEqualTo((byte) 2);

    var stopped = new int[1];
    guest.stop(() -> stopped[0]++, () -> {});
    assertThat(stopped[0]).isEqualTo(1);
    assertThat(qemu.status).isEqualTo("postmigrate");
    assertThat(guest.rest()).isEqualTo(ScriptedQemu.rest());
    List<DirtyBitmap> last = bitmaps();
    guest.collect(last);
    assertThat(last.get(0).count()).isZero();
    assertThat(last.get(1).get(0)).as("the page that is not zero").isTrue();
    assertThat(last.get(1).get(1)).as("the page that was zero before").isFalse();
    assertThat(at(1, 100)).isEqualTo((byte) 7);

    guest.handOver(
        new Handover(
            "lab0",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
            MigrationId.random(),
            null));
    guest.release(true);
    assertThat(qemu.running).isFalse();
    assertThat(qemu.capabilities).isEqualTo(capabilities);
    assertThat(qemu.parameters).isEqualTo(parameters);
    assertThat(notes.closed).isTrue();
    assertThat(notes.notes)
        .containsExactly(
            "guard source", "stopping", "resumed", "stopping", "handing over", "handed over");
    assertThat(notes.sockets).hasSize(2);
  }

  /** What somebody else does with the guest during the migration is not undone, whoever ends it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void guestThatSomebodyElseStopsOrContinues_staysSo(boolean runs) throws IOException {
    qemu.running = !runs;
    qemu.status = runs ? "paused" : "running";
    guest.attach(() -> {});
    guest.track();
    qemu.running = runs;
    qemu.status = runs ? "running" : "paused";
    guest.collect(bitmaps());
    guest.stop(() -> {}, () -> {});
    assertThat(notes.notes)
        .containsExactlyElementsOf(
            runs
                ? List.of("guard source", "stopping")
                : List.of("guard source", "stopping", "resumed"));
    guest.giveBack();
    assertThat(qemu.running).isEqualTo(runs);
  }

  /**
   * With little RAM that is not shared, or a slow host, QEMU has sent it before it is cancelled.
   */
  @ParameterizedTest
  @CsvSource({"true, false", "false, false", "true, true", "false, true"})
  void beginningOfAStreamThatIsAtItsEnd_leavesTheGuestAsItWas(boolean runs, boolean losesWakeUp)
      throws IOException {
    qemu.running = runs;
    qemu.status = runs ? "running" : "paused";
    qemu.hasLittle = true;
    qemu.losesWakeUp = losesWakeUp;
    guest.attach(() -> {});
    assertThat(qemu.running).isEqualTo(runs);
    assertThat(qemu.status).isEqualTo(runs ? "running" : "paused");
    assertThat(qemu.migration).isEqualTo("cancelled");
    guest.track();
    guest.stop(() -> {}, () -> {});
    assertThat(qemu.status).isEqualTo("postmigrate");
    assertThat(guest.rest()).isEqualTo(ScriptedQemu.rest());
    assertThat(qemu.capabilitiesThen).containsEntry("pause-before-switchover", false);
    guest.giveBack();
    assertThat(qemu.running).isEqualTo(runs);
    assertThat(qemu.capabilities).isEqualTo(capabilities);
  }

  @Test
  void capabilityThatIsOnAlready_isOffForTheSwitchOver_andOnAfterIt() throws IOException {
    qemu.capabilities.put("pause-before-switchover", true);
    qemu.hasLittle = true;
    guest.attach(() -> {});
    guest.track();
    guest.stop(() -> {}, () -> {});
    assertThat(Objects.requireNonNull(notes.settings).capabilities())
        .containsEntry("pause-before-switchover", true);
    guest.giveBack();
    assertThat(qemu.running).isTrue();
    assertThat(qemu.capabilities).containsEntry("pause-before-switchover", true);
  }

  /** Somebody else may let the migration go on that waits to be cancelled. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void migrationThatCompletesInsteadOfBeingCancelled_isToldAsItIs(boolean runs) throws IOException {
    qemu.running = runs;
    qemu.status = runs ? "running" : "paused";
    qemu.hasLittle = true;
    qemu.isContinued = true;
    assertThatThrownBy(() -> guest.attach(() -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has completed a migration that was to be cancelled")
        .hasMessageEndingWith(
            runs ? "Its guest is continued; migrate again." : "migrate again after cont and stop.");
    guest.giveBack();
    assertThat(qemu.running).isEqualTo(runs);
    assertThat(qemu.capabilities).isEqualTo(capabilities);
    assertThat(qemu.parameters).isEqualTo(parameters);
  }

  @Test
  void pausedGuest_thatQemuWouldNotMigrateAnyMore_isSaid() throws IOException {
    qemu.running = false;
    qemu.status = "paused";
    qemu.hasLittle = true;
    qemu.forgetsPause = true;
    assertThatThrownBy(() -> guest.attach(() -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("migrate again after cont and stop.");
    guest.giveBack();
    assertThat(qemu.running).isFalse();
    assertThat(qemu.capabilities).isEqualTo(capabilities);
  }

  /** Everything that a source asks a QEMU for until it fails after the switch-over. */
  private void takeAndGiveBack() throws IOException {
    try {
      guest.attach(() -> {});
      guest.track();
      guest.collect(bitmaps());
      guest.stop(() -> {}, () -> {});
      guest.collect(bitmaps());
    } finally {
      guest.giveBack();
    }
  }

  @Test
  void guest_isGivenBack() throws IOException {
    takeAndGiveBack();
    requireRestored();
    assertThat(notes.closed).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void qemuThatMisbehavesAtAnyCommand_isAsItWasBefore(ScriptedQemu.Fault fault) throws IOException {
    for (boolean little : new boolean[] {false, true}) {
      requireNothingLeft();
      start();
      misbehaveAtAnyCommand(fault, little);
    }
  }

  private void misbehaveAtAnyCommand(ScriptedQemu.Fault fault, boolean little) throws IOException {
    qemu.hasLittle = little;
    takeAndGiveBack();
    int commands = qemu.executed.size();
    for (int command = 0; command < commands; command++) {
      requireNothingLeft();
      start();
      qemu.hasLittle = little;
      qemu.failAt(command, fault);
      try {
        takeAndGiveBack();
      } catch (IOException e) {
        assertThat(e.getMessage())
            .as("%s at command %d", fault, command)
            .matches("[A-Z\"'].*")
            .doesNotContain("Exception", "null", "\n", "..");
        // What failed may have been the giving back.
        guest.giveBack();
      }
      requireRestored();
    }
  }

  @Test
  void streamThatIsCutOff_isExplained() throws IOException {
    byte[] whole = ScriptedQemu.stream();
    for (int length = 0; length < whole.length - ScriptedQemu.rest().length; length += 97) {
      requireNothingLeft();
      start();
      guest = guest(SHORT);
      int cut = length;
      if (cut < ScriptedQemu.beginning()) {
        continue;
      }
      guest.attach(() -> {});
      guest.track();
      qemu.stream = Arrays.copyOf(whole, cut);
      assertThatThrownBy(() -> guest.stop(() -> {}, () -> {}))
          .as("%d bytes", cut)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cut off after %d bytes".formatted(cut));
      guest.giveBack();
      requireRestored();
    }
  }

  @Test
  void qemuThatSendsNothing_isGivenUp() throws IOException {
    guest = guest(SHORT);
    qemu.stream = new byte[0];
    qemu.hangs = true;
    assertThatThrownBy(() -> guest.attach(() -> {}))
        .hasMessageStartingWith("QEMU sent nothing within");
    guest.giveBack();
    requireRestored();
  }

  @Test
  void qemuThatStopsSending_isGivenUp() throws IOException {
    guest = guest(SHORT);
    guest.attach(() -> {});
    qemu.stream = Arrays.copyOf(qemu.stream, qemu.stream.length / 2);
    qemu.hangs = true;
    assertThatThrownBy(() -> guest.stop(() -> {}, () -> {}))
        .hasMessageStartingWith("QEMU sent nothing within");
    guest.giveBack();
    requireRestored();
  }

  @Test
  void anotherListOfBlocks_atTheSwitchOver_isRefused() throws IOException {
    guest.attach(() -> {});
    byte[] other = ScriptedQemu.stream();
    // The last letter of vga.vram.
    int at = new String(other, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("vga.vram");
    other[at + 7] = 'n';
    qemu.stream = other;
    assertThatThrownBy(() -> guest.stop(() -> {}, () -> {})).isInstanceOf(IOException.class);
    guest.giveBack();
    requireRestored();
  }

  /** If QEMU shares more than is known here, that would be lost. */
  @Test
  void pagesThatAreLeftOut_areNoticed() throws IOException {
    guest.attach(() -> {});
    byte[] whole = ScriptedQemu.stream();
    int begin = ScriptedQemu.beginning();
    var without = new java.io.ByteArrayOutputStream();
    without.write(whole, 0, begin - 5);
    without.write(new byte[] {3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x7e, 0, 0, 0, 2});
    qemu.stream = without.toByteArray();
    assertThatThrownBy(() -> guest.stop(() -> {}, () -> {}))
        .hasMessageContaining("left out 2 pages of the RAM block vga.vram");
    guest.giveBack();
    requireRestored();
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        ScriptedQemu.refusal("waits itself", qemu -> qemu.status = "inmigrate", "has no guest"),
        ScriptedQemu.refusal(
            "was migrated", qemu -> qemu.status = "postmigrate", "send cont first"),
        ScriptedQemu.refusal(
            "migrates", qemu -> qemu.migration = "active", "migrates already (active)"),
        ScriptedQemu.refusal(
            "VFIO",
            qemu -> qemu.human.put("info qtree", "bus: pci.0\n  dev: vfio-pci, id \"\"\n"),
            "has the device vfio-pci"),
        ScriptedQemu.refusal(
            "vhost-user",
            qemu -> qemu.human.put("info network", "n0: index=0,type=vhost-user,vhost_net\n"),
            "has the device vhost-user"),
        ScriptedQemu.refusal(
            "bitmaps",
            qemu -> qemu.capabilities.put("dirty-bitmaps", true),
            "capability dirty-bitmaps is on"),
        ScriptedQemu.refusal(
            "old",
            qemu -> qemu.capabilities.remove("x-ignore-shared"),
            "does not know the capability x-ignore-shared"),
        ScriptedQemu.refusal(
            "blocked", qemu -> qemu.blocker = "virtfs", "QEMU refused migrate: virtfs"),
        ScriptedQemu.refusal(
            "not shared",
            qemu -> qemu.backends = qemu.backends.replace("true", "false"),
            "share=on -machine memory-backend=ram0"),
        ScriptedQemu.refusal("no back end", qemu -> qemu.backends = "[]", "No RAM of QEMU"),
        ScriptedQemu.refusal(
            "another length",
            qemu -> qemu.backends = qemu.backends.replace("1048576", "2097152"),
            "start both machines with the same RAM"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void qemuThatCannotBeTaken_isRefusedWithTheReason(Consumer<ScriptedQemu> how, String why)
      throws IOException {
    how.accept(qemu);
    Map<String, Boolean> before = new TreeMap<>(qemu.capabilities);
    assertThatThrownBy(() -> guest.attach(() -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
    guest.giveBack();
    assertThat(qemu.capabilities).isEqualTo(before);
    assertThat(qemu.parameters).isEqualTo(parameters);
    assertThat(qemu.running).isTrue();
  }

  @Test
  void nobodyListens_isSaid() throws IOException {
    qemu.close();
    assertThatThrownBy(() -> guest.attach(() -> {}))
        .hasMessageContaining("No QMP greeting from unix:" + folder);
    qemu = new ScriptedQemu(folder);
  }
}
