// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of {@code attach}. */
final class AttachCommandTest {
  @Test
  void whatPlacesTheProbes_isOneOfTwo() {
    CommandRun run = CommandRun.real("attach", "--by", "dtrace", "1");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--by is bpftrace or uprobes, not 'dtrace'.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --metrics=0                        | Name a process, a command after --, or --device.
          --metrics=x 1                      | --metrics: "x" is not an address
          --metrics-stay=5s 1                | --metrics-stay: it has an effect only with --metrics
          --metrics-file=/m --record=/m 1    | --metrics-file: /m is the recording itself
          """)
  void metricsThatCannotBe_areRefused(String options, String sentence) {
    CommandRun run =
        CommandRun.real(
            Stream.concat(Stream.of("attach"), Stream.of(options.split(" +")))
                .toArray(String[]::new));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains(sentence);
  }
}
