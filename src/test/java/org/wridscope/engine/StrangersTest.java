// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.TurnedAway;
import org.wridscope.telemetry.TurnedAway.Reason;

/** A destination that waits for its source, and others that come before it. */
class StrangersTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long[] LENGTHS = {(1 << 20) + PAGE, 2 * PAGE, PAGE};

  /** What a caller does that is accepted and is not the source. */
  enum Kind {
    LEAVES_AT_ONCE(Reason.LEFT) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return lying(rig, guest, false).leavingAt(ControlType.QEMU_FILE);
      }
    },
    LEAVES_AFTER_THE_STREAM_BEGAN(Reason.LEFT) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return lying(rig, guest, false).leavingAt(ControlType.RAM_BLOCKS_REQUEST);
      }
    },
    LEAVES_WITH_THE_BLOCKS(Reason.LEFT) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return lying(rig, guest, false).leavingAt(ControlType.REGISTER_FINISHED);
      }
    },
    LEAVES_WITH_KEYS_TO_ALL_RAM(Reason.LEFT) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return lying(rig, guest, true).leavingAt(ControlType.REGISTER_FINISHED);
      }
    },
    LEAVES_BEFORE_ITS_FIRST_KEY(Reason.LEFT) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return lying(rig, guest, false).leavingAt(ControlType.REGISTER_REQUEST);
      }
    },
    SENDS_GARBAGE(Reason.INVALID) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return new ScriptedSource(rig, guest, false, true, (_, _) -> List.of(new byte[200]));
      }
    },
    SENDS_ANOTHER_STREAM(Reason.INVALID) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return new ScriptedSource(
            rig,
            guest,
            false,
            true,
            (_, _) ->
                List.of(TestPeer.message(ControlType.QEMU_FILE, 1, payload -> payload.putLong(1))));
      }
    },
    SENDS_AN_EMPTY_MESSAGE(Reason.INVALID) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return new ScriptedSource(
            rig, guest, false, true, (_, _) -> List.of(TestPeer.message(ControlType.QEMU_FILE)));
      }
    },
    BEGINS_WITH_ANOTHER_MESSAGE(Reason.INVALID) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return new ScriptedSource(
            rig,
            guest,
            false,
            true,
            (_, _) -> List.of(TestPeer.message(ControlType.RAM_BLOCKS_REQUEST)));
      }
    },
    SENDS_GARBAGE_AFTER_THE_STREAM_BEGAN(Reason.INVALID) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return new ScriptedSource(
            rig,
            guest,
            false,
            true,
            (index, message) -> List.of(index == 0 ? message : new byte[200]));
      }
    },
    GIVES_UP(Reason.LEFT) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return new ScriptedSource(
            rig, guest, false, true, (_, _) -> List.of(TestPeer.message(ControlType.ERROR)));
      }
    },
    HAS_OTHER_RAM(Reason.UNSUITABLE) {
      @Override
      ScriptedSource caller(Rig rig, BlockGuest guest) {
        return lying(rig, guest, false);
      }

      @Override
      BlockGuest ram() {
        return BlockGuest.of(2 * PAGE);
      }
    };

    private final Reason reason;

    Kind(Reason reason) {
      this.reason = reason;
    }

    private static ScriptedSource lying(Rig rig, BlockGuest guest, boolean pinAll) {
      return new ScriptedSource(rig, guest, pinAll, true, Tamper.NONE);
    }

    abstract ScriptedSource caller(Rig rig, BlockGuest guest);

    /** The RAM that it lies about. */
    BlockGuest ram() {
      return guest();
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void destinationWaitsOn_afterACallerThatSendsNoRam(Kind kind) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var lie = kind.ram();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      for (int i = 0; i < 3; i++) {
        kind.caller(rig, lie).run();
        long came = i + 1L;
        await(destination, () -> destination.telemetry().turnedAway().counts().total() == came);
      }
      assertMoved(rig, guest, copy, destination, there);
      TurnedAway.Counts counts = destination.telemetry().turnedAway().counts();
      assertThat(counts.reasons()).containsOnlyKeys(kind.reason);
      assertThat(counts.addresses()).containsOnlyKeys("127.0.0.1");
    }
  }

  @Test
  void sessionFails_onceRamHasArrived() throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var lie = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      new ScriptedSource(rig, lie, false, true, Tamper.NONE).leavingAt(ControlType.COMPRESS).run();
      Rig.join(there, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(copy.isRunning()).isFalse();
      assertThat(destination.telemetry().turnedAway().counts().total()).isZero();
    }
  }

  /** With all RAM pinned, a source can write without sending a message. */
  @Test
  void sessionFails_whenACallerWithKeysToAllRamHasWritten() throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var lie = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      var source = new ScriptedSource(rig, lie, true, true, Tamper.NONE);
      source.before(
          ControlType.REGISTER_FINISHED,
          () -> {
            copy.ramBlocks().get(1).memory().set(ValueLayout.JAVA_BYTE, 7, (byte) 1);
            throw new IllegalStateException("it leaves");
          });
      try {
        source.run();
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("it leaves");
      }
      Rig.join(there, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(copy.isRunning()).isFalse();
    }
  }

  private static BlockGuest guest() {
    return BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
  }

  static void assertMoved(
      Rig rig, BlockGuest guest, BlockGuest copy, DestinationSession destination, Thread there)
      throws InterruptedException {
    var source = rig.source(guest, Rig.parameters(false, true));
    Rig.join(rig.start(source), source);
    Rig.join(there, destination);
    Rig.assertCompleted(source, destination);
    assertThat(source.verified()).as(source.outcome()).isTrue();
    assertThat(copy.isRunning()).isTrue();
    assertThat(copy.hasEqualRam(guest)).isTrue();
  }

  static void await(DestinationSession destination, BooleanSupplier done) {
    long end = System.nanoTime() + Rig.END.toNanos();
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime())
          .as("%s, %s", destination.outcome(), destination.telemetry().turnedAway().counts())
          .isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
    }
  }
}
