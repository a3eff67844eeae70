// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.SavedGuest;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** A guest in a file is sent to a QEMU. */
@Slow("every way to interrupt a restore")
class RestoreTest {
  private static final byte[] TAIL = CaptureTest.TAIL;

  /** More than twice what may be registered at once. */
  private static final long LARGE = 524L << 20;

  @TempDir private Path folder;
  private Path file = Path.of("");

  /** A file as from the capture of a QEMU. */
  @BeforeEach
  void capture() throws Exception {
    file = capture(TAIL, CaptureTest.LENGTHS);
  }

  private Path capture(byte[] tail, long[] lengths) throws Exception {
    Path target = folder.resolve("vm-%d.mig".formatted(tail.length));
    try (var rig = new Rig();
        var guest = CaptureTest.guest(lengths);
        var captured = CapturedGuest.create(target)) {
      var source = new ScriptedQemuSource(rig, guest, false, CaptureTest.PREFIX, tail, Tamper.NONE);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
    }
    return target;
  }

  /** RAM without zeros, as after QEMU has loaded ROMs and reset the machine. */
  private static BlockGuest dirty(long... lengths) {
    var guest = BlockGuest.of(lengths);
    for (int i = 0; i < lengths.length; i++) {
      guest.memory(i).fill((byte) 0x77);
    }
    return guest;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void qemuGetsTheGuest_byteForByte(boolean pinAll) throws Exception {
    try (var rig = new Rig();
        var expected = CaptureTest.guest();
        var qemu = dirty(CaptureTest.LENGTHS);
        var saved = SavedGuest.open(file)) {
      var destination = new ScriptedQemuDestination(rig, qemu, TAIL.length, Tamper.NONE);
      var source = rig.source(saved, Rig.parameters(pinAll, true));
      rig.run(source, destination);

      assertThat(destination.end()).as(source.outcome()).isEqualTo("it went to the end");
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(destination.wanted().version()).isEqualTo(1);
      assertThat(destination.wanted().flags() & Capabilities.PIN_ALL)
          .isEqualTo(pinAll ? Capabilities.PIN_ALL : 0);
      assertThat(destination.rest()).isEqualTo(TAIL);
      assertThat(Arrays.copyOf(destination.stream(), CaptureTest.PREFIX.length))
          .isEqualTo(CaptureTest.PREFIX);
      for (int i = 0; i < CaptureTest.LENGTHS.length; i++) {
        assertThat(qemu.memory(i).mismatch(expected.memory(i))).as("block %d", i).isEqualTo(-1);
      }
      assertThat(qemu.guardsAreIntact()).isTrue();
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.RAM_REMAINING)).isZero();
      assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isZero();
      assertThat(metrics.get(Metric.REGISTRATION_ROUND_TRIPS)).isEqualTo(pinAll ? 0 : 4);
      assertThat(source.telemetry().messagesSent().get(ControlType.HEARTBEAT)).isZero();
      assertThat(source.unconfirmed()).hasSize(2);
      assertThat(source.outcome())
          .startsWith("The guest was sent to %s:".formatted(rig.address().getHostString()));
    }
  }

  @Test
  void otherFile_isNoCapturedGuest() throws Exception {
    for (String content : List.of("", "abc", "#!/bin/sh and more")) {
      Files.writeString(file, content);
      assertThatExceptionOfType(GuestException.class)
          .isThrownBy(() -> SavedGuest.open(file))
          .withMessage("restore %s: it cannot be used: this is not a captured guest", file);
    }
  }

  @Test
  void qemuGetsTheGuest_andKeepsNothingRegistered() throws Exception {
    try (var rig = new Rig();
        var expected = CaptureTest.guest();
        var qemu = dirty(CaptureTest.LENGTHS);
        var saved = SavedGuest.open(file)) {
      var destination = new ScriptedQemuDestination(rig, qemu, TAIL.length, Tamper.NONE);
      var source = rig.source(saved, Rig.unregistering(true));
      rig.run(source, destination);

      assertThat(destination.end()).as(source.outcome()).isEqualTo("it went to the end");
      assertThat(destination.rest()).isEqualTo(TAIL);
      for (int i = 0; i < CaptureTest.LENGTHS.length; i++) {
        assertThat(qemu.memory(i).mismatch(expected.memory(i))).as("block %d", i).isEqualTo(-1);
      }
      assertThat(destination.unregistered()).isEqualTo(4);
      assertThat(destination.registered()).isZero();
      assertThat(source.telemetry().metrics().get(Metric.UNREGISTRATIONS)).isEqualTo(4);
    }
  }

  /**
   * QEMU 11.1 has the parameter x-rdma-chunk-size, which no message of the protocol has. The chunk
   * of zeros makes a run begin within a chunk of the destination that is registered already.
   */
  @ParameterizedTest
  @CsvSource({
    "1048576, false",
    "1048576, true",
    "2097152, false",
    "2097152, true",
    "4194304, true",
    "4194304, false",
    "8388608, false",
    "1073741824, true",
  })
  void qemuWithChunksOfAnySize_getsTheGuest(long chunkSize, boolean unregister) throws Exception {
    long[] lengths = {(9 << 20) + CaptureTest.PAGE, 3 << 20};
    Path target = folder.resolve("chunks.mig");
    try (var guest = BlockGuest.of(lengths).boot(5, 0)) {
      guest.memory(0).asSlice(1 << 20, 1 << 20).fill((byte) 0);
      try (var rig = new Rig();
          var captured = CapturedGuest.create(target)) {
        rig.run(
            rig.destination(captured, Rig.parameters(false, true)),
            new ScriptedQemuSource(rig, guest, false, CaptureTest.PREFIX, TAIL, Tamper.NONE));
      }
      try (var rig = new Rig();
          var qemu = dirty(lengths);
          var saved = SavedGuest.open(target)) {
        var destination = new ScriptedQemuDestination(rig, qemu, TAIL.length, Tamper.NONE);
        destination.setChunkSize(chunkSize);
        var source =
            rig.source(saved, unregister ? Rig.unregistering(true) : Rig.parameters(false, true));
        rig.run(source, destination);

        assertThat(destination.end()).as(source.outcome()).isEqualTo("it went to the end");
        assertThat(qemu.digests()).isEqualTo(guest.digests());
        if (chunkSize == 1 << 20 && unregister) {
          assertThat(destination.registered()).isZero();
        } else {
          assertThat(destination.unregistered()).isZero();
        }
      }
    }
  }

  /** RAM that was sent is released while the rest is being sent. */
  @Test
  void memoryInUse_isBounded() throws Exception {
    Path large = folder.resolve("large.mig");
    try (var rig = new Rig();
        var guest = BlockGuest.of(LARGE).boot(3, 0);
        var captured = CapturedGuest.create(large)) {
      rig.run(
          rig.source(guest, Rig.parameters(true, false)),
          rig.destination(captured, Rig.parameters(true, true)));
    }
    assertMemoryInUseIsBounded(large, false);
    assertMemoryInUseIsBounded(large, true);
  }

  private void assertMemoryInUseIsBounded(Path large, boolean pinAll) throws Exception {
    try (var rig = new Rig();
        var again = CapturedGuest.create(folder.resolve("again-%s.mig".formatted(pinAll)));
        var saved = SavedGuest.open(large)) {
      var source = rig.source(saved, Rig.parameters(pinAll, true));
      var destination = rig.destination(again, Rig.parameters(pinAll, true));
      // Everything that may be posted is posted meanwhile.
      rig.sourceDevice.setFaultPlan(FaultPlan.at(40, new Fault.Delay(500_000_000)));
      rig.run(source, destination);
      assertThat(source.verified()).as(source.outcome()).isTrue();
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.REGISTERED_BYTES_PEAK))
          .as("in transit, the part of its first run that has arrived, and two batches to come")
          .isLessThanOrEqualTo(
              RamSender.MAX_IN_TRANSIT
                  + RamSender.MAX_RUN_CHUNKS * ChunkTable.CHUNK_SIZE
                  + 2 * (WriteBatch.MAX_BYTES + ChunkTable.CHUNK_SIZE))
          .isLessThan(LARGE / 2);
      assertThat(metrics.get(Metric.REGISTERED_BYTES)).isZero();
    }
  }

  @Test
  void guestIsStillInItsFile_wheneverTheQemuExits() throws Exception {
    int messages = Integer.MAX_VALUE;
    for (int leaving = 0; leaving < messages; leaving++) {
      try (var rig = new Rig();
          var qemu = dirty(CaptureTest.LENGTHS);
          var saved = SavedGuest.open(file)) {
        var destination =
            new ScriptedQemuDestination(rig, qemu, TAIL.length, Tamper.NONE).leavingAt(leaving);
        var source = rig.source(saved, Rig.parameters(false, true));
        rig.run(source, destination);
        if (!destination.end().equals("it exited")) {
          messages = leaving;
          assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
        } else if (source.telemetry().status() == MigrationStatus.FAILED) {
          assertThat(source.outcome()).contains("The guest is in its file as before");
        } else {
          // After the last message, a QEMU that exits looks like one that has loaded the guest.
          assertThat(Arrays.copyOf(TAIL, 1)).isNotEmpty();
          assertThat(source.unconfirmed()).hasSizeGreaterThanOrEqualTo(2);
          messages = leaving + 1;
        }
      }
    }
    assertThat(messages).isBetween(12, 40);
  }

  @Test
  void qemuThatDoesNotDisconnect_isNamed() throws Exception {
    Limits limits = Rig.NO_INQUIRY;
    var impatient =
        new Limits(
            limits.connect(),
            limits.answer(),
            limits.work(),
            Duration.ofMillis(20),
            limits.inquiry(),
            limits.heartbeat(),
            limits.silence());
    try (var rig = new Rig(impatient);
        var qemu = dirty(CaptureTest.LENGTHS);
        var saved = SavedGuest.open(file)) {
      var destination = new ScriptedQemuDestination(rig, qemu, TAIL.length, Tamper.NONE).staying();
      var source = rig.source(saved, Rig.parameters(false, true));
      rig.run(source, destination);
      assertThat(source.unconfirmed()).anyMatch(doubt -> doubt.contains("did not disconnect"));
    }
  }

  @Test
  void otherRam_isToldApart() throws Exception {
    try (var rig = new Rig();
        var qemu = dirty(1 << 20, 1 << 20, 4096);
        var saved = SavedGuest.open(file)) {
      var destination = new ScriptedQemuDestination(rig, qemu, TAIL.length, Tamper.NONE);
      var source = rig.source(saved, Rig.parameters(false, true));
      rig.run(source, destination);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .startsWith("Length of the destination's RAM block block0 is 1048576")
          .endsWith("The guest is in its file as before.");
    }
  }

  private record Case(int message, Attack attack) {}

  @ExtendWith(UnderSchedule.class)
  @TestFactory
  Stream<DynamicTest> restoreEndsWell_whateverTheQemuSends() throws Exception {
    Path small = capture(CaptureTest.SHORT_TAIL, CaptureTest.SMALL);
    var good = new ArrayList<byte[]>();
    hostile(small, Tamper.recording(good));
    var cases = new ArrayList<Case>();
    for (int message = 0; message < good.size(); message++) {
      List<Attack> attacks = Attack.on(good.get(message));
      for (int i = message % 3; i < attacks.size(); i += 3) {
        cases.add(new Case(message, attacks.get(i)));
      }
      for (int seed = 0; seed < 8; seed++) {
        cases.add(new Case(message, Attack.flip(seed)));
      }
    }
    return Concurrently.tests(cases, test -> hostile(small, test.attack.at(test.message)));
  }

  private static void hostile(Path file, Tamper tamper) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var qemu = dirty(CaptureTest.SMALL);
        var saved = SavedGuest.open(file)) {
      var destination =
          new ScriptedQemuDestination(rig, qemu, CaptureTest.SHORT_TAIL.length, tamper);
      var source = rig.source(saved, Rig.parameters(false, true));
      rig.run(source, destination);
      assertThat(qemu.guardsAreIntact()).isTrue();
    }
  }

  @Test
  void restoreIsCancelled_whileItReadsOrSends() throws Exception {
    try (var rig = new Rig();
        var saved = SavedGuest.open(file)) {
      var source = rig.source(saved, Rig.parameters(false, true));
      source.cancel();
      source.run();
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      assertThat(source.outcome()).endsWith("The guest is in its file as before.");
    }
  }
}
