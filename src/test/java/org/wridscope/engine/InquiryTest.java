// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.Slow;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.InquiryQuestion;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.ConnectionRequest;

/** The connection breaks at the switch-over, and the source asks where the guest is. */
@Slow("whole migrations, in real time")
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
    /** The answer of a local user that listens on the destination's port. */
    NOT_STARTED_WITHOUT_A_PROOF(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        return new InquiryAnswer(asked.question.id(), Outcome.NOT_STARTED).toBytes();
      }
    },
    RUNNING_WITHOUT_A_PROOF(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        return new InquiryAnswer(asked.question.id(), Outcome.RUNNING).toBytes();
      }
    },
    A_LIAR_AND_THEN_THE_DESTINATION(MigrationStatus.COMPLETED) {
      @Override
      byte[] answer(Asked asked) {
        return asked.attempt < 3
            ? NOT_STARTED_WITHOUT_A_PROOF.answer(asked)
            : RUNNING.answer(asked);
      }
    },
    WITH_A_GUESSED_SECRET(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        return new InquiryAnswer(asked.question.id(), Outcome.NOT_STARTED)
            .toBytes(MigrationSecret.random(), asked.question);
      }
    },
    WITH_THE_SECRET_OF_A_NEIGHBOUR(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        var near = new MigrationSecret(asked.secret.high(), asked.secret.low() ^ 1);
        return new InquiryAnswer(asked.question.id(), Outcome.NOT_STARTED)
            .toBytes(near, asked.question);
      }
    },
    WITH_THE_ID_AS_SECRET(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        MigrationId id = asked.question.id();
        return new InquiryAnswer(id, Outcome.NOT_STARTED)
            .toBytes(new MigrationSecret(id.high(), id.low()), asked.question);
      }
    },
    PROOF_OF_ANOTHER_OUTCOME(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        byte[] answer =
            new InquiryAnswer(asked.question.id(), Outcome.RUNNING)
                .toBytes(asked.secret, asked.question);
        answer[InquiryAnswer.BYTES - 1] = (byte) Outcome.NOT_STARTED.value();
        return answer;
      }
    },
    PROOF_OF_ANOTHER_QUESTION(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        return new InquiryAnswer(asked.question.id(), Outcome.NOT_STARTED)
            .toBytes(
                asked.secret, new InquiryQuestion(asked.question.id(), asked.question.nonce() + 1));
      }
    },
    OF_ANOTHER_MIGRATION(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        MigrationId id = asked.question.id();
        MigrationId other = new MigrationId(id.high(), id.low() ^ 1);
        return new InquiryAnswer(other, Outcome.NOT_STARTED)
            .toBytes(asked.secret, new InquiryQuestion(other, asked.question.nonce()));
      }
    },
    /** Any bit of the magic number, the id, the outcome, the proof. */
    GARBAGE(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        byte[] answer =
            new InquiryAnswer(asked.question.id(), Outcome.NOT_STARTED)
                .toBytes(asked.secret, asked.question);
        answer[asked.attempt * 7 % answer.length] ^= (byte) (1 << asked.attempt % 8);
        return answer;
      }
    },
    CUT_SHORT(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        byte[] whole =
            new InquiryAnswer(asked.question.id(), Outcome.NOT_STARTED)
                .toBytes(asked.secret, asked.question);
        return Arrays.copyOf(whole, whole.length - 1 - asked.attempt % whole.length);
      }
    },
    NOTHING(MigrationStatus.UNDECIDED) {
      @Override
      byte[] answer(Asked asked) {
        return new byte[0];
      }
    };

    private final MigrationStatus status;
    private final List<Outcome> outcomes;

    Answers(MigrationStatus status, Outcome... outcomes) {
      this.status = status;
      this.outcomes = List.of(outcomes);
    }

    byte[] answer(Asked asked) {
      Outcome outcome = outcomes.get(Math.min(asked.attempt, outcomes.size() - 1));
      return new InquiryAnswer(asked.question.id(), outcome).toBytes(asked.secret, asked.question);
    }
  }

  /**
   * A question of a source, and what the destination knows.
   *
   * @param attempt from 0
   */
  record Asked(InquiryQuestion question, MigrationSecret secret, int attempt) {}

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
      MigrationSecret secret = Objects.requireNonNull(destination.secret());
      Set<Long> nonces = new HashSet<>();
      while (here.isAlive()) {
        ConnectionRequest request = rig.listener().nextRequest(Duration.ofMillis(10));
        if (request != null) {
          InquiryQuestion question = questionIn(request);
          assertThat(question.id()).isEqualTo(id);
          request.reject(answers.answer(new Asked(question, secret, nonces.size())));
          assertThat(nonces.add(question.nonce())).as("each question is a new one").isTrue();
        }
      }
      Rig.join(here, source);

      assertThat(nonces).isNotEmpty();
      assertThat(source.telemetry().status()).as(source.outcome()).isEqualTo(answers.status);
      assertThat(guest.isRunning()).isEqualTo(answers.status == MigrationStatus.FAILED);
      if (answers == Answers.NOT_STARTED_WITHOUT_A_PROOF) {
        assertThat(source.outcome())
            .contains("A peer answers NOT_STARTED at", "but cannot prove to be the destination.");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_STARTED", "RUNNING"})
  void anOlderDestination_isNotBelieved(Outcome outcome) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination =
          new ScriptedDestination(rig, copy, true, Tamper.NONE)
              .older()
              .leavingAt(ControlType.SWITCH_OVER);
      Thread here = rig.start(source);
      destination.run();
      while (here.isAlive()) {
        ConnectionRequest request = rig.listener().nextRequest(Duration.ofMillis(10));
        if (request != null) {
          request.reject(new InquiryAnswer(questionIn(request).id(), outcome).toBytes());
        }
      }
      Rig.join(here, source);

      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.UNDECIDED);
      assertThat(source.outcome())
          .contains("It answers " + outcome + ", but is an older Wridscope");
      assertThat(guest.isRunning()).isFalse();
    }
  }

  private static InquiryQuestion questionIn(ConnectionRequest request) throws Exception {
    ByteBuffer privateData = ByteBuffer.wrap(request.privateData());
    Capabilities capabilities = Capabilities.decode(privateData);
    assertThat(capabilities.inquiry() && capabilities.wridscope()).isTrue();
    return InquiryQuestion.decode(privateData);
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
        assertThat(ask(rig, new MigrationId(3, 4), null)).isNull();
        assertThat(there.isAlive()).as("it waits for its own source").isTrue();
        assertThat(ask(rig, source.migration(), Objects.requireNonNull(source.secret())))
            .isEqualTo(leaving.outcome);
      }
      Rig.join(there, destination);

      assertThat(copy.isRunning()).isEqualTo(leaving.outcome == null);
      assertThat(destination.telemetry().status())
          .as(destination.outcome())
          .isEqualTo(leaving.outcome == null ? MigrationStatus.COMPLETED : MigrationStatus.FAILED);
    }
  }

  /** An older source gets an answer that it understands, and others do not believe. */
  @Test
  void destinationAnswersAnOlderSource() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(5, 0).zero(2);
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var source =
          new ScriptedSource(rig, guest, false, true, Tamper.NONE)
              .older()
              .leavingAt(ControlType.SWITCH_OVER);
      Thread there = rig.start(destination);
      source.run();
      assertThat(source.secret()).isNull();
      assertThat(ask(rig, source.migration(), null)).isEqualTo(Outcome.NOT_STARTED);
      Rig.join(there, destination);
    }
  }

  /**
   * The outcome in the destination's answer; null if there is none.
   *
   * @param secret with which it must be proved; null if it must not be
   */
  private static @Nullable Outcome ask(Rig rig, MigrationId id, @Nullable MigrationSecret secret)
      throws Exception {
    Connection connection = rig.sourceDevice.resolve(rig.address(), Rig.END);
    InquiryQuestion question = InquiryQuestion.about(id);
    try (var peer = new TestPeer(rig.sourceDevice, connection)) {
      peer.connection.connect(new ConnectionParameters(question.toBytes(), 5, 5), Rig.END);
      throw new AssertionError("an inquiry was accepted");
    } catch (ConnectionRejectedException e) {
      ByteBuffer answer = ByteBuffer.wrap(e.privateData());
      if (answer.get(0) != 'W') {
        return null;
      }
      InquiryAnswer decoded = InquiryAnswer.decode(answer);
      assertThat(decoded.id()).isEqualTo(id);
      if (secret != null) {
        assertThat(secret.isProved(question, decoded.outcome(), answer)).isTrue();
      } else {
        while (answer.hasRemaining()) {
          assertThat(answer.get()).isZero();
        }
      }
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
          () ->
              outcome[0] =
                  Objects.requireNonNull(
                      ask(rig, source.migration(), Objects.requireNonNull(source.secret()))));
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
