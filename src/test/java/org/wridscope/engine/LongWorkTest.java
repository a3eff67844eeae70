// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.account.Account;
import org.wridscope.guest.Handover;
import org.wridscope.guest.WaitingMachine;
import org.wridscope.memory.RamBlock;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.StreamEnvelope;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Time;
import org.wridscope.verbs.RdmaDevice;

/** Work that takes longer than a peer may be silent: the peer hears heartbeats meanwhile. */
@ExtendWith(UnderSchedule.class)
class LongWorkTest {
  private static final Limits LIMITS =
      new Limits(
          Limits.DEFAULT.connect(),
          Limits.DEFAULT.answer(),
          Limits.DEFAULT.work(),
          Limits.DEFAULT.goodbye(),
          Limits.DEFAULT.inquiry(),
          Duration.ofMillis(200),
          Duration.ofSeconds(2));

  private static final Duration LONG = LIMITS.silence().multipliedBy(2);
  private static final MigrationParameters PIN_ALL = Rig.parameters(true, true);

  private static void workLong() {
    try {
      Time.sleep(LONG);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Registers all RAM slowly. */
  private static DefectiveDevice slowToPin() {
    return new DefectiveDevice((method, call) -> {
      // The first region has the control messages.
      if (method.equals("ProtectionDomain.register") && call > 0) {
        workLong();
      }
      return null;
    });
  }

  private static SourceSession source(Rig rig, RdmaDevice device, BlockGuest guest)
      throws IOException {
    return new SourceSession(
        device,
        rig.address(),
        guest,
        PIN_ALL,
        new SessionTelemetry(Role.SOURCE, false, Account::new),
        LIMITS);
  }

  @ParameterizedTest
  @EnumSource
  void pinningAllRam_mayTakeLong(Role role) throws Exception {
    try (var rig = new Rig(LIMITS);
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      boolean atSource = role == Role.SOURCE;
      DefectiveDevice slow = slowToPin();
      var source = source(rig, atSource ? slow.of(rig.sourceDevice) : rig.sourceDevice, guest);
      var destination =
          new DestinationSession(
              atSource ? rig.destinationDevice : slow.of(rig.destinationDevice),
              atSource ? rig.listener() : slow.of(rig.listener()),
              copy,
              PIN_ALL,
              new SessionTelemetry(Role.DESTINATION, false, Account::new),
              null,
              LIMITS);
      rig.run(source, destination);
      Rig.assertCompleted(source, destination);
    }
  }

  /** It is a cancel, not a registration that failed. */
  @Test
  void cancelWhileAllRamIsPinned_isACancel() throws Exception {
    try (var rig = new Rig(LIMITS);
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var source = source(rig, slowToPin().of(rig.sourceDevice), guest);
      var destination = rig.destination(copy, PIN_ALL);
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      Time.sleep(LONG.dividedBy(2));
      source.cancel();
      Rig.join(here, source);
      Rig.join(there, destination);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      assertThat(source.outcome()).startsWith("The migration was cancelled.");
      assertThat(guest.isRunning()).isTrue();
      assertThat(copy.isRunning()).isFalse();
    }
  }

  @Test
  void aMachine_mayTakeLong_forEachStep() throws Exception {
    try (var rig = new Rig(LIMITS);
        var guest = MigrationMode.guest();
        var machine = new SlowMachine()) {
      var source = rig.source(guest, PIN_ALL);
      var destination = rig.destination(machine, PIN_ALL);
      rig.run(source, destination);
      Rig.assertCompleted(source, destination);
      assertThat(machine.isRunning()).isTrue();
      assertThat(source.verified()).isTrue();
    }
  }

  /** A machine that does everything slowly. */
  private static final class SlowMachine implements WaitingMachine {
    final BlockGuest copy = BlockGuest.of(MigrationMode.LENGTHS);
    private @Nullable StreamEnvelope loaded;
    private boolean running;

    @Override
    public void prepare(List<BlockListing> blocks, boolean pinned) {
      workLong();
    }

    @Override
    public void release() {
      throw new UnsupportedOperationException("the source stays");
    }

    /** Loads in pieces, as its description says. */
    @Override
    public void load(StreamEnvelope envelope, Checkpoint checkpoint) throws IOException {
      tendLong(checkpoint);
      loaded = envelope;
    }

    private static void tendLong(Checkpoint checkpoint) throws IOException {
      long end = Time.nanos() + LONG.toNanos();
      while (Time.nanos() < end) {
        checkpoint.pass();
        try {
          Time.sleep(Duration.ofMillis(100));
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
    }

    @Override
    public void append(byte[] bytes, int offset, int length) {}

    @Override
    public boolean isDescribed() {
      return true;
    }

    @Override
    public void finishLoading(Checkpoint checkpoint) throws IOException {
      assertThat(loaded).isNotNull();
      tendLong(checkpoint);
    }

    @Override
    public void connected(Handover handover) {
      workLong();
    }

    @Override
    public void loaded() {
      workLong();
    }

    @Override
    public void start() {
      workLong();
      running = true;
    }

    @Override
    public boolean isCompared() {
      return true;
    }

    @Override
    public boolean hasStarted() {
      return running;
    }

    @Override
    public boolean isDoubtful() {
      return false;
    }

    @Override
    public String abandon(boolean mayBeOnlyGuest) {
      return "The machine was given up.";
    }

    @Override
    public void leaveAnswers() {}

    @Override
    public String machine() {
      return "the machine of the test";
    }

    @Override
    public List<RamBlock> ramBlocks() {
      return copy.ramBlocks();
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public void close() {
      copy.close();
    }
  }
}
