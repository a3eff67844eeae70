// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.TimeLimit;
import org.wridscope.guest.GuestException;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Wait;

/** Destinations whose guest is prepared while sources can already connect. */
@Timeout(120)
final class PreparationTest {
  private static final MigrationParameters PARAMETERS = Rig.parameters(false, true);

  private final CountDownLatch finish = new CountDownLatch(1);
  private final AtomicBoolean ended = new AtomicBoolean();

  /** Works until it is told to finish, or its session does not want it any more. */
  private Preparation untilFinished() {
    return pieces -> {
      try {
        while (finish.getCount() > 0) {
          pieces.pass();
          Thread.onSpinWait();
        }
      } finally {
        ended.set(true);
      }
    };
  }

  private Preparation failing() {
    return pieces -> {
      untilFinished().run(pieces);
      throw new GuestException("There is not enough memory.");
    };
  }

  /** Waits until a source is connected and waits with the destination. */
  private static void awaitConnected(DestinationSession destination) {
    new TimeLimit()
        .await(
            "the session",
            () -> new Wait(Wait.Kind.PREPARATION).equals(destination.telemetry().waitingFor()));
  }

  @Test
  void aSource_thatComesEarlier_waitsConnected_andMigrates() throws Exception {
    try (var rig = new Rig();
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var destination = rig.destination(copy, PARAMETERS, untilFinished());
      var source = rig.source(guest, PARAMETERS);
      assertThat(destination.isPreparing()).isTrue();
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      awaitConnected(destination);
      assertThat(destination.isPreparing()).isTrue();
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.SETUP);

      finish.countDown();
      Rig.join(here, source);
      Rig.join(there, destination);
      Rig.assertCompleted(source, destination);
      assertThat(source.verified()).isTrue();
      assertThat(destination.isPreparing()).isFalse();
    }
  }

  @Test
  void aFailure_whileNobodyHasCome_isThatOfTheSession() throws Exception {
    try (var rig = new Rig();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var destination = rig.destination(copy, PARAMETERS, failing());
      Thread there = rig.start(destination);
      finish.countDown();
      Rig.join(there, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome())
          .isEqualTo("There is not enough memory. The guest was not started here.");
      assertThat(destination.isPreparing()).isFalse();
      assertThat(destination.custody()).isEqualTo(Custody.ELSEWHERE);
    }
  }

  @Test
  void aFailure_isToldToTheSourceThatWaits_whichKeepsItsGuest() throws Exception {
    try (var rig = new Rig();
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var destination = rig.destination(copy, PARAMETERS, failing());
      var source = rig.source(guest, PARAMETERS);
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      awaitConnected(destination);
      finish.countDown();
      Rig.join(here, source);
      Rig.join(there, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome()).contains("There is not enough memory.");
      assertThat(guest.isRunning()).isTrue();
    }
  }

  @Test
  void aCancel_endsThePreparationEarly_beforeTheSessionEnds() throws Exception {
    try (var rig = new Rig();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var destination = rig.destination(copy, PARAMETERS, untilFinished());
      Thread there = rig.start(destination);
      destination.cancel();
      Rig.join(there, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      assertThat(ended).isTrue();
    }
  }

  @Test
  void aCancel_whileASourceWaits_endsThePreparationEarly() throws Exception {
    try (var rig = new Rig();
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var destination = rig.destination(copy, PARAMETERS, untilFinished());
      var source = rig.source(guest, PARAMETERS);
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      awaitConnected(destination);
      destination.cancel();
      Rig.join(there, destination);
      Rig.join(here, source);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      assertThat(ended).isTrue();
      assertThat(guest.isRunning()).isTrue();
    }
  }
}
