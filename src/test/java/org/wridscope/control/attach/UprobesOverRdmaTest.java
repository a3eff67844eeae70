// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.Session;
import org.wridscope.host.Processor;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.rdma.RdmaDevices;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;

/** An unmodified program on a device, seen without bpftrace; and what is left in the kernel. */
@Tag("rdma")
@Tag("alone")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class UprobesOverRdmaTest {
  private static final int ITERATIONS = 20;
  private static final int QUEUE_PAIRS = 2;
  private static final int RDMA_WRITE = 0;

  /** An event of the user's own, which nobody may touch. */
  private static final String USERS = "p:users/own";

  @TempDir private Path folder;

  private Tracefs tracefs = new Tracefs(Path.of(""));
  private String device = "";
  private List<Probe> probes = List.of();

  @BeforeEach
  void addAnEventOfTheUsers() throws Exception {
    assumeThat(Path.of("/usr/bin/ib_write_bw")).exists();
    tracefs = Tracefs.find();
    device = RdmaDevices.list().getFirst().name();
    probes =
        Probe.find(device).stream()
            .map(Probe.Placed::probe)
            .filter(probe -> probe.verb() == Verb.POLL_CQ || probe.verb() == Verb.POST_SEND)
            .toList();
    Probe probe = probes.getFirst();
    tracefs.write(Tracefs.UPROBES, "%s %s:0x%x".formatted(USERS, probe.library(), probe.offset()));
  }

  @AfterEach
  void removeIt() throws IOException {
    if (!probes.isEmpty()) {
      tracefs.write(Tracefs.UPROBES, "-" + USERS.substring(1));
    }
  }

  @Test
  void aProgramOnADevice_isCounted_andNothingIsLeft() throws Exception {
    leaveBehind(Long.MAX_VALUE / 16);
    List<Session> sessions = new CopyOnWriteArrayList<>();

    try (var attachment =
        Attachment.start(new AttachTarget.OfDevice(device), ProbeTool.UPROBES, sessions::add)) {
      assertThat(tracefs.directories("instances")).hasSize(1);
      run();
      assertThat(attachment.notShown()).isZero();
    }

    // Nothing is left, neither of this attachment nor of the one that was killed.
    assertThat(tracefs.directories("instances")).isEmpty();
    assertThat(tracefs.lines(Tracefs.SYNTHETIC)).isEmpty();
    assertThat(tracefs.lines(Tracefs.UPROBES)).singleElement().asString().startsWith(USERS);
    List<Requests> clients =
        sessions.stream()
            .map(session -> new Requests(session.telemetry()).readAll())
            .filter(requests -> requests.sends().end() > 0)
            .toList();
    assertThat(sessions).extracting(Session::status).containsOnly(MigrationStatus.COMPLETED);
    // The server of RDMA WRITE posts and polls nothing.
    assertThat(clients).hasSize(1);
    assertClient(clients.getFirst());
  }

  /** Each queue pair has a wr_id, its index; perftest counts all of them. */
  private static void assertClient(Requests requests) {
    WorkRequests sends = requests.sends();
    assertThat(requests.unseen().lost()).isZero();
    assertThat(requests.unseen().requests()).isZero();
    assertThat(sends.queues()).hasSize(QUEUE_PAIRS);
    assertThat(sends.queues()).extracting(QueueCounts::posted).containsOnly((long) ITERATIONS);
    assertThat(sends.queues())
        .extracting(queue ->
            LongStream.range(0, sends.end())
                .filter(id -> sends.queueId(id).equals(queue.id()))
                .map(sends::wrid)
                .distinct()
                .boxed()
                .toList())
        .containsExactlyInAnyOrder(List.of(0L), List.of(1L));
    for (long id = 0; id < sends.end(); id++) {
      assertThat(sends.opcode(id)).isEqualTo(RDMA_WRITE);
      assertThat(sends.length(id)).isEqualTo(4096);
    }
    assertThat(requests.unseen().countsCompletions()).isTrue();
    long signaled = LongStream.range(0, sends.end()).filter(sends::signaled).count();
    assertThat(requests.unseen().counted().values())
        .as("all queue pairs share a completion queue")
        .containsExactly(signaled);
  }

  /** What an attachment of a process has in the kernel when the process is killed. */
  private void leaveBehind(long pid) throws IOException {
    String name = "wridscope_%d_1".formatted(pid);
    String events = "instances/%s/events/%s/".formatted(name, name);
    Files.createDirectory(tracefs.resolve("instances/" + name));
    var left = new UprobeEvents(name, Processor.HERE, probes, new TraceFilter.OfProcess(1));
    for (String definition : left.definitions()) {
      tracefs.write(Tracefs.UPROBES, definition);
    }
    tracefs.write(Tracefs.SYNTHETIC, left.synthetic());
    for (var trigger : left.triggers().entrySet()) {
      tracefs.write(events + trigger.getKey() + "/trigger", trigger.getValue());
    }
    for (String event : left.printed()) {
      tracefs.write(events + event + "/enable", "1");
    }
  }

  /** Runs a server and its client to their ends. */
  private void run() throws Exception {
    List<String> server =
        List.of(
            "ib_write_bw",
            "-F",
            "-d",
            device,
            "-s",
            "4096",
            "-q",
            Integer.toString(QUEUE_PAIRS),
            "-n",
            Integer.toString(ITERATIONS));
    List<String> client = new ArrayList<>(server);
    client.add("127.0.0.1");
    new ServerAndClient(server, client, folder).run();
  }
}
