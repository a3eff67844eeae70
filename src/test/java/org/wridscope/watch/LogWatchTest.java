// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** Logs of real QEMUs that grow while they are followed. */
@Slow("files and pipes that grow, in real time")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LogWatchTest {
  private static final String SOURCE = "qemu-7.2-dyn-idle.source.log";
  private static final String DESTINATION = "qemu-7.2-dyn-idle.dest.log";

  @TempDir Path directory;

  private static String real(String name) throws IOException {
    try (InputStream in = Recording.class.getResourceAsStream("qemu/" + name)) {
      assertThat(in).as(name).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(
        directory.resolve(name), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static SessionPair follow(@Nullable Role first, Path... places) throws Exception {
    return Watch.ofLogs(List.of(places), first).sessions();
  }

  private static CompletableFuture<SessionPair> followSoon(Path... places) {
    var pair = new CompletableFuture<SessionPair>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            pair.complete(follow(null, places));
          } catch (Exception e) {
            pair.completeExceptionally(e);
          }
        });
    return pair;
  }

  private static void awaitStatus(Session session, MigrationStatus status) {
    new TimeLimit().await(status.toString(), () -> session.status() == status);
  }

  private static long count(Iterable<Event> events, EventKind kind) {
    long count = 0;
    for (Event event : events) {
      count += event.kind() == kind ? 1 : 0;
    }
    return count;
  }

  @Test
  void growingLog_isWhatTheWholeOneShows() throws Exception {
    String text = real(SOURCE);
    int half = text.indexOf('\n', text.length() / 2) + 1;
    Path log = write("growing", text.substring(0, half));
    Session session = follow(null, log).leading();
    assertThat(session.role()).isEqualTo(Role.SOURCE);
    write("growing", text.substring(half));
    assertThat(session.await(Duration.ofSeconds(60))).as("it ends with the migration").isTrue();
    assertThat(session.outcome()).isEqualTo("QEMU reports: completed.");
    assertThat(session.uri()).isEqualTo("rdma:10.9.0.1");
    assertThat(session.device()).isEqualTo("rxe0");
    assertThat(session.tellsGuest()).isFalse();
    try (Recording whole = Recording.open("file", log)) {
      RecordedSession same = whole.sessions().getFirst();
      List<Event> seen = session.telemetry().log().read(0, Integer.MAX_VALUE);
      List<Event> opened = same.telemetry().log().read(0, Integer.MAX_VALUE);
      for (EventKind kind : EventKind.values()) {
        assertThat(count(seen, kind)).as("%s", kind).isEqualTo(count(opened, kind));
      }
      // The distances of the events are those of the log.
      assertThat(seen.getLast().nanos() - seen.getFirst().nanos())
          .isEqualTo(opened.getLast().nanos() - opened.getFirst().nanos());
    }
  }

  @Test
  void twoLogs_areOneMigration_inAnyOrder() throws Exception {
    SessionPair pair = follow(null, write("one", real(DESTINATION)), write("other", real(SOURCE)));
    assertThat(pair.source()).isNotNull();
    assertThat(pair.destination()).isNotNull();
    assertThat(pair.sessions()).extracting(Session::uri).containsOnly("rdma:10.9.0.1");
    awaitStatus(pair.leading(), MigrationStatus.COMPLETED);
    pair.sessions().forEach(Session::close);
  }

  @Test
  void directory_isSearchedForBothEnds_alsoLater() throws Exception {
    write("notes.txt", "nothing of a QEMU\n");
    CompletableFuture<SessionPair> soon = followSoon(directory);
    write("to.log", real(DESTINATION));
    write("from.log", real(SOURCE));
    SessionPair pair = soon.get(60, TimeUnit.SECONDS);
    assertThat(pair.sessions()).extracting(Session::role).contains(Role.SOURCE);
    pair.sessions().forEach(Session::close);
  }

  @Test
  void emptyLog_isAwaited() throws Exception {
    Path log = write("empty", "");
    CompletableFuture<SessionPair> soon = followSoon(log);
    write("empty", "qemu_rdma_accept_incoming_migration \n");
    Session session = soon.get(60, TimeUnit.SECONDS).leading();
    assertThat(session.role()).isEqualTo(Role.DESTINATION);
    session.close();
    assertThat(session.outcome()).contains("did not show the end");
    assertThat(session.status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(session.notes()).singleElement().asString().contains("no times");
  }

  @Test
  void endThatTheUserNames_isNotAwaited() throws Exception {
    Session session = follow(Role.DESTINATION, write("empty", "")).leading();
    assertThat(session.role()).isEqualTo(Role.DESTINATION);
    session.close();
  }

  @Test
  void twoLogsOfOneEnd_areRefused() throws Exception {
    Path one = write("one", real(SOURCE));
    Path other = write("other", real(SOURCE));
    assertThatThrownBy(() -> follow(null, one, other))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("logs of the same end");
  }

  @Test
  void logThatIsCutOff_isSaid() throws Exception {
    Path log = write("log", real(SOURCE));
    Session session = follow(null, log).leading();
    awaitStatus(session, MigrationStatus.COMPLETED);
    Files.writeString(log, "x\n");
    new TimeLimit().await("a note", () -> !session.notes().isEmpty());
    assertThat(session.notes().getFirst()).contains("cut off");
    session.close();
  }

  @Test
  void missingDirectory_isRefused() {
    assertThatThrownBy(() -> followSoon(directory.resolve("none")).get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IOException.class);
  }
}
