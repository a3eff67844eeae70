// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.engine.Custody;
import org.wridscope.guest.Guest;

/** Frees the memory of guests for others. */
final class SessionGuestTest {
  private static final GuestSettings.Synthetic SETTINGS =
      new GuestSettings.Synthetic(1 << 20, 0, 0, 0.5, 1);

  @Test
  void guestThatRuns_isShutDown_andItsFateIsSaid() throws Exception {
    Guest running = Guests.boot(SETTINGS, _ -> {});
    try (var guest = new SessionGuest(running)) {
      assertThat(guest.isRunning()).isTrue();
      guest.makeRoom(Custody.HERE);
      assertThat(guest.isRunning()).isFalse();
      assertThat(guest.fate()).startsWith("was shut down later");
    }
  }

  /** Otherwise this would hide that a guest was lost. */
  @Test
  void guestThatStandsStill_isNotSaidToHaveBeenShutDown() throws Exception {
    try (var guest = new SessionGuest(Guests.incoming(SETTINGS, _ -> {}))) {
      guest.makeRoom(Custody.HERE);
      assertThat(guest.fate()).isNull();
    }
  }

  @Test
  void guestInDoubt_isKept() throws Exception {
    Guest running = Guests.boot(SETTINGS, _ -> {});
    try (var guest = new SessionGuest(running)) {
      guest.makeRoom(Custody.IN_DOUBT);
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.fate()).isNull();
    }
  }
}
