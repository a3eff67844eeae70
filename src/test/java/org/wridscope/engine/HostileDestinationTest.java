// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.Slow;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.MigrationStatus;

/** A source whose destination sends garbage at any step. */
@Slow("sixteen hundred attacks")
@ExtendWith(UnderSchedule.class)
class HostileDestinationTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long[] LENGTHS = {(1 << 20) + PAGE, 2 * PAGE, PAGE};
  private static final int FLIPS = 120;
  private static final List<BlockDigest> UNHARMED = unharmed();

  enum Mode {
    DYNAMIC(false, true, false),
    UNREGISTERING(false, true, true),
    PIN_ALL(true, true, false),
    WITHOUT_EXTENSIONS(false, false, false);

    private final boolean pinAll;
    private final boolean extensions;
    private final boolean unregister;

    Mode(boolean pinAll, boolean extensions, boolean unregister) {
      this.pinAll = pinAll;
      this.extensions = extensions;
      this.unregister = unregister;
    }

    private MigrationParameters parameters() {
      return unregister ? Rig.unregistering(true) : Rig.parameters(pinAll, true);
    }
  }

  private record Case(Mode mode, int message, int messages, Attack attack) {}

  @TestFactory
  Stream<DynamicTest> sourceEndsWell_whateverTheDestinationSends() throws Exception {
    var cases = new ArrayList<Case>();
    for (Mode mode : Mode.values()) {
      addCases(mode, cases);
    }
    return Concurrently.tests(cases, HostileDestinationTest::check);
  }

  private static void addCases(Mode mode, List<Case> cases) throws Exception {
    List<byte[]> good = goodMessages(mode);
    var types = EnumSet.noneOf(ControlType.class);
    for (int message = 0; message < good.size(); message++) {
      List<Attack> attacks = Attack.on(good.get(message));
      ControlType type = TestPeer.typeOf(good.get(message));
      if (mode == Mode.UNREGISTERING && type != ControlType.UNREGISTER_FINISHED) {
        // As in the other modes.
        continue;
      }
      boolean isNew = mode == Mode.UNREGISTERING || (mode == Mode.DYNAMIC && types.add(type));
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
  private static List<byte[]> goodMessages(Mode mode) throws Exception {
    var messages = new ArrayList<byte[]>();
    try (var rig = new Rig();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, mode.parameters());
      var destination =
          new ScriptedDestination(rig, copy, mode.extensions, Tamper.recording(messages));
      rig.run(source, destination);
      assertThat(source.telemetry().status())
          .as("%s, %s", source.outcome(), destination.end())
          .isEqualTo(MigrationStatus.COMPLETED);
      assertThat(copy.digests()).isEqualTo(guest.digests());
      assertThat(guest.isRunning()).isFalse();
      assertThat(source.verified()).isEqualTo(mode.extensions);
    }
    return messages;
  }

  private static List<BlockDigest> unharmed() {
    try (var guest = guest()) {
      return guest.digests();
    }
  }

  private static BlockGuest guest() {
    return BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
  }

  private static void check(Case test) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, test.mode.parameters());
      var destination =
          new ScriptedDestination(rig, copy, test.mode.extensions, test.attack.at(test.message));
      rig.run(source, destination);

      MigrationStatus status = source.telemetry().status();
      String what = "%s%n%s: %s, %s".formatted(test, status, source.outcome(), destination.end());
      assertThat(guest.digests()).as("%s%nthe guest is as it was", what).isEqualTo(UNHARMED);
      if (status == MigrationStatus.COMPLETED) {
        assertThat(destination.saidRunning()).as(what).isEqualTo(test.mode.extensions);
      } else if (source.telemetry().messagesSent().get(ControlType.SWITCH_OVER) > 0) {
        assertThat(status).as(what).isEqualTo(MigrationStatus.UNDECIDED);
      } else {
        assertThat(status).as(what).isEqualTo(MigrationStatus.FAILED);
      }
      assertThat(guest.isRunning()).as(what).isEqualTo(status == MigrationStatus.FAILED);
      // What comes after RUNNING does not change where the guest is.
      boolean late = test.mode.extensions && test.message == test.messages - 1;
      if (test.attack.malformed() && !late) {
        assertThat(status).as(what).isNotEqualTo(MigrationStatus.COMPLETED);
      }
    }
  }
}
