// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.Slow;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;

final class ScaleBenchmarkTest {

  @Test
  @Slow("migrations of guests with 1 GiB of RAM and with what it has touched")
  void aGuestThatTouchedLittle_isMoved_recorded_captured_andRestored() throws Exception {
    try (SessionManager sources = new LocalSessions();
        SessionManager destinations = new LocalSessions()) {
      var rounds = new BenchmarkRounds(sources, () -> false, _ -> {});
      ScaleBenchmark.Results results =
          new ScaleBenchmark(sources, destinations, rounds).run(ScaleBenchmark.SMALLEST);
      assertThat(results.results()).hasSize(1);
      ScaleBenchmark.Size size = results.results().getFirst();
      assertThat(size.ramBytes()).isEqualTo(1L << 30);
      assertThat(size.touchedBytes()).isEqualTo(11L << 20);
      for (ScaleBenchmark.Times times : List.of(size.whole(), size.touchedAlone())) {
        assertThat(times.migration()).isPositive();
        assertThat(times.recorded()).isPositive();
        assertThat(times.replay()).isPositive();
        assertThat(times.capture()).isPositive();
        assertThat(times.restore()).isPositive();
      }
      assertThat(sources.sessions()).isEmpty();
      assertThat(ScaleBenchmark.table(results)).hasSize(4);
    }
  }
}
