// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.wridscope.bench.PeerBenchmark.Link;
import org.wridscope.bench.PeerBenchmark.PeerResult;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;

final class PeerBenchmarkTest {
  private static final long RAM = 8L << 20;

  private static final Link LINK =
      new Link(
          "a link",
          "limit",
          bytes -> 2.0 * bytes / RAM,
          "rdma:127.0.0.1:0",
          new DeviceChoice.Software(),
          Map.of(),
          () -> "");

  @Test
  void migrations_areComparedWithTheLinkAndLeaveNoFiles() throws Exception {
    List<String> progress = new ArrayList<>();
    Path folder;
    try (SessionManager manager = new LocalSessions()) {
      BenchmarkRounds rounds = new BenchmarkRounds(manager, () -> false, progress::add);
      PeerBenchmark.Results results;
      try (var benchmark = new PeerBenchmark(manager, rounds, LINK, RAM)) {
        results = benchmark.run(2);
        folder = benchmark.folder();
        assertThat(folder).isDirectory();
      }
      assertThat(results.results())
          .extracting(PeerResult::name)
          .containsExactly("limit", "wridscope-dynamic", "wridscope-pin-all");
      PeerResult dynamic = results.results().get(1);
      assertThat(dynamic.gbPerS()).isPositive();
      assertThat(dynamic.ratio()).isCloseTo(dynamic.gbPerS() / 2, offset(0.001));
      assertThat(dynamic.registrationRoundTrips()).isEqualTo(1);
      assertThat(results.results().get(2).registrationRoundTrips()).isZero();
      assertThat(progress).contains("2 of 2: wridscope-pin-all");
      assertThat(manager.sessions()).isEmpty();
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void limitThatCannotBeMeasured_endsIt() throws Exception {
    Link broken =
        new Link(
            "a link",
            "limit",
            _ -> {
              throw new IOException("ib_write_bw cannot be started; install it.");
            },
            "rdma:127.0.0.1:0",
            new DeviceChoice.Software(),
            Map.of(),
            () -> "");
    try (SessionManager manager = new LocalSessions();
        var benchmark =
            new PeerBenchmark(
                manager, new BenchmarkRounds(manager, () -> false, _ -> {}), broken, RAM)) {
      assertThatThrownBy(() -> benchmark.run(1))
          .hasMessage("ib_write_bw cannot be started; install it.");
    }
  }

  @Test
  void socket_isMeasuredWithAllItsBytes() throws Exception {
    assertThat(SocketBenchmark.measure((3L << 20) + 5)).isPositive();
  }
}
