// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.Session;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.rdma.RdmaDevices;

/** Unmodified programs of perftest on a device, whose posts are known from their options. */
@Tag("rdma")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AttachmentOverRdmaTest {
  private static final String LOCAL = "127.0.0.1";
  private static final int ITERATIONS = 20;

  /** Each program, and the operation that its client posts. */
  private static final Map<String, Integer> PROGRAMS =
      Map.of("ib_send_lat", 2, "ib_write_bw", 0, "ib_read_lat", 4);

  private static String device = "";

  @TempDir private Path folder;

  @BeforeAll
  static void requirePrograms() throws Exception {
    device = RdmaDevices.list().getFirst().name();
    for (String program :
        Stream.concat(PROGRAMS.keySet().stream(), Stream.of("bpftrace")).toList()) {
      assumeThat(isInstalled(program)).as(program + " is installed").isTrue();
    }
  }

  private static boolean isInstalled(String program) throws InterruptedException {
    try {
      Process version =
          new ProcessBuilder(program, "--version")
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
  void everyProgramOnADevice_isSeenAndCounted() throws Exception {
    List<Session> sessions = new CopyOnWriteArrayList<>();
    try (Attachment attachment =
        Attachment.start(new AttachTarget.OfDevice(device), sessions::add)) {
      for (String program : PROGRAMS.keySet()) {
        run(program);
      }
      assertThat(attachment.notShown()).isZero();
    }

    // A server of RDMA WRITE or RDMA READ posts and polls nothing.
    assertThat(sessions).hasSizeBetween(4, 6);
    assertThat(sessions).extracting(Session::status).containsOnly(MigrationStatus.COMPLETED);
    PROGRAMS.forEach((program, opcode) -> assertClient(program, opcode, sessions));
    for (Session session : sessions) {
      Requests requests = new Requests(session.telemetry()).readAll();
      assertThat(requests.unseen().lost()).isZero();
      assertThat(requests.sends().unmatched() + requests.receives().unmatched())
          .as(session.name())
          .isZero();
    }
  }

  /**
   * The client and, of a ping-pong, also the server posts one request for each iteration. They are
   * known by their operation: a process that has ended already has no name any more.
   */
  private static void assertClient(String program, int opcode, List<Session> sessions) {
    List<WorkRequests> sends =
        sessions.stream()
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

  /** Runs a server and its client to their ends. */
  private void run(String program) throws Exception {
    Process server = start(program, "server");
    try {
      Process client = start(program, "client", LOCAL);
      try {
        // The server may not listen yet.
        while (client.waitFor() != 0 && server.isAlive()) {
          client = start(program, "client", LOCAL);
        }
        assertThat(client.exitValue()).isZero();
      } finally {
        client.destroyForcibly();
      }
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      server.destroyForcibly();
    }
  }

  private Process start(String program, String role, String... more) throws IOException {
    List<String> words =
        new ArrayList<>(List.of(program, "-F", "-d", device, "-n", Integer.toString(ITERATIONS)));
    words.addAll(List.of(more));
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(program + "." + role).toFile())
        .start();
  }
}
