// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.protocol.WorkRequestId;

/** The events of a session in a flight recording. */
final class FlightEventsTest {
  @TempDir Path directory;

  private static void migrate(SessionTelemetry telemetry) {
    telemetry.beginPhase(Phase.Kind.CONNECT);
    telemetry.beginRound(1);
    telemetry.setWaitingFor(new Wait(Wait.Kind.READY));
    telemetry.setWaitingFor(null);
    telemetry.event(
        EventKind.REGISTERED, 0, 3, WorkRequestId.of(WorkRequestId.RDMA_WRITE, 1, 17), 5);
    telemetry.beginPhase(Phase.Kind.COMPLETED);
    telemetry.setStatus(MigrationStatus.COMPLETED);
  }

  @Test
  void aFlightRecording_hasPhasesWaitsAndRegistrations() throws IOException {
    Path file = directory.resolve("flight.jfr");
    try (var recording = new Recording()) {
      recording.start();
      migrate(new SessionTelemetry(Role.SOURCE, true));
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().startsWith("org.wridscope."))
            .toList();
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().endsWith("Phase"))
        .extracting(event -> event.getString("phase"))
        .containsExactlyInAnyOrder("connect", "round 1", "completed");
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().endsWith("Wait"))
        .singleElement()
        .satisfies(
            event -> assertThat(event.getString("waitedFor")).isEqualTo("the destination's READY"));
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().endsWith("Registration"))
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getInt("block")).isEqualTo(1);
          assertThat(event.getLong("firstChunk")).isEqualTo(17);
          assertThat(event.getLong("bytes")).isEqualTo(3 << 20);
          assertThat(event.getBoolean("registered")).isTrue();
        });
  }
}
