// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.wridscope.faults.DoubleDeaths.Case;

/**
 * One of {@link DoubleDeaths} for each end that a guest can belong to, in each of which both ends
 * die; all of them are in {@code lab/nightly}, and the stages one by one in {@code RecoveryTest}
 * and {@code GuardProcessTest}.
 */
@Tag("qemu")
@EnabledIf(
    value = "org.wridscope.faults.LiarTest#isInstalled",
    disabledReason = "qemu-system-x86_64 is not installed")
final class DoubleDeathTest {

  @Test
  void recover_leavesOneGuest_andNothingBehind() throws Exception {
    List<Future<List<String>>> runs = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
      for (Case each : List.of(Case.BOTH_AT_SWITCH_OVER, Case.BOTH_AT_RUNNING)) {
        runs.add(executor.submit(() -> DoubleDeaths.run(each)));
      }
    }
    for (Future<List<String>> run : runs) {
      assertThat(run.get()).isEmpty();
    }
  }
}
