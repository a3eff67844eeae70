// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.RandomAccess;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.time.Time;
import org.wridscope.verbs.common.Addresses;

/** Peers that send nothing more, or nothing but heartbeats. */
@ExtendWith(UnderSchedule.class)
class SilentPeerTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long[] LENGTHS = {(1 << 20) + PAGE, 2 * PAGE, PAGE};
  private static final Duration SHORT = Duration.ofMillis(1500);
  private static final Duration BETWEEN_HEARTBEATS = Duration.ofMillis(20);
  private static final Duration LONG = Duration.ofSeconds(50);

  /** Short limits of waiting, without heartbeats. */
  private static final Limits SHORT_ANSWERS =
      new Limits(SHORT, SHORT, SHORT, SHORT, Duration.ofMillis(20), LONG, LONG);

  /** A short limit of silence, with heartbeats. */
  private static final Limits SHORT_SILENCE =
      new Limits(LONG, LONG, LONG, LONG, Duration.ofMillis(20), Duration.ofMillis(300), SHORT);

  /** Heartbeats for longer than any limit, with a pause before each that is sent. */
  private static final class Heartbeats extends AbstractList<byte[]> implements RandomAccess {
    @Override
    public byte[] get(int index) {
      return TestPeer.message(ControlType.HEARTBEAT);
    }

    @Override
    public int size() {
      return 5000;
    }

    @Override
    public Iterator<byte[]> iterator() {
      Iterator<byte[]> all = super.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return all.hasNext();
        }

        @Override
        public byte[] next() {
          try {
            Time.sleep(BETWEEN_HEARTBEATS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return all.next();
        }
      };
    }
  }

  /** What the peer does instead of sending a message and all later ones. */
  private enum Behaviour {
    SAYS_NOTHING(SHORT_ANSWERS, List.of()),
    SAYS_NO_HEARTBEAT(SHORT_SILENCE, List.of()),
    SAYS_HEARTBEATS_ONLY(SHORT_ANSWERS, new Heartbeats());

    private final Limits limits;
    private final List<byte[]> instead;

    Behaviour(Limits limits, List<byte[]> instead) {
      this.limits = limits;
      this.instead = instead;
    }

    Tamper from(int message) {
      return (index, original) -> index == message ? instead : List.of(original);
    }

    /** Part of the outcome of the session that waited. */
    String complaint(String what) {
      return this == SAYS_NO_HEARTBEAT
          ? "Nothing came from the peer for 1.5 s, not even a heartbeat"
          : "Nothing came from the peer for 1.5 s while waiting for " + what + ";";
    }
  }

  /** A peer that stops before a message, and what the session waits for then. */
  private record Case(Behaviour behaviour, boolean extensions, int message, String waitedFor) {}

  private static List<Case> cases(Object... messagesAndWhat) {
    var cases = new ArrayList<Case>();
    for (int i = 0; i < messagesAndWhat.length; i += 2) {
      int message = (int) messagesAndWhat[i];
      String what = (String) messagesAndWhat[i + 1];
      for (Behaviour behaviour : Behaviour.values()) {
        cases.add(new Case(behaviour, true, message, what));
      }
    }
    return cases;
  }

  @TestFactory
  Stream<DynamicTest> sourceSaysWhatItWaitedFor() throws Exception {
    List<Case> cases =
        cases(
            0, "the destination's READY",
            2, "the peer's RAM BLOCKS RESULT",
            3, "the destination's READY",
            6, "the peer's REGISTER RESULT",
            12, "the peer's LOADED",
            13, "the peer's RUNNING",
            14, "the peer's DIGESTS");
    cases.add(new Case(Behaviour.SAYS_NOTHING, false, 3, "the destination's READY"));
    return Concurrently.tests(cases, SilentPeerTest::checkSource);
  }

  private static void checkSource(Case test) throws Exception {
    try (var rig = new Rig(test.behaviour.limits);
        var guest = BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination =
          new ScriptedDestination(rig, copy, test.extensions, test.behaviour.from(test.message))
              .patient();
      rig.run(source, destination);

      assertThat(source.outcome()).contains(test.behaviour.complaint(test.waitedFor));
      MigrationStatus status = source.telemetry().status();
      switch (test.waitedFor) {
        case "the peer's RUNNING" -> assertThat(status).isEqualTo(MigrationStatus.UNDECIDED);
        case "the peer's DIGESTS" -> assertThat(status).isEqualTo(MigrationStatus.COMPLETED);
        default -> assertThat(status).isEqualTo(MigrationStatus.FAILED);
      }
      assertThat(guest.isRunning()).isEqualTo(status == MigrationStatus.FAILED);
    }
  }

  @TestFactory
  Stream<DynamicTest> destinationSaysWhatItWaitedFor() throws Exception {
    List<Case> cases =
        cases(
            0, "the peer's QEMU FILE",
            1, "the source's next registration message",
            4, "the source's next registration message",
            11, "the peer's SWITCH OVER",
            12, "the peer's DIGESTS");
    cases.add(new Case(Behaviour.SAYS_NOTHING, false, 0, "the peer's QEMU FILE"));
    return Concurrently.tests(cases, SilentPeerTest::checkDestination);
  }

  private static void checkDestination(Case test) throws Exception {
    try (var rig = new Rig(test.behaviour.limits);
        var guest = BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var source =
          new ScriptedSource(rig, guest, false, test.extensions, test.behaviour.from(test.message))
              .patient();
      rig.run(destination, source);

      assertThat(destination.outcome()).contains(test.behaviour.complaint(test.waitedFor));
      boolean late = test.waitedFor.equals("the peer's DIGESTS");
      assertThat(destination.telemetry().status())
          .isEqualTo(late ? MigrationStatus.COMPLETED : MigrationStatus.FAILED);
      assertThat(copy.isRunning()).isEqualTo(late);
    }
  }

  @Test
  void sourceSaysWhoDidNotAnswer_whenItsConnectionIsNeverTaken() throws Exception {
    try (var rig = new Rig(SHORT_ANSWERS);
        var guest = BlockGuest.of(LENGTHS).boot(5, 0)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      Rig.join(rig.start(source), source);
      assertThat(source.outcome())
          .isEqualTo(
              "%s did not answer within 1500 ms. The guest keeps running at the source."
                  .formatted(Addresses.text(rig.address())));
      assertThat(guest.isRunning()).isTrue();
    }
  }

  @Test
  void sourceSaysWhatToDo_whenNobodyListens() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(5, 0)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      rig.listener().close();
      Rig.join(rig.start(source), source);
      assertThat(source.outcome())
          .startsWith("Nobody listens on ")
          .endsWith("; start the other side first. The guest keeps running at the source.");
      assertThat(guest.isRunning()).isTrue();
    }
  }

  @Test
  void cancelIsHeard_whileThePeerSaysHeartbeatsOnly() throws Exception {
    try (var rig = new Rig(SHORT_SILENCE);
        var guest = BlockGuest.of(LENGTHS).boot(5, 0);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      Tamper heartbeats = Behaviour.SAYS_HEARTBEATS_ONLY.from(3);
      Tamper cancel =
          (index, message) -> {
            if (index == 3) {
              source.cancel();
            }
            return heartbeats.apply(index, message);
          };
      var destination = new ScriptedDestination(rig, copy, true, cancel).patient();
      rig.run(source, destination);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      assertThat(guest.isRunning()).isTrue();
    }
  }
}
