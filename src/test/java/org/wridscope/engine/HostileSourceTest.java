// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.Slow;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Addresses;

/** A destination whose source sends garbage at any step. */
@Slow("sixteen hundred attacks")
@ExtendWith(UnderSchedule.class)
class HostileSourceTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long[] LENGTHS = {(1 << 20) + PAGE, 2 * PAGE, PAGE};
  private static final int FLIPS = 120;

  private record Case(MigrationMode mode, int message, int messages, Attack attack) {}

  @TestFactory
  Stream<DynamicTest> destinationEndsWell_whateverTheSourceSends() throws Exception {
    var cases = new ArrayList<Case>();
    for (MigrationMode mode : MigrationMode.values()) {
      addCases(mode, cases);
    }
    return Concurrently.tests(cases, HostileSourceTest::check);
  }

  private static void addCases(MigrationMode mode, List<Case> cases) throws Exception {
    List<byte[]> good = goodMessages(mode);
    var types = EnumSet.noneOf(ControlType.class);
    for (int message = 0; message < good.size(); message++) {
      List<Attack> attacks = Attack.on(good.get(message));
      boolean isNew =
          mode == MigrationMode.DYNAMIC && types.add(TestPeer.typeOf(good.get(message)));
      // Attacks on the first message of a type find most; every fifth is enough for the others.
      int step = isNew ? 1 : 5;
      for (int i = message % step; i < attacks.size(); i += step) {
        cases.add(new Case(mode, message, good.size(), attacks.get(i)));
      }
    }
    for (int seed = 0; seed < FLIPS; seed++) {
      cases.add(new Case(mode, seed % good.size(), good.size(), Attack.flip(seed)));
    }
  }

  /** The messages of a migration that succeeds. */
  private static List<byte[]> goodMessages(MigrationMode mode) throws Exception {
    var messages = new ArrayList<byte[]>();
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var source =
          new ScriptedSource(rig, guest, mode.pinAll, mode.extensions, Tamper.recording(messages));
      rig.run(destination, source);
      assertThat(destination.telemetry().status())
          .as("%s, %s", destination.outcome(), source.end())
          .isEqualTo(MigrationStatus.COMPLETED);
      assertThat(copy.hasEqualRam(guest)).isTrue();
      assertThat(copy.isRunning()).isTrue();
      assertThat(destination.verified()).isEqualTo(mode.extensions);
    }
    return messages;
  }

  private static BlockGuest guest() {
    return BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
  }

  private static void check(Case test) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var source =
          new ScriptedSource(
              rig, guest, test.mode.pinAll, test.mode.extensions, test.attack.at(test.message));
      rig.run(destination, source);

      String what =
          "%s: %s, %s"
              .formatted(destination.telemetry().status(), destination.outcome(), source.end());
      assertThat(copy.guardsAreIntact()).as(what).isTrue();
      assertThat(copy.isRunning())
          .as(what)
          .isEqualTo(destination.telemetry().status() == MigrationStatus.COMPLETED);
      if (test.mode.extensions && copy.isRunning()) {
        assertThat(source.toldToStart()).as(what).isTrue();
      }
      // What comes after SWITCH OVER does not change where the guest is.
      boolean late = test.mode.extensions && test.message == test.messages - 1;
      if (test.attack.malformed() && !late) {
        assertThat(copy.isRunning()).as(what).isFalse();
      }
    }
  }

  /** Blocks 0 and 1 are registered with different keys, and there are other pages between them. */
  @ParameterizedTest(name = "{1} bytes at {0} with key + {2}")
  @CsvSource({
    "-4096, 4096, 0",
    "-1, 2, 0",
    "1052672, 1, 0",
    "1052672, 4096, 0",
    "1048576, 8192, 0",
    "1056768, 4096, 0",
    "0, 4096, 2",
    "0, 4096, -256",
    "1152921504606846976, 1, 0",
    "-1152921504606846976, 1, 0"
  })
  void memoryIsUntouched_whereTheSourceMayNotWrite(long offset, int length, int keyChange)
      throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS);
        var zero = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      var source = new ScriptedSource(rig, guest, false, true, Tamper.NONE);
      source.trespass(offset, length, keyChange);
      source.run();
      Rig.join(there, destination);

      assertThat(source.end()).isEqualTo("a write completed with REM_ACCESS_ERR");
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(copy.isRunning()).isFalse();
      assertThat(copy.hasEqualRam(zero)).isTrue();
      assertThat(copy.guardsAreIntact()).isTrue();
    }
  }

  @Test
  void destinationKeepsOneRegionAChunk_whateverIsRegistered() throws Exception {
    int chunks = 16;
    long[] lengths = {(long) chunks << 20, 2 * PAGE, PAGE};
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = BlockGuest.of(lengths);
        var copy = BlockGuest.of(lengths)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      // Runs from every chunk, each longer than the one before.
      byte[] greedy =
          TestPeer.message(
              ControlType.REGISTER_REQUEST,
              chunks * (chunks + 1) / 2,
              payload -> {
                for (long first = 0; first < chunks; first++) {
                  for (long more = 0; more < chunks - first; more++) {
                    new RegisterCommand(first << 20, 0, more).encode(payload);
                  }
                }
              });
      var source =
          new ScriptedSource(
              rig,
              guest,
              false,
              true,
              (index, message) ->
                  List.of(
                      TestPeer.typeOf(message) == ControlType.REGISTER_REQUEST ? greedy : message));
      rig.run(destination, source);

      var metrics = destination.telemetry().metrics();
      assertThat(metrics.get(Metric.REGISTRATIONS_TOTAL)).isEqualTo(136);
      assertThat(metrics.get(Metric.REGISTRATIONS_PEAK)).isLessThanOrEqualTo(chunks + 1);
      assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Knock.class)
  void destinationTakesTheNextSource_afterOneThatIsNone(Knock knock) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(6, 0.5);
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      for (int i = 0; i < 3; i++) {
        knock.at(rig);
      }
      var source = rig.source(guest, Rig.parameters(false, true));
      Thread here = rig.start(source);
      Rig.join(here, source);
      Rig.join(there, destination);

      assertThat(source.verified()).as(source.outcome()).isTrue();
      assertThat(copy.isRunning()).isTrue();
    }
  }

  /** Connections that are not from a source. */
  enum Knock {
    WRONG_VERSION(new Capabilities(9, 0).toBytes(), "version is 9"),
    NO_PRIVATE_DATA(new byte[0], "version is 0"),
    SHORT_PRIVATE_DATA(new byte[] {0, 0, 0, 1, (byte) 0x80}, "igration id is 0"),
    NO_ID(Capabilities.of(Capabilities.WRIDSCOPE).toBytes(), "igration id is 0"),
    UNKNOWN_INQUIRY(
        Capabilities.of(Capabilities.WRIDSCOPE | Capabilities.INQUIRY)
            .toBytes(new MigrationId(1, 2)),
        "WRSC"),
    INQUIRY_WITHOUT_ID(Capabilities.of(Capabilities.INQUIRY).toBytes(), ""),
    LONG_PRIVATE_DATA(new byte[ConnectionParameters.MAX_CONNECT_PRIVATE_DATA], "version is 0"),
    GIVES_UP(Capabilities.of(0).toBytes(), null);

    private final byte[] privateData;
    private final @Nullable String answer;

    Knock(byte[] privateData, @Nullable String answer) {
      this.privateData = privateData;
      this.answer = answer;
    }

    void at(Rig rig) throws Exception {
      Connection connection = rig.sourceDevice.resolve(rig.address(), Rig.END);
      try (var peer = new TestPeer(rig.sourceDevice, connection)) {
        var parameters = new ConnectionParameters(privateData, 5, 5);
        if (answer == null) {
          assertThatThrownBy(() -> peer.connection.connect(parameters, Duration.ZERO))
              .isInstanceOf(VerbsException.class);
        } else {
          assertThatThrownBy(() -> peer.connection.connect(parameters, Rig.END))
              .isInstanceOfSatisfying(
                  ConnectionRejectedException.class,
                  e ->
                      assertThat(new String(e.privateData(), StandardCharsets.US_ASCII))
                          .contains(answer));
        }
      }
    }
  }

  @Test
  void migrationGoesOn_whileOthersConnect() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(64 << 20).boot(7, 0);
        var copy = BlockGuest.of(64 << 20)) {
      // Slow enough for the others to connect meanwhile.
      var parameters =
          new MigrationParameters(
              Settings.USUAL
                  .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45))
                  .with(MigrationSetting.BANDWIDTH, 64L << 20));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var source = rig.source(guest, parameters);
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      awaitActive(destination);
      int turnedAway = 0;
      for (Knock knock : Knock.values()) {
        turnedAway += isTurnedAway(rig, knock) ? 1 : 0;
      }
      Rig.join(here, source);
      Rig.join(there, destination);

      assertThat(turnedAway).isEqualTo(Knock.values().length);
      assertThat(source.verified()).as(source.outcome()).isTrue();
    }
  }

  private static void awaitActive(MigrationSession session) throws InterruptedException {
    Rig.await(
        () -> session.telemetry().status() == MigrationStatus.ACTIVE,
        () -> String.valueOf(session.outcome()));
  }

  private static boolean isTurnedAway(Rig rig, Knock knock) throws Exception {
    Connection connection = rig.sourceDevice.resolve(rig.address(), Rig.END);
    try (var peer = new TestPeer(rig.sourceDevice, connection)) {
      peer.connection.connect(new ConnectionParameters(knock.privateData, 5, 5), Rig.END);
      return false;
    } catch (ConnectionRejectedException e) {
      String why = new String(e.privateData(), StandardCharsets.US_ASCII).strip();
      return why.startsWith("A migration is going on here.");
    }
  }

  @Test
  void sourceSaysWhyItWasTurnedAway() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var listener = rig.listener()) {
      var source = rig.source(guest, Rig.parameters(false, true));
      Thread here = rig.start(source);
      var request = listener.nextRequest(Rig.END);
      assertThat(request).isNotNull();
      request.reject("Not today.\n".getBytes(StandardCharsets.US_ASCII));
      Rig.join(here, source);
      assertThat(source.outcome())
          .isEqualTo(
              "%s refused the connection: Not today. The guest keeps running at the source."
                  .formatted(Addresses.text(listener.localAddress())));
    }
  }
}
