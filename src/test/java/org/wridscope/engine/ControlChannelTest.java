// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Wait;

/** Two channels over a software device, both on the thread of the test. */
class ControlChannelTest {
  private static final Duration SHORT = Duration.ofMillis(30);

  private static final Wait REQUEST = new Wait(Wait.Kind.ANY_MESSAGE);

  /** Limits with short ones for the peer's work, heartbeats and silence. */
  private static Limits limits(Duration work, Duration heartbeat, Duration silence) {
    Limits usual = Limits.DEFAULT;
    return new Limits(
        usual.connect(),
        usual.answer(),
        work,
        usual.goodbye(),
        usual.inquiry(),
        heartbeat,
        silence);
  }

  private static ControlChannel source(ConnectedPair pair) {
    return pair.source.control();
  }

  private static ControlChannel destination(ConnectedPair pair) {
    return pair.destination.control();
  }

  private static void assertRejected(ThrowingCallable call, String field, String value) {
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(call)
        .satisfies(e -> {
          assertThat(e.field()).isEqualTo(field);
          assertThat(e.value()).isEqualTo(value);
        });
  }

  @Test
  void messageArrives_withItsHeaderAndPayload() throws Exception {
    try (var pair = new ConnectedPair()) {
      destination(pair).sendEmpty(ControlType.READY);
      source(pair).payload().putInt(42).putInt(43);
      source(pair).sendWhenReady(ControlType.QEMU_FILE, 1);

      Message message = destination(pair).receive(ControlType.QEMU_FILE, Rig.END);
      assertThat(message.header().length()).isEqualTo(8);
      assertThat(message.payload().remaining()).isEqualTo(8);
      assertThat(message.payload().getInt()).isEqualTo(42);
      destination(pair).release(message);
    }
  }

  /** Many more messages than there are buffers, of which the first ones have been handled. */
  @Test
  void buffersAreReused_inBothDirections() throws Exception {
    try (var pair = new ConnectedPair()) {
      for (int i = 0; i < 50; i++) {
        destination(pair).sendEmpty(ControlType.READY);
        source(pair).payload().putInt(i);
        source(pair).sendWhenReady(ControlType.COMPRESS, i);
        Message message = destination(pair).receive(ControlType.COMPRESS, Rig.END);
        assertThat(message.header().repeat()).isEqualTo(i);
        assertThat(message.payload().getInt()).isEqualTo(i);
        destination(pair).release(message);
      }
      source(pair).awaitSent();
      assertThat(source(pair).isSending()).isFalse();
    }
  }

  @Test
  void sourceWaitsForReady_beforeEachMessage() throws Exception {
    try (var pair = new ConnectedPair(limits(SHORT, Rig.END, Rig.END))) {
      destination(pair).sendEmpty(ControlType.READY);
      destination(pair).awaitSent();
      source(pair).payload();
      source(pair).sendWhenReady(ControlType.REGISTER_FINISHED, 1);
      source(pair).payload();
      assertThatExceptionOfType(MigrationException.class)
          .isThrownBy(() -> source(pair).sendWhenReady(ControlType.REGISTER_FINISHED, 1))
          .withMessage(
              "Nothing came from the peer for 30 ms while waiting for the destination's READY;"
                  + " check the other side.");
    }
  }

  @Test
  void secondReady_isRejected() throws Exception {
    try (var pair = new ConnectedPair()) {
      destination(pair).sendEmpty(ControlType.READY);
      destination(pair).sendEmpty(ControlType.READY);
      assertRejected(
          () -> source(pair).receive(REQUEST, Rig.END), "number of READY messages in a row", "2");
    }
  }

  @Test
  void readyOfASource_isRejected() throws Exception {
    try (var pair = new ConnectedPair()) {
      source(pair).sendEmpty(ControlType.READY);
      assertRejected(
          () -> destination(pair).receive(ControlType.QEMU_FILE, Rig.END),
          "control message type",
          "READY");
    }
  }

  @Test
  void messageOfAnotherType_isRejected() throws Exception {
    try (var pair = new ConnectedPair()) {
      destination(pair).payload().putLong(1);
      destination(pair).send(ControlType.REGISTER_RESULT, 1);
      assertRejected(
          () -> source(pair).receive(ControlType.RAM_BLOCKS_RESULT, Rig.END),
          "control message type",
          "REGISTER RESULT");
    }
  }

  @Test
  void messageThatNobodyAskedFor_isRejected_beforeTheNextOne() throws Exception {
    try (var pair = new ConnectedPair()) {
      destination(pair).sendEmpty(ControlType.UNREGISTER_FINISHED);
      destination(pair).sendEmpty(ControlType.READY);
      source(pair).payload();
      assertRejected(
          () -> source(pair).sendWhenReady(ControlType.REGISTER_FINISHED, 1),
          "control message before REGISTER FINISHED",
          "UNREGISTER FINISHED");
    }
  }

  @Test
  void privateMessage_isRejected_withoutExtensions() throws Exception {
    try (var pair = new ConnectedPair()) {
      destination(pair).sendEmpty(ControlType.LOADED);
      assertRejected(
          () -> source(pair).receive(ControlType.LOADED, Rig.END),
          "control message type",
          "LOADED");
    }
  }

  @Test
  void maximumOfCommands_dependsOnTheExtensions() throws Exception {
    try (var pair = new ConnectedPair()) {
      assertThat(source(pair).maxCommands()).isEqualTo(1);
      source(pair).enableExtensions();
      assertThat(source(pair).maxCommands()).isEqualTo(ControlChannel.MAX_COMMANDS);
    }
  }

  @Test
  void error_endsBothKindsOfWaits_withItsReason() throws Exception {
    try (var pair = new ConnectedPair()) {
      source(pair).enableExtensions();
      destination(pair).enableExtensions();
      destination(pair).sendErrorIfPossible("No\nspace.");
      assertThatExceptionOfType(PeerGaveUpException.class)
          .isThrownBy(() -> source(pair).receive(ControlType.LOADED, Rig.END))
          .withMessage("The destination gave up: No\\nspace.");
      source(pair).sendErrorIfPossible("x".repeat(1000));
      assertThatExceptionOfType(PeerGaveUpException.class)
          .isThrownBy(() -> destination(pair).receive(REQUEST, Rig.END))
          .withMessage("The source gave up: " + "x".repeat(512));
    }
  }

  @Test
  void errorIsNotSent_toAQemu() throws Exception {
    try (var pair = new ConnectedPair()) {
      destination(pair).sendErrorIfPossible("No space.");
      assertThat(destination(pair).isSending()).isFalse();
      assertThat(pair.destinationTelemetry.metrics().get(Metric.SENDS_POSTED)).isZero();
    }
  }

  @Test
  void heartbeatIsSent_andIsNoAnswer() throws Exception {
    try (var pair = new ConnectedPair(limits(SHORT, Duration.ofMillis(20), Rig.END))) {
      source(pair).enableExtensions();
      destination(pair).enableExtensions();
      long end = System.nanoTime() + Rig.END.toNanos();
      while (pair.sourceTelemetry.messagesSent().get(ControlType.HEARTBEAT) == 0) {
        assertThat(System.nanoTime()).isLessThan(end);
        source(pair).idle();
        Thread.onSpinWait();
      }
      assertThat(pair.sourceTelemetry.messagesSent().get(ControlType.HEARTBEAT)).isEqualTo(1);
      source(pair).awaitSent();
      assertThatExceptionOfType(MigrationException.class)
          .isThrownBy(() -> destination(pair).receive(REQUEST, SHORT))
          .withMessageContaining("while waiting for a message");
      assertThat(pair.destinationTelemetry.messagesReceived().get(ControlType.HEARTBEAT))
          .isPositive();
    }
  }

  @Test
  void silentWridscope_isGivenUp() throws Exception {
    try (var pair = new ConnectedPair(limits(Rig.END, Rig.END, SHORT))) {
      source(pair).enableExtensions();
      assertThatExceptionOfType(MigrationException.class)
          .isThrownBy(() -> source(pair).receive(ControlType.LOADED, Rig.END))
          .withMessage(
              "Nothing came from the peer for 30 ms, not even a heartbeat; check its host and the"
                  + " link.");
    }
  }
}
