// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.TimeLimit;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.Session;
import org.wridscope.figures.Figure;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.verbs.DeviceCounter;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/**
 * Unmodified programs on a device, whose posts are known from their options. All run during one
 * attachment.
 */
@Tag("rdma")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AttachmentOverRdmaTest {
  private static final String LOCAL = "127.0.0.1";
  private static final int ITERATIONS = 20;
  private static final int RDMA_WRITE = 0;
  private static final int SEND = 2;
  private static final int RDMA_READ = 4;

  /** Each program, and the operation that its client posts. */
  private static final Map<String, Integer> PROGRAMS =
      Map.of("ib_send_lat", SEND, "ib_write_bw", RDMA_WRITE, "ib_read_lat", RDMA_READ);

  /** The default port of rping. */
  private static final int RPING_PORT = 7174;

  private static final String ADDRESS = new RdmaUnderTest().address().getAddress().getHostAddress();

  @TempDir private static Path folder;

  private static String device = "";
  private static List<Session> sessions = List.of();

  @BeforeAll
  static void runPrograms() throws Exception {
    device = new RdmaUnderTest().device();
    for (String program : Stream.concat(PROGRAMS.keySet().stream(), Stream.of("rping")).toList()) {
      assumeThat(isInstalled(program)).as(program + " is installed").isTrue();
    }
    sessions = new CopyOnWriteArrayList<>();
    try (Attachment attachment =
        Attachment.start(new AttachTarget.OfDevice(device), sessions::add)) {
      for (String program : PROGRAMS.keySet()) {
        run(program);
      }
      assertThat(attachment.notShown()).isZero();
      // Which is longer depends on what else the machine does.
      assertThat(attachment.cost().without()).isPositive();
      assertThat(attachment.cost().with()).isPositive();
      runRping();
    }
  }

  private static String program(Session session) {
    return session.name().replaceFirst(" \\d+$", "");
  }

  private static List<Session> ofPerftest() {
    return sessions.stream().filter(session -> !program(session).equals("rping")).toList();
  }

  private static List<Session> ofRping() {
    return sessions.stream()
        .filter(session -> program(session).equals("rping"))
        // A client that came before the server listened has posted a receive only.
        .filter(session -> new Requests(session.telemetry()).readAll().sends().end() > 0)
        .toList();
  }

  private static boolean isInstalled(String program) throws InterruptedException {
    try {
      Process version =
          new ProcessBuilder(program, "-h")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      version.waitFor();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void everyProgramOnADevice_isSeenAndCounted() {
    // A server of RDMA WRITE or RDMA READ posts and polls nothing.
    assertThat(ofPerftest()).hasSizeBetween(4, 6);
    assertThat(ofPerftest())
        .extracting(AttachmentOverRdmaTest::program)
        .containsAll(PROGRAMS.keySet())
        .isSubsetOf(PROGRAMS.keySet());
    // Of the last program there may be no second sample.
    assertThat(ofPerftest())
        .allSatisfy(session ->
            assertThat(session.telemetry().deviceCounts().all().keySet())
                .as("counters of " + session.name())
                .isNotEmpty()
                .extracting(DeviceCounter::device)
                .containsOnly(device));
    assertThat(sessions).extracting(Session::status).containsOnly(MigrationStatus.COMPLETED);
    PROGRAMS.forEach((program, opcode) -> assertClient(program, opcode, ofPerftest()));
    for (Session session : sessions) {
      Requests requests = new Requests(session.telemetry()).readAll();
      assertThat(requests.unseen().lost()).isZero();
      assertThat(requests.sends().unmatched() + requests.receives().unmatched())
          .as(session.name())
          .isZero();
    }
  }

  /** The client and, of a ping-pong, also the server posts one request for each iteration. */
  private static void assertClient(String program, int opcode, List<Session> of) {
    List<WorkRequests> sends =
        of.stream()
            .map(session -> new Requests(session.telemetry()).readAll().sends())
            .filter(requests -> requests.end() > 0 && requests.opcode(0) == opcode)
            .toList();
    assertThat(sends).as(program).hasSize(program.equals("ib_send_lat") ? 2 : 1);
    for (WorkRequests requests : sends) {
      assertThat(requests.end()).isEqualTo(ITERATIONS);
      assertThat(requests.queues()).hasSize(1);
      QueueCounts queue = requests.queues().iterator().next();
      assertThat(queue.open()).isZero();
      assertThat(queue.polled().keySet()).containsExactly(WorkCompletionStatus.SUCCESS);
      for (long id = 0; id < ITERATIONS; id++) {
        assertThat(requests.opcode(id)).isEqualTo(opcode);
      }
    }
  }

  private static void runRping() throws Exception {
    new ServerAndClient(rping("-s"), rping("-c"), folder).run();
  }

  /**
   * In each round of rping the client announces a buffer to read and one to write, each by a SEND;
   * the server reads, answers, writes and answers.
   */
  @Test
  void theTwoEndsOfRping_areCounted_andNamedByTheirPeers() {
    assertThat(ofRping()).hasSize(2);
    Map<Boolean, List<Requests>> ends =
        ofRping().stream()
            .map(session -> new Requests(session.telemetry()).readAll())
            .collect(Collectors.partitioningBy(end -> end.sends().opcode(0) == SEND));
    Requests client = ends.getOrDefault(true, List.of()).getFirst();
    Requests server = ends.getOrDefault(false, List.of()).getFirst();
    assertThat(opcodes(client)).isEqualTo(Map.of(SEND, 2L * ITERATIONS));
    assertThat(opcodes(server))
        .isEqualTo(
            Map.of(
                RDMA_READ,
                (long) ITERATIONS,
                RDMA_WRITE,
                (long) ITERATIONS,
                SEND,
                2L * ITERATIONS));
    for (Requests end : List.of(client, server)) {
      QueueCounts queue = end.sends().queues().iterator().next();
      assertThat(queue.open()).isZero();
      assertThat(queue.polled().keySet()).containsExactly(WorkCompletionStatus.SUCCESS);
      assertThat(end.polledQueues().all())
          .singleElement()
          .satisfies(polled -> assertThat(polled.isShared()).isTrue());
      assertThat(end.receives().queues().iterator().next().polled())
          .containsEntry(WorkCompletionStatus.SUCCESS, 2L * ITERATIONS);
    }
    assertThat(client.sends().peer(0)).isEqualTo(ADDRESS + ":" + RPING_PORT);
    assertThat(server.sends().peer(0)).startsWith(ADDRESS + ":").doesNotEndWith(":" + RPING_PORT);
  }

  /** perftest exchanges addresses itself, by TCP. */
  @Test
  void theTwoEndsOfAProgramWithoutLibrdmacm_areNamedByTheirPeers() {
    List<Requests> ends =
        sessions.stream()
            .filter(session -> program(session).equals("ib_send_lat"))
            .map(session -> new Requests(session.telemetry()).readAll())
            .toList();
    assertThat(ends).hasSize(2);
    for (int i = 0; i < 2; i++) {
      Requests end = ends.get(i);
      QueueId queue = end.sends().queueId(0);
      int peer = ends.get(1 - i).sends().queueId(0).number();
      assertThat(end.nameOf(queue))
          .isEqualTo("%s to QP %d at %s".formatted(queue.text(), peer, ADDRESS));
      QueuePairChange set = Objects.requireNonNull(end.queuePairs().attributes(queue));
      assertThat(set.state()).isEqualTo(QueuePairState.RTS.ordinal());
      assertThat(set.retries()).isEqualTo(7);
      assertThat(end.queuePairs().refused()).isZero();
    }
  }

  /** rping without end: it moves, and stands still when its client is stopped. */
  @Test
  void aSnapshot_tellsWhatMovesAndWhatStandsStill() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    Process server = new ProcessBuilder("rping", "-s", "-a", ADDRESS, "-p", "7175").start();
    Process client = null;
    try {
      Snapshot moving;
      do {
        if (client == null || !client.isAlive()) {
          // The server may not listen yet.
          client = new ProcessBuilder("rping", "-c", "-a", ADDRESS, "-p", "7175").start();
        }
        moving = Snapshot.take(client.pid());
      } while (System.nanoTime() < deadline && !has(moving, Snapshot.Verdict.MOVING));
      assertThat(moving.queuePairs())
          .singleElement()
          .satisfies(pair -> {
            assertThat(pair.verdict()).isEqualTo(Snapshot.Verdict.MOVING);
            assertThat(pair.peer()).isEqualTo(ADDRESS + ":7175");
            assertThat(pair.state()).isEqualTo("RTS");
          });

      long ofClient = moving.queuePairs().getFirst().number();
      KnownProgram.run("kill", "-STOP", Long.toString(client.pid()));
      Snapshot still;
      do {
        still = Snapshot.take(server.pid());
      } while (System.nanoTime() < deadline && !has(still, Snapshot.Verdict.STILL));
      assertThat(still.queuePairs())
          .filteredOn(pair -> pair.verdict() == Snapshot.Verdict.STILL)
          .singleElement()
          .satisfies(pair -> assertThat(pair.peerQueuePair()).isEqualTo(ofClient));
      assertThat(still.threads())
          .extracting(ThreadReading::text)
          .anySatisfy(text -> assertThat(text).contains("read of anon_inode:[infinibandevent]"));
    } finally {
      if (client != null) {
        client.destroyForcibly();
      }
      server.destroyForcibly();
    }
  }

  /** rping registers four regions at each end; late, the kernel tells of them. */
  @Test
  void regions_areThoseThatTheKernelTells_whenSeenFromTheBeginningAndLate() throws Exception {
    String port = "7177";
    List<Session> early = new CopyOnWriteArrayList<>();
    List<Session> late = new CopyOnWriteArrayList<>();
    Process server = null;
    Process client = null;
    try (Attachment _ = Attachment.start(new AttachTarget.OfDevice(device), early::add)) {
      server = new ProcessBuilder("rping", "-s", "-a", ADDRESS, "-p", port).start();
      var limit = new TimeLimit(Duration.ofMinutes(2));
      String listening = "\"pid\":%d,".formatted(server.pid());
      while (!RdmaTool.show("cm_id").contains(listening)) {
        limit.glance("the server");
      }
      client = new ProcessBuilder("rping", "-c", "-a", ADDRESS, "-p", port).start();
      while (!hasRegions(client.pid()) || !hasRegions(server.pid())) {
        limit.glance("the regions of both");
      }
      KnownProgram.run("kill", "-STOP", Long.toString(client.pid()));
      long pid = client.pid();
      assertThat(awaitEqual(early, pid)).as("the client, from its beginning").isTrue();
      assertThat(awaitEqual(early, server.pid())).as("the server, from its beginning").isTrue();
      try (Attachment _ = Attachment.start(new AttachTarget.OfProcess(pid, null), late::add)) {
        assertThat(awaitEqual(late, pid)).as("the client, late").isTrue();
      }
    } finally {
      for (Process each : Stream.of(server, client).filter(Objects::nonNull).toList()) {
        each.destroyForcibly().waitFor();
      }
    }
  }

  private static boolean hasRegions(long pid) throws Exception {
    RegionsBefore.Regions of = RegionsBefore.read(device).of(pid);
    return of != null && of.count() > 0;
  }

  /** Whether the figures of a process become those of the kernel, which does not change them. */
  private static boolean awaitEqual(List<Session> sessions, long pid) throws Exception {
    var limit = new TimeLimit(Duration.ofMinutes(1));
    boolean equal = false;
    while (!equal && limit.lasts()) {
      RegionsBefore.Regions kernel = Objects.requireNonNull(RegionsBefore.read(device).of(pid));
      equal =
          sessions.stream()
              .filter(session -> session.uri().equals("pid:" + pid))
              .anyMatch(session ->
                  Figure.REGISTRATIONS_ALIVE.in(session.reading()).orElse(-1) == kernel.count()
                      && Figure.REGISTERED_BYTES.in(session.reading()).orElse(-1) == kernel.bytes()
                      && kernel.count() > 0);
    }
    return equal;
  }

  private static boolean has(Snapshot of, Snapshot.Verdict verdict) {
    return of.queuePairs().stream().anyMatch(pair -> pair.verdict() == verdict);
  }

  private static Map<Integer, Long> opcodes(Requests of) {
    return LongStream.range(0, of.sends().end())
        .boxed()
        .collect(Collectors.groupingBy(id -> of.sends().opcode(id), Collectors.counting()));
  }

  private static List<String> rping(String option) {
    return List.of("rping", option, "-a", ADDRESS, "-C", Integer.toString(ITERATIONS));
  }

  /** Runs a server of perftest and its client to their ends. */
  private static void run(String program) throws Exception {
    List<String> server = List.of(program, "-F", "-d", device, "-n", Integer.toString(ITERATIONS));
    List<String> client = new ArrayList<>(server);
    client.add(LOCAL);
    new ServerAndClient(server, client, folder).run();
  }
}
