// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.schedule.Standing;
import org.wridscope.control.schedule.Stepping;
import org.wridscope.control.schedule.Until;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Wait;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class SteppedSessionsTest {
  /** What can be read of a session. */
  private record Read(
      MigrationStatus status,
      @Nullable Wait waitingFor,
      List<Long> metrics,
      List<String> phases,
      List<ChunkState> chunks,
      List<Object> events,
      boolean guestRunning,
      @Nullable String outcome) {
    static Read of(Session session) {
      EventLog log = session.telemetry().log();
      List<ChunkTable> blocks = session.telemetry().blocks();
      return new Read(
          session.status(),
          session.telemetry().waitingFor(),
          Arrays.stream(Metric.values())
              .map(metric -> session.telemetry().metrics().get(metric))
              .toList(),
          session.telemetry().phases().stream()
              .map(phase -> phase.name() + " " + phase.nanos())
              .toList(),
          blocks.stream()
              .flatMap(block -> IntStream.range(0, block.chunkCount()).mapToObj(block::state))
              .toList(),
          List.copyOf(log.read(0, Integer.MAX_VALUE)),
          session.guestRunning(),
          session.outcome());
    }
  }

  /** Looks at the copies and at what they are copies of, at the same moment. */
  private static final class Both implements Stepping.Onlooker {
    private final List<Read> originals = new ArrayList<>();
    private final SteppedSessions copies = new SteppedSessions("run");

    @Override
    public void stands(List<Session> sessions, boolean ended) {
      originals.clear();
      copies.look(sessions, ended);
      sessions.forEach(session -> originals.add(Read.of(session)));
    }

    List<Session> shown() {
      return Objects.requireNonNull(copies.pair()).sessions();
    }
  }

  private static Scenario scenario() throws Exception {
    return Scenarios.find("tiny-queues");
  }

  @Test
  void copies_areEqual_whereverTheRunStands() throws Exception {
    var both = new Both();
    int stops = 0;
    try (var stepping = new Stepping(LocalSessions::new, scenario(), () -> both)) {
      Standing standing = stepping.await();
      while (standing instanceof Standing.AtChoice choice) {
        assertThat(both.shown().stream().map(Read::of))
            .as("choice %d", choice.number())
            .containsExactlyInAnyOrderElementsOf(both.originals);
        assertThat(both.shown())
            .allSatisfy(session -> assertThat(session.clock(-1)).isEqualTo(choice.nanos()));
        stepping.goOnUntil(
            stops++ < 20
                ? Until.sendQueue()
                : stops < 30 ? Until.message(ControlType.REGISTER_REQUEST) : Until.END);
        standing = stepping.await();
      }
      assertThat(both.shown().stream().map(Read::of))
          .containsExactlyInAnyOrderElementsOf(both.originals);
      Session source = both.shown().getFirst();
      assertThat(source.status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(source.report()).isEqualTo(((Standing.AtEnd) standing).lab().source().report());
    }
  }

  @Test
  void aCopy_isNeitherLive_norSteered() throws Exception {
    var both = new Both();
    try (var stepping = new Stepping(LocalSessions::new, scenario(), () -> both)) {
      Standing first = stepping.await();
      Session source = both.shown().getFirst();
      assertThat(source.name()).isEqualTo("run source");
      assertThat(source.isLive()).isFalse();
      assertThat(source.isWatched()).isTrue();
      assertThat(source.clock(System.nanoTime())).isEqualTo(first.nanos());
      source.cancel();
      source.close();
      assertThat(stepping.await()).isEqualTo(first);
      stepping.goOnUntil(Until.END);
      assertThat(((Standing.AtEnd) stepping.await()).verdict().problems()).isEmpty();
    }
  }
}
