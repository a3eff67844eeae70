// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.MigrationId;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.MigrationStreamWriter;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.time.Time;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;

/** Callers that are tried as the source, correctly and slowly, while the true one waits. */
@ExtendWith(UnderSchedule.class)
final class TurnTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long[] LENGTHS = {(1 << 20) + PAGE, 2 * PAGE, PAGE};

  /** Less than a caller may be silent for while others wait. */
  private static final Duration PAUSE = Duration.ofMillis(900);

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** What takes no pause, in time of the schedule. */
  private static final Duration STEPS = Duration.ofMillis(500);

  /** How a caller that never gets to its first key spends its turn. */
  enum Slow {
    /** It sends its stream byte by byte. */
    BYTES(1) {
      @Override
      void play(TestPeer peer, BlockGuest guest, Duration pause) throws Exception {
        for (byte one : beginning(guest)) {
          next(peer, ControlType.QEMU_FILE, new byte[] {one}, pause);
        }
      }
    },
    /** It has the guest's blocks, and sends rounds without RAM. */
    ROUNDS(2) {
      @Override
      void play(TestPeer peer, BlockGuest guest, Duration pause) throws Exception {
        next(peer, ControlType.QEMU_FILE, beginning(guest), Duration.ZERO);
        next(peer, ControlType.RAM_BLOCKS_REQUEST, new byte[0], pause);
        ScriptedPeer.require(peer.receive(), ControlType.RAM_BLOCKS_RESULT);
        var bytes = new ByteArrayOutputStream();
        var stream = new MigrationStreamWriter(bytes);
        begin(stream, guest);
        while (true) {
          next(peer, ControlType.REGISTER_FINISHED, new byte[0], pause);
          bytes.reset();
          stream.ramEos();
          stream.ramPart();
          next(peer, ControlType.QEMU_FILE, bytes.toByteArray(), pause);
        }
      }
    };

    /** How long it may keep others waiting. */
    private final Duration limit;

    Slow(int seconds) {
      limit = Duration.ofSeconds(seconds);
    }

    abstract void play(TestPeer peer, BlockGuest guest, Duration pause) throws Exception;
  }

  private static void begin(MigrationStreamWriter stream, BlockGuest guest) throws IOException {
    stream.header(guest.machineType());
    stream.ramStart(
        guest.ramBlocks().stream()
            .map(block -> new BlockListing(block.name(), block.length()))
            .toList());
  }

  private static byte[] beginning(BlockGuest guest) throws IOException {
    var bytes = new ByteArrayOutputStream();
    begin(new MigrationStreamWriter(bytes), guest);
    return bytes.toByteArray();
  }

  private static void next(TestPeer peer, ControlType type, byte[] payload, Duration pause)
      throws Exception {
    ScriptedPeer.require(peer.receive(), ControlType.READY);
    Time.sleep(pause);
    peer.send(TestPeer.message(type, 1, to -> to.put(payload)));
  }

  private static Thread come(Rig rig, String name, Slow slow, BlockGuest guest, Duration pause) {
    return Time.start(
        name,
        () -> {
          try {
            Connection connection = rig.sourceDevice.resolve(rig.address(), PATIENCE);
            try (var peer = new TestPeer(rig.sourceDevice, connection)) {
              peer.setPatience(PATIENCE);
              byte[] request = Capabilities.of(0).toBytes(MigrationId.random());
              connection.connect(new ConnectionParameters(request, 5, 5), PATIENCE);
              slow.play(peer, guest, pause);
            }
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          } catch (Exception e) {
            // It was turned away.
          }
        });
  }

  private static BlockGuest guest() {
    return BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
  }

  private static void awaitTurn(DestinationSession destination) throws InterruptedException {
    Rig.await(
        () -> destination.telemetry().status() == MigrationStatus.SETUP,
        () -> "no caller is tried: " + destination.outcome());
  }

  /** Time of the schedule from a source's first step to its first round. */
  private static Duration begins(SourceSession source) throws InterruptedException {
    long begin = Time.nanos();
    Rig.await(
        () ->
            source.telemetry().status() == MigrationStatus.ACTIVE
                || source.telemetry().status().isEnd(),
        () -> "the source waits for " + source.telemetry().waitingFor());
    return Duration.ofNanos(Time.nanos() - begin);
  }

  @ParameterizedTest
  @EnumSource(Slow.class)
  void slowCallerLosesItsTurn_whileTheSourceWaits(Slow slow) throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Thread liar = come(rig, "liar", slow, guest, PAUSE);
      awaitTurn(destination);
      var source = rig.source(guest, Rig.parameters(false, true));
      Thread here = rig.start(source);
      assertThat(begins(source)).as(source.outcome()).isLessThan(slow.limit.plus(STEPS));
      Rig.join(here, source);
      Rig.join(there, destination);
      Rig.assertCompleted(source, destination);
      assertThat(destination.telemetry().turnedAway().counts().reasons())
          .containsOnlyKeys(Reason.CROWDED_OUT);
      Time.join(liar);
    }
  }

  /** A source that is connected and waits would give up without heartbeats. */
  @Test
  void sourceThatWaitsItsTurn_isKeptAlive() throws Exception {
    Limits limits = Limits.DEFAULT;
    var impatient =
        new Limits(
            limits.connect(),
            limits.answer(),
            limits.work(),
            limits.goodbye(),
            limits.inquiry(),
            Duration.ofMillis(100),
            Duration.ofMillis(700));
    try (var rig = new Rig(impatient);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Thread liar = come(rig, "liar", Slow.ROUNDS, guest, PAUSE);
      awaitTurn(destination);
      var source = rig.source(guest, Rig.parameters(false, true));
      Thread here = rig.start(source);
      assertThat(begins(source)).as("what it waited").isGreaterThan(limits.heartbeat());
      Rig.join(here, source);
      Rig.join(there, destination);
      Rig.assertCompleted(source, destination);
      Time.join(liar);
    }
  }

  /** Alone, a caller has all the time of a migration, and then loses only its own turn. */
  @ParameterizedTest
  @EnumSource(Slow.class)
  void slowCallerIsTurnedAway_whenTheTimeOfAMigrationIsOver(Slow slow) throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      long begin = Time.nanos();
      Thread liar = come(rig, "liar", slow, guest, PAUSE);
      awaitTurn(destination);
      Rig.await(
          () -> destination.telemetry().turnedAway().counts().total() == 1,
          () -> "it has its turn still");
      assertThat(Duration.ofNanos(Time.nanos() - begin)).isGreaterThan(Duration.ofSeconds(45));
      StrangersTest.assertMoved(rig, guest, copy, destination, there);
      Time.join(liar);
    }
  }

  /** Liars from the source's own address, more than can be tried, delay it but not for ever. */
  @Test
  void sourceGetsItsTurn_whileLiarsKeepComing() throws Exception {
    try (var rig = new Rig(Limits.DEFAULT, 1000);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      var source =
          rig.source(
              guest,
              new MigrationParameters(
                  Settings.USUAL.with(MigrationSetting.TIMEOUT, Duration.ofMinutes(10))));
      var liars = new ArrayList<Thread>();
      Thread here = Time.unstarted("source", source::run);
      for (int liar = 0; source.outcome() == null; liar++) {
        assertThat(liar).as("liars that came before the source").isLessThan(200);
        if (liar == 8) {
          Time.start(here);
        }
        liars.add(come(rig, "liar" + liar, Slow.BYTES, guest, PAUSE));
        Time.sleep(SECOND.dividedBy(2));
      }
      Rig.join(here, source);
      Rig.join(there, destination);
      Rig.assertCompleted(source, destination);
      liars.forEach(Time::join);
    }
  }
}
