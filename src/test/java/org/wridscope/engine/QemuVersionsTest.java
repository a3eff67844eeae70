// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.Slow;
import org.wridscope.control.qemu.QemuRelease;
import org.wridscope.engine.VersionCell.Link;
import org.wridscope.engine.VersionCell.Way;
import org.wridscope.engine.VersionRow.Result;

/**
 * A sample of what {@code lab/nightly --versions} runs, over the software device: with the QEMU of
 * this machine and that of Debian 13, in their own types of machines.
 */
@Slow("it starts QEMUs of several releases")
final class QemuVersionsTest {
  @TempDir(factory = SharedMemoryFolder.class)
  private Path folder;

  /** A release in which machines send SWITCHOVER_START, and the one before which they did not. */
  private static Optional<QemuRelease> release(boolean recent) {
    return QemuRelease.all().stream()
        .filter(release -> (release.major() >= 10) == recent)
        .findFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "true, LIFT_CAPTURE, q35, true",
    "true, RESTORE_LAND, pc, false",
    "true, WATCH, pc, false",
    "false, LIFT_CAPTURE, pc, true",
    "false, RESTORE_LAND, q35, false",
    "false, WATCH, q35, false",
  })
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void guest_movesAndCountsOn(boolean recent, Way way, String family, boolean pinAll)
      throws Exception {
    Optional<QemuRelease> release = release(recent);
    assumeTrue(
        release.isPresent(),
        "no QEMU %s 10 is here; ./check fetches one".formatted(recent ? "from" : "before"));
    QemuRelease qemu = release.orElseThrow();
    var cell = new VersionCell(Link.SOFTWARE, way, qemu, qemu, family, pinAll);
    VersionRun.Verdict verdict = new VersionRun(cell, folder).run();
    assertThat(verdict.result()).isEqualTo(Result.PASSED);
    assertThat(verdict.note()).contains("counted to");
  }

  private static VersionRow row(String name, Result result, String note) {
    return new VersionRow(name, result, "0123abcd", "2026-11-26", note);
  }

  @Test
  void rows_areReadAsTheyWereWritten_andStandAtTheirCommit() {
    VersionRow row =
        row("software kill_source 10.0 10.0 pc dynamic", Result.PASSED, " two\tlines\nof notes ");
    assertThat(row.note()).isEqualTo("two lines of notes");
    assertThat(VersionRow.parse(row.line())).isEqualTo(row);
    assertThat(row.stands("0123abcd", false)).isTrue();
    assertThat(row.stands("0123abce", false)).isFalse();
    assertThat(row.stands("0123abce", true)).isTrue();
    VersionRow changed =
        new VersionRow(row.name(), Result.PASSED, "0123abcd+", row.date(), row.note());
    assertThat(changed.stands("0123abcd+", false)).isFalse();
    assertThat(row(row.name(), Result.FAILED, "").stands("0123abcd", true)).isFalse();
  }

  /** Every cell has a name of its own, and that of its row is the same. */
  @Test
  void cells_areDistinct_andHaveRows() {
    List<QemuRelease> releases =
        Stream.of("7.2", "10.0", "11.1").map(version -> new QemuRelease(version, "")).toList();
    for (Link link : Link.values()) {
      List<VersionCell> cells = VersionCell.all(link, releases);
      assertThat(cells).extracting(VersionCell::name).doesNotHaveDuplicates();
      assertThat(cells)
          .allSatisfy(cell -> {
            VersionRow row = row(cell.name(), Result.PASSED, "");
            assertThat(row.link()).isEqualTo(cell.link());
            assertThat(row.way()).isEqualTo(cell.way());
            assertThat(row.family()).isEqualTo(cell.family());
            assertThat(row.pinAll()).isEqualTo(cell.pinAll());
          });
      assertThat(cells)
          .filteredOn(cell -> !cell.from().equals(cell.to()))
          .extracting(VersionCell::machine)
          .containsOnly("pc-i440fx-7.2", "pc-q35-7.2", "pc-i440fx-10.0", "pc-q35-10.0");
    }
  }

  @Test
  void table_hasWhatPassed_whatQemuCannot_andWhatFailed() {
    assertThat(
            VersionTable.text(
                List.of(
                    row("software lift_land 7.2 7.2 pc dynamic", Result.PASSED, "a"),
                    row("software lift_land 7.2 7.2 pc pin-all", Result.FAILED, "it broke"),
                    row("software lift_land 10.0 10.0 pc dynamic", Result.PASSED, "b"),
                    row("software alone 10.0 11.1 pc dynamic", Result.IMPOSSIBLE, "no"),
                    row("software kill_source 7.2 7.2 pc dynamic", Result.PASSED, "10 runs"))))
        .isEqualTo(
            """

            | over | what | 7.2 | 10.0 | 10.0 → 11.1 |
            | --- | --- | ---: | ---: | ---: |
            | software device | `source --qemu` to `destination --qemu` | 1 of 2 | 1 of 1 | |
            | software device | the source killed in the switch-over | 1 of 1 | | |
            | software device | QEMU's own migration, `virtio-rng` included | | | QEMU cannot |

            Kills:

            - software device, the source killed in the switch-over, 7.2, pc, dynamic: 10 runs

            QEMU itself cannot:

            - software device, QEMU's own migration, `virtio-rng` included, 10.0 → 11.1, pc, dynamic: no

            Failed:

            - software device, `source --qemu` to `destination --qemu`, 7.2, pc, pin-all: it broke

            Run 2026-11-26 at 0123abcd: 5 of these cells.

            """);
  }
}
