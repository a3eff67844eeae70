// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.RamBlock;

final class SyntheticGuestProgressTest {
  private static final SyntheticGuestConfig CONFIG =
      SyntheticGuestConfig.of(33L << 20, 0, 0, 0.5, 1);

  private static long bytes(Guest guest) {
    return guest.ramBlocks().stream().mapToLong(RamBlock::length).sum();
  }

  @Test
  void boot_reportsEachByteOnce() throws Exception {
    var ready = new AtomicLong();
    try (var guest = SyntheticGuest.boot(CONFIG, ready::addAndGet)) {
      assertThat(ready).hasValue(bytes(guest));
    }
  }

  @Test
  void preparation_reportsEachByteOnce() throws Exception {
    var ready = new AtomicLong();
    try (var guest = SyntheticGuest.incoming(CONFIG)) {
      guest.prepare(ready::addAndGet);
      assertThat(ready).hasValue(bytes(guest));
    }
  }
}
