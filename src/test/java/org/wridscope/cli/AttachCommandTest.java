// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;

/** Options of {@code attach}. */
final class AttachCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --metrics=0                        | Name a process, a command after --, --name or --device.
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --for=30s   | Name a process, a command after --, --name or --device.
          --for=0 1   | --for: the time must be longer than 0
          --for=30 1  | --for: "30" is not a length of time
          """)
  void timesThatCannotBe_areRefused(String options, String sentence) {
    metricsThatCannotBe_areRefused(options, sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --snapshot                 | --snapshot: name a process by its number.
          --snapshot -- sleep 1      | --snapshot: name a process by its number.
          --snapshot --device=x      | --snapshot: name a process by its number.
          --snapshot --for=30s 1     | --snapshot places no probe, so there is nothing to record.
          --json 1                   | --json: only --snapshot prints JSON.
          """)
  void snapshotsThatCannotBe_areRefused(String options, String sentence) {
    metricsThatCannotBe_areRefused(options, sentence);
  }

  @Test
  void awaitsTheEnd_orTheTime_orTheUser() throws Exception {
    assertThat(secondsUntilEnd(Duration.ofSeconds(30), 60, 60)).isEqualTo(30);
    assertThat(secondsUntilEnd(Duration.ofSeconds(30), 10, 60)).isEqualTo(10);
    assertThat(secondsUntilEnd(null, 60, 60)).isEqualTo(60);
    assertThat(secondsUntilEnd(Duration.ofSeconds(90), 60, 20)).isEqualTo(20);
  }

  /**
   * How long is waited, on the clock of a schedule, for what ends by itself after {@code ends}
   * seconds, if the user wants an end after {@code wanted} seconds.
   */
  private static long secondsUntilEnd(@Nullable Duration limit, long ends, long wanted)
      throws Exception {
    return Scheduler.run(
        _ -> 0,
        1,
        () -> {
          long begin = Time.nanos();
          AttachCommand.awaitEnd(
              slice -> {
                Time.sleep(slice);
                return Time.nanos() - begin >= Duration.ofSeconds(ends).toNanos();
              },
              limit,
              () -> Time.nanos() - begin >= Duration.ofSeconds(wanted).toNanos(),
              () -> {});
          return Duration.ofNanos(Time.nanos() - begin).toSeconds();
        });
  }
}
