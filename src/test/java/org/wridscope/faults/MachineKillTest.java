// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.wridscope.faults.KillRun.Span;
import org.wridscope.faults.KillRun.Verdict;

/** The first kills of {@code lab/softroce kills}. */
@Tag("qemu")
@EnabledIf(value = "isInstalled", disabledReason = "qemu-system-x86_64 is not installed")
final class MachineKillTest {
  static boolean isInstalled() {
    return Files.isExecutable(Path.of("/usr/bin", CountingQemu.PROGRAM));
  }

  @Test
  void oneGuestRuns_andNothingIsLeftBehind_whenAWridscopeIsKilled() throws Exception {
    Span span = KillRun.rehearse(KillSetting.TCP, CountingQemu.PROGRAM, LocalEnd::new);
    List<Verdict> verdicts = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
      List<Future<Verdict>> runs =
          MachineKills.runs(KillSetting.TCP, 1, 0).stream()
              .map(run -> executor.submit(() -> run.run(LocalEnd::new, span)))
              .toList();
      for (Future<Verdict> run : runs) {
        verdicts.add(run.get());
      }
    }
    assertThat(verdicts)
        .hasSize(2)
        .allSatisfy(verdict ->
            assertThat(verdict.outcome().isGood())
                .as("%s: %s: %s", verdict.run(), verdict.outcome(), verdict.note())
                .isTrue());
  }
}
