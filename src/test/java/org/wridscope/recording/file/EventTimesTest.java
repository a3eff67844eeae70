// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.Role;

/** Events whose times are not in the order in which they were written. */
final class EventTimesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int BLOCK = 20;
  private static final int EVENTS = 40 * BLOCK;

  @TempDir private Path directory;

  /** Times that go on, and now and then are up to ten seconds older, or much older. */
  private static List<Long> times(long seed) {
    var random = new SplittableRandom(seed);
    List<Long> times = new ArrayList<>();
    long now = 100 * SECOND;
    for (int i = 0; i < EVENTS; i++) {
      now += random.nextLong(SECOND / 10);
      times.add(
          switch (random.nextInt(8)) {
            case 0 -> now - random.nextLong(10 * SECOND);
            case 1 -> random.nextInt(50) == 0 ? random.nextLong(now) : now;
            default -> now;
          });
    }
    return times;
  }

  /**
   * @param oneEncoder for all blocks; otherwise one for each, which does not know the times before:
   *     so earlier versions wrote
   */
  private Path write(List<Long> times, boolean oneEncoder) throws IOException {
    Path file = directory.resolve("events.wridtrace");
    var encoder = new EventEncoder();
    try (var writer =
        new RecordingWriter(
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE))) {
      var sink = new ByteSink(1 << 12);
      new SessionHead(
              Role.SOURCE, "a", "b", "c", "d", "e", 100 * SECOND, 100 * SECOND, Instant.EPOCH)
          .encode(sink);
      writer.block(BlockType.SESSION, 0, sink);
      for (int i = 0; i < times.size(); i++) {
        encoder.event(times.get(i), EventKind.POST_SEND, 0, i, i, 0);
        if (encoder.count() == BLOCK) {
          sink.clear();
          encoder.finish(sink, 0);
          writer.block(BlockType.EVENTS, 0, sink);
          if (!oneEncoder) {
            encoder = new EventEncoder();
          }
        }
      }
    }
    return file;
  }

  private static List<Event> events(RecordedSession session) throws IOException {
    List<Event> events = new ArrayList<>();
    session.forEachEvent(events::add);
    return events;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyRecording_opens_withAllEventsInTheirOrder(boolean oneEncoder) throws Exception {
    for (long seed = 0; seed < 30; seed++) {
      Path file = write(times(seed), oneEncoder);
      try (Recording recording = Recording.open("FILE", file)) {
        RecordedSession session = recording.sessions().getFirst();
        List<Event> events = events(session);
        assertThat(events).extracting(Event::length).isSorted().hasSize(EVENTS);
        assertThat(events).extracting(Event::nanos).isSorted();
        assertThat(recording.notes().stream().anyMatch(note -> note.contains("older")))
            .isEqualTo(!oneEncoder);
      }
    }
  }

  @Test
  void anyMoment_hasTheEventsUntilThen() throws Exception {
    Path file = write(times(7), false);
    try (Recording recording = Recording.open("FILE", file)) {
      RecordedSession session = recording.sessions().getFirst();
      List<Event> events = events(session);
      for (int i = 0; i < EVENTS; i += 13) {
        long moment = events.get(i).nanos();
        session.moveTo(moment);
        long until = events.stream().filter(event -> event.nanos() <= moment).count();
        assertThat(session.telemetry().log().size()).as("events until %d", i).isEqualTo(until);
      }
    }
  }

  @Test
  void aLiveSession_goesOn() throws Exception {
    Path file = write(times(3), false);
    List<FeedReplay> sessions = new ArrayList<>();
    new FeedInput(sessions::add).add(Files.readAllBytes(file), 0);

    var read = new ArrayList<Event>();
    EventLog log = sessions.getFirst().telemetry().log();
    log.read(
        0,
        EVENTS,
        (at, nanos, kind, detail, length, wrid, argument) ->
            read.add(new Event(at, nanos, kind, detail, length, wrid, argument)));
    assertThat(read).extracting(Event::length).isSorted().hasSize(EVENTS);
    assertThat(read).extracting(Event::nanos).isSorted();
  }
}
