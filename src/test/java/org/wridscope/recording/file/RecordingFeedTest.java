// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkTable;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;

/** A recording in pieces, for somebody who shows it at once. */
@Timeout(60)
final class RecordingFeedTest {
  private static final int EVENTS = 50_000;

  @TempDir private Path directory;

  /** Keeps the pieces, and takes no more than these bytes. */
  private static final class Bytes implements RecordingFeed.Receiver {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final long most;

    Bytes(long most) {
      this.most = most;
    }

    @Override
    public int take(byte[] piece) {
      bytes.writeBytes(piece);
      return piece.length;
    }

    @Override
    public boolean isOpen() {
      return bytes.size() < most;
    }
  }

  /** A session that has ended. */
  private static FakeSession ended() {
    var session = new FakeSession("source 1", "rdma:127.0.0.1:4444", Role.SOURCE, false);
    var table = new ChunkTable(0, "pc.ram", 64 << 20, 0);
    session.telemetry().setBlocks(List.of(table));
    for (int i = 0; i < EVENTS; i++) {
      session.telemetry().log().add(i, EventKind.POST_WRITE, 1, 4096, i, i * 4096L);
    }
    session.telemetry().metrics().set(Metric.WRITES_POSTED, EVENTS);
    session.telemetry().beginRound(1);
    session.end(MigrationStatus.COMPLETED, "It is done.");
    return session;
  }

  private static byte[] feed(List<Session> sessions, long most, long rate)
      throws IOException, InterruptedException {
    var bytes = new Bytes(most);
    new RecordingFeed(() -> sessions, rate, bytes).run();
    return bytes.bytes.toByteArray();
  }

  /** What a feed of this session sends in all. */
  private static byte[] whole() throws IOException, InterruptedException {
    // Less than all of it: the end of a session is sent in the round that passes this length.
    return feed(List.of(ended()), 2 * EVENTS + 4_000, 1 << 30);
  }

  private static List<FeedReplay> read(byte[] bytes, int piece) throws RecordingException {
    var sessions = new ArrayList<FeedReplay>();
    var input = new FeedInput(sessions::add);
    for (int at = 0; at < bytes.length; at += piece) {
      input.add(java.util.Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + piece)), 0);
    }
    return sessions;
  }

  @Test
  void thePieces_areARecording() throws Exception {
    Path file = directory.resolve("fed.wrs");
    Files.write(file, whole());
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.sessions()).hasSize(1);
      assertThat(recording.sessions().getFirst().events()).isEqualTo(EVENTS);
      assertThat(recording.notes()).isEmpty();
    }
  }

  @Test
  void piecesOfAnyLength_makeTheSameSession() throws Exception {
    byte[] bytes = whole();
    for (int piece : List.of(1, 7, 4_096, bytes.length)) {
      List<FeedReplay> sessions = read(bytes, piece);
      assertThat(sessions).hasSize(1);
      FeedReplay session = sessions.getFirst();
      assertThat(session.telemetry().log().size()).isEqualTo(EVENTS);
      assertThat(session.telemetry().metrics().get(Metric.WRITES_POSTED)).isEqualTo(EVENTS);
      assertThat(session.result()).isEqualTo(new SessionOutcome("It is done."));
      assertThat(session.leftOut()).isZero();
    }
  }

  @Test
  void theRate_isBounded_whateverThereIsToSend() throws Exception {
    long rate = 256 << 10;
    long most = 90_000;
    long begin = System.nanoTime();
    long sent = feed(List.of(ended()), most, rate).length;
    double seconds = (System.nanoTime() - begin) / 1e9;
    assertThat(sent).isGreaterThanOrEqualTo(most);
    // The last round is not waited for.
    long round = rate / 10 + RecordingFormat.FULL_BLOCK;
    assertThat(sent).isLessThan((long) (rate * seconds) + round);
  }

  @Test
  void damagedPieces_areRefusedWithASentence_orShowSomething() throws Exception {
    byte[] bytes = whole();
    var random = new Random(7);
    for (int i = 0; i < 300; i++) {
      byte[] damaged = bytes.clone();
      damaged[random.nextInt(i < 200 ? 3_000 : damaged.length)] ^= (byte) (1 << random.nextInt(8));
      Throwable thrown = catchThrowable(() -> read(damaged, 64 << 10));
      if (thrown != null) {
        assertThat(thrown).isInstanceOf(RecordingException.class).hasMessageEndingWith(".");
      }
    }
    assertThatThrownBy(() -> read("not a recording at all".getBytes(StandardCharsets.UTF_8), 5))
        .isInstanceOf(RecordingException.class)
        .hasMessage("What it sends does not begin as a recording.");
    byte[] older = bytes.clone();
    ByteBuffer.wrap(older).putInt(RecordingFormat.HEAD_BYTES - Integer.BYTES, 1);
    assertThatThrownBy(() -> read(older, 5))
        .isInstanceOf(RecordingException.class)
        .hasMessageStartingWith("What it sends is version 1 of a recording, and this Wridscope");
  }
}
