// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Session;
import org.wridscope.control.attach.AttachTarget;
import org.wridscope.control.attach.Attachment;
import org.wridscope.recording.Recording;
import org.wridscope.recording.qemu.LiveImport;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/** Wridscope is attached to a device that two stock QEMUs use. */
@Tag("rdma")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AttachedQemuOverRdmaTest {
  private static final int PORT = 4880;
  private static final int RDMA_WRITE = 0;
  private static final int RECEIVED = 128;

  private final String address = new RdmaUnderTest().address().getAddress().getHostAddress();

  @TempDir private Path folder;

  private MachineQemu traced(Path log, String... more) throws Exception {
    var arguments = new ArrayList<>(List.of("-S", "-msg", "timestamp=on", "-D", log.toString()));
    for (String events : LiveImport.tracePatterns()) {
      arguments.addAll(List.of("-trace", events));
    }
    arguments.addAll(List.of(more));
    return MachineQemu.small(folder, "pc", arguments.toArray(String[]::new));
  }

  private static List<Long> wrids(List<Event> events, Predicate<Event> of) {
    return events.stream().filter(of).map(Event::wrid).toList();
  }

  private static List<Event> told(Path log) throws Exception {
    var events = new ArrayList<Event>();
    try (Recording recording = Recording.open("file", log)) {
      recording.sessions().getFirst().forEachEvent(events::add);
    }
    return events;
  }

  private static boolean isReceive(Event completion) {
    return completion.detail() >>> 8 >= RECEIVED;
  }

  /** Both QEMUs also write what they post and poll, to their logs. */
  @Test
  void requestsAndCompletionsOfQemus_areThoseThatTheyTell() throws Exception {
    String device = new RdmaUnderTest().device();
    String uri = "rdma:%s:%d".formatted(address, PORT);
    Path source = folder.resolve("source.log");
    Path destination = folder.resolve("destination.log");
    List<Session> sessions = new CopyOnWriteArrayList<>();
    try (var from = traced(source);
        var to = traced(destination, "-incoming", uri);
        var _ = Attachment.start(new AttachTarget.OfDevice(device), sessions::add)) {
      from.monitor().migrate(uri);
      from.await("the guest to leave", () -> from.status().equals("postmigrate"));
      to.awaitLoaded();
      from.monitor().quit();
      from.awaitEnd();
      to.monitor().quit();
      to.awaitEnd();
    }
    assertThat(sessions).hasSize(2);
    assertQemus(sessions, source, destination);
  }

  private void assertQemus(List<Session> sessions, Path source, Path destination) throws Exception {
    assertThat(sessions).allMatch(session -> session.name().startsWith("qemu-system-"));
    for (Session session : sessions) {
      List<Event> seen = session.telemetry().log().read(0, Integer.MAX_VALUE);
      boolean writes = seen.stream().anyMatch(AttachedQemuOverRdmaTest::isWrite);
      List<Event> told = told(writes ? source : destination);
      assertThat(wrids(seen, AttachedQemuOverRdmaTest::isWrite))
          .isEqualTo(wrids(told, event -> event.kind() == EventKind.POST_WRITE));
      assertThat(wrids(seen, event -> isSuccess(event) && !isReceive(event)))
          .isNotEmpty()
          .isEqualTo(wrids(told, event -> event.kind() == EventKind.COMPLETION_SEND_QUEUE));
      assertThat(wrids(seen, event -> isSuccess(event) && isReceive(event)))
          .isNotEmpty()
          .isEqualTo(wrids(told, event -> event.kind() == EventKind.COMPLETION_RECEIVE_QUEUE));

      Requests requests = new Requests(session.telemetry()).readAll();
      assertThat(requests.sends().peer(0)).startsWith(address + ":");
      assertThat(
              LongStream.range(0, requests.sends().end())
                  .mapToObj(id -> RequestFacts.of(requests, QueueType.SEND, id).text()))
          .allMatch(text -> text.contains("(CONTROL SEND)") || text.contains("(WRITE RDMA block "));
    }
  }

  private static boolean isWrite(Event event) {
    return event.kind() == EventKind.PROGRAM_POST && (event.detail() & 0xff) == RDMA_WRITE;
  }

  private static boolean isSuccess(Event event) {
    return event.kind() == EventKind.PROGRAM_COMPLETION && (event.detail() & 0xff) == 0;
  }
}
