// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.ConnectionRequest;

/** The connection breaks at the switch-over, and the source asks where the guest is. */
class InquiryTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long[] LENGTHS = {(1 << 20) + PAGE, 2 * PAGE, PAGE};

  /** The answers of a destination, and the conclusion of the source. */
  enum Answers {
    RUNNING(MigrationStatus.COMPLETED, Outcome.RUNNING),
    NOT_STARTED(MigrationStatus.FAILED, Outcome.NOT_STARTED),
    RUNNING_AT_LAST(MigrationStatus.COMPLETED, Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.RUNNING),
    NOT_STARTED_AT_LAST(MigrationStatus.FAILED, Outcome.UNKNOWN, Outcome.NOT_STARTED),
    UNKNOWN(MigrationStatus.UNDECIDED, Outcome.UNKNOWN),
    OF_ANOTHER_MIGRATION(MigrationStatus.UNDECIDED) {
      @Override
      void answer(ConnectionRequest request, MigrationId id, int attempt) throws Exception {
        MigrationId other = new MigrationId(id.high(), id.low() ^ 1);
        request.reject(new InquiryAnswer(other, Outcome.NOT_STARTED).toBytes());
      }
    },
    GARBAGE(MigrationStatus.UNDECIDED) {
      @Override
      void answer(ConnectionRequest request, MigrationId id, int attempt) throws Exception {
        byte[] answer = new InquiryAnswer(id, Outcome.NOT_STARTED).toBytes();
        answer[attempt % 4] ^= 1;
        request.reject(answer);
      }
    },
    UNKNOWN_OUTCOME(MigrationStatus.UNDECIDED) {
      @Override
      void answer(ConnectionRequest request, MigrationId id, int attempt) throws Exception {
        byte[] answer = new InquiryAnswer(id, Outcome.NOT_STARTED).toBytes();
        answer[answer.length - 1] = 3;
        request.reject(answer);
      }
    },
    NOTHING(MigrationStatus.UNDECIDED) {
      @Override
      void answer(ConnectionRequest request, MigrationId id, int attempt) throws Exception {
        request.reject(new byte[0]);
      }
    };

    private final MigrationStatus status;
    private final List<Outcome> outcomes;

    Answers(MigrationStatus status, Outcome... outcomes) {
      this.status = status;
      this.outcomes = List.of(outcomes);
    }

    void answer(ConnectionRequest request, MigrationId id, int attempt) throws Exception {
      Outcome outcome = outcomes.get(Math.min(attempt, outcomes.size() - 1));
      request.reject(new InquiryAnswer(id, outcome).toBytes());
    }
  }

  @ParameterizedTest
  @EnumSource(Answers.class)
  void sourceDoesAsItIsTold(Answers answers) throws Exception {
    try (var rig = new Rig(Rig.inquiry(Duration.ofSeconds(1)));
        var guest = BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination =
          new ScriptedDestination(rig, copy, true, Tamper.NONE).leavingAt(ControlType.SWITCH_OVER);
      Thread here = rig.start(source);
      destination.run();
      MigrationId id = Objects.requireNonNull(destination.migration());
      int attempts = 0;
      while (here.isAlive()) {
        ConnectionRequest request = rig.listener().nextRequest(Duration.ofMillis(10));
        if (request != null) {
          assertThat(idIn(request)).isEqualTo(id);
          answers.answer(request, id, attempts++);
        }
      }
      Rig.join(here, source);

      assertThat(attempts).isPositive();
      assertThat(source.telemetry().status()).as(source.outcome()).isEqualTo(answers.status);
      assertThat(guest.isRunning()).isEqualTo(answers.status == MigrationStatus.FAILED);
    }
  }

  private static MigrationId idIn(ConnectionRequest request) throws Exception {
    ByteBuffer privateData = ByteBuffer.wrap(request.privateData());
    Capabilities capabilities = Capabilities.decode(privateData);
    assertThat(capabilities.inquiry() && capabilities.wridscope()).isTrue();
    return MigrationId.decode(privateData);
  }

  /** The message at which a source disconnects, and the destination's sentence about the guest. */
  enum Leaving {
    BEFORE_SWITCH_OVER(ControlType.SWITCH_OVER, Outcome.NOT_STARTED),
    BEFORE_DIGESTS(ControlType.DIGESTS, null);

    private final ControlType type;
    private final @Nullable Outcome outcome;

    Leaving(ControlType type, @Nullable Outcome outcome) {
      this.type = type;
      this.outcome = outcome;
    }
  }

  @ParameterizedTest
  @EnumSource(Leaving.class)
  void destinationAnswersItsSourceOnly(Leaving leaving) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var source = new ScriptedSource(rig, guest, false, true, Tamper.NONE).leavingAt(leaving.type);
      Thread there = rig.start(destination);
      source.run();
      if (leaving.outcome != null) {
        assertThat(ask(rig, new MigrationId(3, 4))).isNull();
        assertThat(there.isAlive()).as("it waits for its own source").isTrue();
        assertThat(ask(rig, source.migration())).isEqualTo(leaving.outcome);
      }
      Rig.join(there, destination);

      assertThat(copy.isRunning()).isEqualTo(leaving.outcome == null);
      assertThat(destination.telemetry().status())
          .as(destination.outcome())
          .isEqualTo(leaving.outcome == null ? MigrationStatus.COMPLETED : MigrationStatus.FAILED);
    }
  }

  /** The outcome in the destination's answer; null if there is none. */
  private static @Nullable Outcome ask(Rig rig, MigrationId id) throws Exception {
    Connection connection = rig.sourceDevice.resolve(rig.address(), Rig.END);
    byte[] question = Capabilities.of(Capabilities.WRIDSCOPE | Capabilities.INQUIRY).toBytes(id);
    try (var peer = new TestPeer(rig.sourceDevice, connection)) {
      peer.connection.connect(new ConnectionParameters(question, 5, 5), Rig.END);
      throw new AssertionError("an inquiry was accepted");
    } catch (ConnectionRejectedException e) {
      byte[] answer = e.privateData();
      if (answer[0] != 'W') {
        return null;
      }
      InquiryAnswer decoded = InquiryAnswer.decode(answer);
      assertThat(decoded.id()).isEqualTo(id);
      return decoded.outcome();
    }
  }

  @Test
  void inquiryDuringAMigration_endsIt() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      var source = new ScriptedSource(rig, guest, false, true, Tamper.NONE);
      var outcome = new Outcome[1];
      source.before(
          ControlType.SWITCH_OVER,
          () -> outcome[0] = Objects.requireNonNull(ask(rig, source.migration())));
      source.run();
      Rig.join(there, destination);

      assertThat(outcome[0]).isEqualTo(Outcome.NOT_STARTED);
      assertThat(destination.outcome())
          .isEqualTo(
              "The source lost the connection before the guest was started."
                  + " The guest was not started here.");
      assertThat(copy.isRunning()).isFalse();
    }
  }
}
