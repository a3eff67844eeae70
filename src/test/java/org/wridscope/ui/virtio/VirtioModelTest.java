// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.QueueSnapshot.InFlight;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.Role;

final class VirtioModelTest {
  private static final String BLOCK = "virtio-blk requestq";
  private static final String SEND = "virtio-net transmitq1";

  private final FakeSession source = new FakeSession("s", "rdma:h:1", Role.SOURCE, false);
  private final FakeSession destination = new FakeSession("d", "rdma:h:1", Role.DESTINATION, false);
  private final VirtioModel model = new VirtioModel();

  @BeforeEach
  void show() {
    model.show(new SessionPair(source, destination));
  }

  /** Returned 2, in flight 2, waiting 3; the indices wrap around. */
  private static QueueSnapshot queue(String name, int deviceUsed, InFlight... inFlight) {
    return new QueueSnapshot(name, 16, 5, 0, 2, deviceUsed, 65534, List.of(inFlight), 1239, 1232);
  }

  private static QueueSnapshot sound(String name) {
    return queue(name, 0, new InFlight(3, 1233), new InFlight(9, 1235));
  }

  private static VirtioSnapshot snapshot(
      boolean running, List<QueueSnapshot> begun, Optional<RequestFailure> predicted) {
    return snapshot(running, begun, predicted, Optional.empty());
  }

  private static VirtioSnapshot snapshot(
      boolean running,
      List<QueueSnapshot> begun,
      Optional<RequestFailure> predicted,
      Optional<RequestFailure> observed) {
    return new VirtioSnapshot(
        running, List.of(sound(BLOCK), sound(SEND)), begun, 4, 1, predicted, observed);
  }

  @Test
  void nothing_isExplained() {
    assertThat(model.queues()).isEmpty();
    assertThat(model.checks()).isEmpty();
    assertThat(model.nothing()).contains("no virtio devices");
    model.show(null);
    assertThat(model.queues()).isEmpty();
    assertThat(model.nothing()).startsWith("Select a migration");
  }

  @Test
  void bothEnds_standBelowEachOther() {
    source.setVirtio(snapshot(false, List.of(), Optional.empty()));
    destination.setVirtio(snapshot(true, List.of(sound(BLOCK), sound(SEND)), Optional.empty()));
    model.sample();
    assertThat(model.queues()).extracting(QueueCard::name).containsExactly(BLOCK, SEND);
    assertThat(model.queues().getFirst().rows())
        .extracting(QueueRow::moment)
        .containsExactly("Source, paused", "Destination, as loaded", "Destination");
    assertThat(model.queues().getFirst().rows())
        .extracting(QueueRow::contradiction)
        .containsOnly(Contradiction.NONE);
    assertThat(model.queues().getFirst().inFlight())
        .isEqualTo("In flight. Source, paused; Destination, as loaded; Destination: 1233, 1235");
    assertThat(model.checks())
        .containsExactly(
            new DriverCheck(
                "Source: 2,464 requests came back, each once, in the promised order."
                    + " Map changes: 4, resets: 1.",
                null,
                null),
            new DriverCheck(
                "Destination: 2,464 requests came back, each once, in the promised order."
                    + " Map changes: 4, resets: 1.",
                null,
                null));
  }

  @Test
  void oneEnd_isEnough_andWhatComesLaterIsTakenUp() {
    model.show(new SessionPair(null, destination));
    assertThat(model.queues()).isEmpty();
    destination.setVirtio(snapshot(false, List.of(), Optional.empty()));
    model.sample();
    assertThat(model.queues()).hasSize(2);
    assertThat(model.queues().getFirst().rows())
        .extracting(QueueRow::moment)
        .containsExactly("Destination, waiting");
  }

  @Test
  void predictionAndObservation_standSideBySide() {
    var predicted = Optional.of(new RequestFailure(RequestFailure.Kind.LOST, BLOCK, 1233));
    source.setVirtio(snapshot(true, List.of(), predicted));
    model.sample();
    String sentence = "Source: 2,464 requests came back. Map changes: 4, resets: 1.";
    String prediction = "virtio-blk requestq: request 1233 is lost: it will never be completed.";
    assertThat(model.checks()).containsExactly(new DriverCheck(sentence, prediction, null));
    assertThat(model.checks().getFirst().isSound()).isFalse();
    source.setVirtio(
        snapshot(
            true,
            List.of(),
            predicted,
            Optional.of(new RequestFailure(RequestFailure.Kind.DONE_TWICE, SEND, 7))));
    model.sample();
    assertThat(model.checks())
        .containsExactly(
            new DriverCheck(
                sentence,
                prediction,
                "virtio-net transmitq1: request 7 came back although it was not outstanding."));
  }

  @Test
  void contradictions_areSaid() {
    assertContradiction(
        new QueueSnapshot(BLOCK, 64, 23, 1, 23, 1, 11, List.of(new InFlight(3, 17)), 24, 11),
        Contradiction.BEHIND,
        "The used index in the ring is 1, but the driver has already read up to 11.");
    assertContradiction(
        queue(BLOCK, 40),
        Contradiction.USED,
        "The used index in the ring is 0, but the device would write its next completion at 40.");
    assertContradiction(
        queue(BLOCK, 0),
        Contradiction.IN_FLIGHT,
        "2 requests were taken and not completed, but the device knows of 0.");
    assertContradiction(
        new QueueSnapshot(BLOCK, 16, 17, 0, 0, 0, 0, List.of(), 18, 0),
        Contradiction.LENGTH,
        "From last used index 0 to available index 17 there are more entries than the ring has,"
            + " 16.");
  }

  private static void assertContradiction(
      QueueSnapshot queue, Contradiction contradiction, String sentence) {
    assertThat(new QueueRow("", queue).contradiction()).isEqualTo(contradiction);
    assertThat(contradiction.sentence(queue)).isEqualTo(sentence);
  }

  @Test
  void parts_fillTheRing() {
    QueueSnapshot queue = sound(BLOCK);
    assertThat(RingBar.Part.RETURNED.of(queue)).isEqualTo(2);
    assertThat(RingBar.Part.IN_FLIGHT.of(queue)).isEqualTo(2);
    assertThat(RingBar.Part.WAITING.of(queue)).isEqualTo(3);
    assertThat(RingBar.Part.FREE.of(queue)).isEqualTo(9);
    QueueSnapshot behind =
        new QueueSnapshot(BLOCK, 64, 23, 1, 23, 1, 11, List.of(new InFlight(3, 17)), 24, 11);
    assertThat(RingBar.Part.RETURNED.of(behind)).as("not 65,526").isZero();
    assertThat(RingBar.Part.IN_FLIGHT.of(behind)).isEqualTo(1);
    assertThat(RingBar.Part.FREE.of(behind)).isEqualTo(63);
  }
}
