// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;

/** A player without a window: decoding is a queue that the test runs when it likes. */
final class PlayerTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir private static Path directory;
  private static Path file;

  private final ArrayDeque<Runnable> background = new ArrayDeque<>();
  private final List<String> told = new ArrayList<>();
  private final Player player = new Player(new Seeking(background::add, Runnable::run, told::add));
  private Recording recording;
  private SessionPair pair;
  private long now = SECOND;

  @BeforeAll
  static void record() throws Exception {
    file = directory.resolve("lab.wrs");
    RecordedLab.record(file);
  }

  @BeforeEach
  void open() throws Exception {
    recording = Recording.open("FILE", file);
    List<RecordedSession> ends = recording.sessions();
    pair = new SessionPair(ends.getFirst(), ends.getLast());
    player.show(pair);
  }

  @AfterEach
  void close() throws Exception {
    recording.close();
  }

  private void decode() {
    for (Runnable next; (next = background.poll()) != null; ) {
      next.run();
    }
  }

  private void show(long nanos) {
    player.moveTo(nanos);
    decode();
  }

  private void pulseAfter(long nanos) {
    now += nanos;
    player.pulse(now);
    decode();
  }

  @Test
  void sessionThatIsNotRecorded_isNothingToPlay() {
    player.show(null);
    assertThat(player.hasRecording()).isFalse();
    player.play();
    pulseAfter(SECOND);
    pulseAfter(SECOND);
    assertThat(player.isPlaying()).isFalse();
    assertThat(player.position()).isZero();
    assertThat(background).isEmpty();
  }

  @Test
  void recording_standsAtItsEndAtFirst() {
    assertThat(player.hasRecording()).isTrue();
    assertThat(player.isPlaying()).isFalse();
    assertThat(player.position()).isEqualTo(Player.recorded(pair).getFirst().lastNanos());
  }

  @Test
  void moveTo_movesBothEnds_onceTheMomentIsDecoded() {
    long before = player.position();
    long middle = (player.firstNanos() + player.lastNanos()) / 2;
    player.moveTo(middle);
    assertThat(player.position()).isEqualTo(before);
    assertThat(player.wanted()).isEqualTo(middle);
    decode();
    assertThat(Player.recorded(pair)).allMatch(session -> session.position() == middle);
    assertThat(Player.rewinds(pair)).isEqualTo(2);
  }

  @Test
  void moveTo_beyondTheRecording_stopsAtItsEdges() {
    show(Long.MIN_VALUE);
    assertThat(player.position()).isEqualTo(player.firstNanos());
    show(Long.MAX_VALUE);
    assertThat(player.position()).isEqualTo(player.lastNanos());
  }

  @Test
  void play_atTheEnd_beginsAnew() {
    show(player.lastNanos());
    player.play();
    decode();
    assertThat(player.isPlaying()).isTrue();
    assertThat(player.position()).isEqualTo(player.firstNanos());
  }

  @Test
  void play_movesByTheTimeThatPassed_timesTheSpeed() {
    show(player.firstNanos());
    player.setSpeed(0.25);
    player.play();
    pulseAfter(0);
    assertThat(player.position()).isEqualTo(player.firstNanos());
    pulseAfter(4_000);
    assertThat(player.position()).isEqualTo(player.firstNanos() + 1_000);
    pulseAfter(2);
    pulseAfter(2);
    assertThat(player.position()).isEqualTo(player.firstNanos() + 1_001);
  }

  @Test
  void pause_stays() {
    show(player.firstNanos());
    player.play();
    pulseAfter(0);
    pulseAfter(1_000);
    player.pause();
    pulseAfter(SECOND);
    assertThat(player.isPlaying()).isFalse();
    assertThat(player.position()).isEqualTo(player.firstNanos() + 1_000);
    player.play();
    pulseAfter(SECOND);
    assertThat(player.position()).isEqualTo(player.firstNanos() + 1_000);
  }

  @Test
  void play_reachesTheEnd_andStops() {
    show(player.firstNanos());
    player.play();
    pulseAfter(0);
    pulseAfter(3_600 * SECOND);
    assertThat(player.position()).isEqualTo(player.lastNanos());
    pulseAfter(0);
    assertThat(player.isPlaying()).isFalse();
  }
}
