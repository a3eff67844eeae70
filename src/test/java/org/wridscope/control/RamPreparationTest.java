// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;

final class RamPreparationTest {
  private static final long MIB = 1 << 20;

  private final RamPreparation preparation = new RamPreparation();

  @Test
  void twoGuests_areCountedTogether_eachUntilItIsMade() {
    assertThat(preparation.now()).isEqualTo(RamProgress.NONE);
    RamPreparation.Run first = preparation.begin(GuestSettings.Synthetic.incoming(96 * MIB));
    first.add(32 * MIB);
    RamPreparation.Run second = preparation.begin(GuestSettings.Synthetic.incoming(160 * MIB));
    second.add(32 * MIB);
    assertThat(preparation.now()).isEqualTo(new RamProgress(64 * MIB, 256 * MIB));
    assertThat(preparation.now().share()).isEqualTo(0.25);
    assertThat(preparation.now().text()).isEqualTo("64.0 MiB of 256 MiB");
    first.close();
    assertThat(preparation.now()).isEqualTo(new RamProgress(32 * MIB, 160 * MIB));
    second.close();
    assertThat(preparation.now()).isEqualTo(RamProgress.NONE);
  }

  @Test
  void eachStart_isCountedByItself() throws InterruptedException {
    try (RamPreparation.Run here = preparation.begin(GuestSettings.Synthetic.incoming(8 * MIB))) {
      here.add(2 * MIB);
      GuestSettings small = GuestSettings.Synthetic.incoming(4 * MIB);
      Thread other = Thread.ofVirtual().start(() -> preparation.begin(small).add(9 * MIB));
      other.join();
      assertThat(preparation.now(Thread.currentThread()))
          .isEqualTo(new RamProgress(2 * MIB, 8 * MIB));
      assertThat(preparation.now(other))
          .as("more than its RAM")
          .isEqualTo(new RamProgress(4 * MIB, 4 * MIB));
      assertThat(preparation.now()).isEqualTo(new RamProgress(6 * MIB, 12 * MIB));
    }
    assertThat(preparation.now(Thread.currentThread())).isEqualTo(RamProgress.NONE);
  }

  @Test
  void guestInAFile_hasNoRamToPrepare() {
    var guest =
        new GuestSettings.Capture(Output.of("Capture in", Path.of("vm.mig"), FileKind.STREAM));
    try (var _ = preparation.begin(guest)) {
      assertThat(preparation.now()).isEqualTo(RamProgress.NONE);
      assertThat(preparation.now().text()).isEmpty();
    }
  }

  /** While a lab is started, somebody else reads the progress; it grows to the RAM of both ends. */
  @Test
  void lab_reportsTheRamOfBothEnds() throws Exception {
    var seen = new ArrayList<RamProgress>();
    try (var sessions = new LocalSessions()) {
      var starting =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  sessions.startLab(
                      new LabSettings(
                          new MigrationSettings(GuestSettings.Synthetic.incoming(256 * MIB))));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      do {
        RamProgress now = sessions.ramProgress();
        if (seen.isEmpty() || !seen.getLast().equals(now)) {
          seen.add(now);
        }
      } while (!starting.join(Duration.ofMillis(1)));
      List<RamProgress> running = seen.stream().filter(each -> each.total() > 0).toList();
      assertThat(running).isNotEmpty().allMatch(each -> each.total() == 512 * MIB);
      assertThat(running).extracting(RamProgress::ready).isSorted();
      assertThat(running.getLast().ready()).isPositive();
      assertThat(sessions.ramProgress()).isEqualTo(RamProgress.NONE);
    }
  }
}
