// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /} stands for the end of a line. */
final class CountingTest {

  private static Counting of(String left, String right, boolean atSource, boolean atDestination) {
    return Counting.of(left.replace('/', '\n'), right.replace('/', '\n'), atSource, atDestination);
  }

  @ParameterizedTest
  @CsvSource({
    "1/2/3/, 4/5/, 3, 5",
    // The guest was stopped in the middle of a line.
    "1/2/3/4, /5/, 3, 5",
    "1/2/3/4/5/6/7/8/9/1, 0/11/12, 9, 11",
    "1/2/, 3/4/5, 2, 4"
  })
  void everyNumberOnce_hasMoved(String left, String right, long completed, long last) {
    Counting counting = of(left, right, false, true);
    assertThat(counting).isEqualTo(new Counting(completed, last, true, false, true));
    assertThat(counting.hasMoved()).isTrue();
    assertThat(counting.hasStayed()).isFalse();
    assertThat(counting.sentence("QEMU 1", "QEMU 2"))
        .isEqualTo(
            "The guest counted to %d in QEMU 1 and continues from %d in QEMU 2, where it is at %d."
                .formatted(completed, completed + 1, last));
  }

  @ParameterizedTest
  @CsvSource({"1/2/3/, 5/6/", "1/2/3/, 3/4/", "1/2/3/, 1/2/3/4/", "1/2/4/, 5/", "1/2/3x, /4/"})
  void aNumberMissingOrTwice_isSaid(String left, String right) {
    Counting counting = of(left, right, false, true);
    assertThat(counting.isGapless()).isFalse();
    assertThat(counting.hasMoved()).isFalse();
    assertThat(counting.sentence("QEMU 1", "QEMU 2"))
        .endsWith(" It did not write every number once.");
  }

  @Test
  void guestThatStayed_goesOnAtTheSource() {
    Counting counting = of("1/2/3/", "", true, false);
    assertThat(counting.hasStayed()).isTrue();
    assertThat(counting.hasMoved()).isFalse();
    assertThat(counting.sentence("QEMU 1", "QEMU 2"))
        .isEqualTo("The guest keeps counting in QEMU 1, where it is at 3.");
  }

  @Test
  void guestInBoth_isNeitherMovedNorStayed() {
    Counting counting = of("1/2/3/", "4/", true, true);
    assertThat(counting.hasMoved()).isFalse();
    assertThat(counting.hasStayed()).isFalse();
    assertThat(counting.sentence("QEMU 1", "QEMU 2"))
        .isEqualTo(
            "The guest counts in both QEMUs, which must never happen: in QEMU 1 and in QEMU 2.");
  }

  @Test
  void guestInNeither_isSaid() {
    Counting counting = of("1/2/3/", "", false, false);
    assertThat(counting.hasMoved()).isFalse();
    assertThat(counting.hasStayed()).isFalse();
    assertThat(counting.sentence("QEMU 1", "QEMU 2"))
        .isEqualTo("The guest counts in neither QEMU: it was at 3 in QEMU 1.");
  }
}
