// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Options of {@code attach}. */
final class AttachCommandTest {
  @Test
  void whatPlacesTheProbes_isOneOfTwo() {
    CommandRun run = CommandRun.real("attach", "--by", "dtrace", "1");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--by is bpftrace or uprobes, not 'dtrace'.");
  }
}
