// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.Requests;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.Wait;
import org.wridscope.telemetry.WridLayout;
import org.wridscope.ui.Selected;
import org.wridscope.ui.inspector.Description.Field;

final class DescriberTest {
  private static final long WRITE_2 = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 2);

  private final FakeSession source = new FakeSession("lab 1 source", "rdma:h:1", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("lab 1 destination", "rdma:h:1", Role.DESTINATION, true);
  private final SessionPair pair = new SessionPair(source, destination);
  private final ChunkTable here = new ChunkTable(0, "pc.ram", (5L << 20) + 4096, 0x10_0000_0000L);
  private final ChunkTable there = new ChunkTable(0, "pc.ram", (5L << 20) + 4096, 0x20_0000_0000L);

  @BeforeEach
  void blocks() {
    here.setRemoteAddress(0x20_0000_0000L);
    here.setLocalKey(2, 0xaa);
    here.setRemoteKey(2, 0xbb);
    source.telemetry().setBlocks(List.of(here));
    destination.telemetry().setBlocks(List.of(there));
  }

  private static Stream<Field> fields(Description description) {
    return description.sections().stream().flatMap(section -> section.fields().stream());
  }

  private static List<String> values(Description description, String name) {
    return fields(description).filter(f -> f.name().equals(name)).map(Field::value).toList();
  }

  /** What destroying the queue pair waits for, while it waits and afterwards. */
  @Test
  void migration_tellsTheQueuePair_andWhoHoldsIt() {
    assertThat(values(Describer.describe(pair, Session::reading), "queue pair")).isEmpty();
    source.telemetry().metrics().set(Metric.QUEUE_PAIR_NUMBER, 17);
    source.telemetry().metrics().set(Metric.QUEUE_PAIR_IDS, 5);
    destination.telemetry().metrics().set(Metric.QUEUE_PAIR_NUMBER, 18);
    destination.telemetry().metrics().set(Metric.QUEUE_PAIR_IDS, 1);
    destination.telemetry().metrics().set(Metric.QUEUE_PAIR_REFERENCES, 1);
    destination.telemetry().setWaitingFor(new Wait(Wait.Kind.HANDLER, 18));
    Description waiting = Describer.describe(pair, Session::reading);
    assertThat(values(waiting, "queue pair")).containsExactly("17 (5 ids)", "18");
    assertThat(values(waiting, "references")).containsExactly("none", "1 handler");
    assertThat(values(waiting, "waits for"))
        .containsExactly("nothing", "the handler of an event of queue pair 18");

    destination.telemetry().metrics().set(Metric.QUEUE_PAIR_REFERENCES, 0);
    destination.end(MigrationStatus.FAILED, "It failed.");
    Description ended = Describer.describe(pair, Session::reading);
    assertThat(values(ended, "queue pair")).containsExactly("17 (5 ids)", "18, destroyed");
    assertThat(values(ended, "references")).containsExactly("none", "none");
  }

  @Test
  void chunk_whoseRegistrationWasGivenBack_saysSoAtBothEnds() {
    here.setReleases(2, 3, ChunkRelease.PUT_OFF);
    there.setReleases(2, 3, ChunkRelease.GIVEN_BACK);
    Description chunk = Describer.describe(new Selected.Chunk(source, 0, 2), pair, List.of(), 0);
    assertThat(values(chunk, "registration")).containsExactly("postponed", "released");
  }

  @Test
  void chunk_atBothEnds_hasAddressesKeysAndWrid() {
    here.posted(2);
    Description chunk = Describer.describe(new Selected.Chunk(source, 0, 2), pair, List.of(), 0);
    assertThat(chunk.title()).isEqualTo("pc.ram chunk 2");
    assertThat(chunk.explanation()).startsWith("Now: in transit.");
    assertThat(values(chunk, "offset")).containsExactly("0x200000");
    assertThat(values(chunk, "wrid")).containsExactly("0x80000001 = 2147483649");
    assertThat(values(chunk, "address"))
        .containsExactly("0x0000001000200000", "0x0000002000200000");
    assertThat(values(chunk, "lkey")).containsExactly("0x000000aa", "none");
    assertThat(values(chunk, "rkey")).containsExactly("0x000000bb", "none");
    assertThat(values(chunk, "times sent")).containsExactly("1");
    assertThat(values(chunk, "in transit")).containsExactly("1");
  }

  @Test
  void guest_thatWasShutDownAfterTheEnd_isSaidToBe() {
    source.setGuestRunning(false);
    destination.setGuestRunning(false);
    destination.setGuestFate("was shut down later");
    assertThat(values(Describer.describe(pair, Session::reading), "guest"))
        .containsExactly("does not run here", "was shut down later");
  }

  @Test
  void chunk_lastOfABlock_isShorter() {
    Description chunk = Describer.describe(new Selected.Chunk(source, 0, 5), pair, List.of(), 0);
    assertThat(values(chunk, "length")).containsExactly("4.00 KiB");
  }

  @Test
  void chunk_thatIsNotThere_saysSo() {
    Description chunk = Describer.describe(new Selected.Chunk(source, 3, 0), pair, List.of(), 0);
    assertThat(chunk.explanation()).isEqualTo("This chunk no longer exists.");
  }

  @Test
  void event_controlMessage_isDecoded() {
    var event =
        new Event(
            7,
            source.telemetry().startNanos() + 1_500_000,
            EventKind.CONTROL_SENT,
            ControlType.REGISTER_REQUEST.value(),
            64,
            WorkRequestId.CONTROL_SEND,
            2);
    Description description =
        Describer.describe(new Selected.LoggedEvent(source, event), pair, List.of(), 0);
    assertThat(description.title()).isEqualTo("message sent");
    assertThat(values(description, "type")).containsExactly("REGISTER REQUEST");
    assertThat(values(description, "payload")).containsExactly("64 B");
    assertThat(values(description, "repeat")).containsExactly("2");
    assertThat(values(description, "time")).containsExactly("+0.001500 s");
  }

  /** Its bits would be a write of chunk 2 in a QEMU. */
  @Test
  void theWridOfAProgram_isNotDecoded_unlessSomebodySaidWhatItMeans() {
    FakeSession program =
        new FakeSession("kvstore 1", "pid:1", Role.SOURCE, true) {
          @Override
          public boolean migrates() {
            return false;
          }
        };
    program.telemetry().log().add(1, EventKind.PROGRAM_POST, 2 | 2 << 8, 64, WRITE_2, 17);
    Description plain = describeFirst(program);
    assertThat(values(plain, "wr_id")).containsExactly("0x80000001 = 2147483649");
    assertThat(values(plain, "wrid type")).isEmpty();
    assertThat(values(plain, "chunk")).isEmpty();
    assertThat(values(plain, "means")).isEmpty();

    program
        .telemetry()
        .setWrids(new WridLayout.Fields(List.of(new WridLayout.Field("kind", 0, 4, Map.of()))));
    assertThat(values(describeFirst(program), "means")).containsExactly("kind 1");
  }

  private Description describeFirst(FakeSession program) {
    Requests requests = new Requests(program.telemetry()).readAll();
    RequestFacts facts = RequestFacts.of(requests, QueueType.SEND, 0);
    return Describer.describe(
        new Selected.WorkRequest(program, facts), new SessionPair(program, null), List.of(), 0);
  }

  @ParameterizedTest
  @EnumSource(EventKind.class)
  void event_everyKind_hasADecodedField(EventKind kind) {
    var event = new Event(0, 0, kind, 1, 1, WRITE_2, 1);
    Description description =
        Describer.describe(new Selected.LoggedEvent(source, event), pair, List.of(), 0);
    assertThat(description.sections().get(1).fields()).isNotEmpty();
    assertThat(fields(description)).allSatisfy(field -> assertThat(field.value()).isNotBlank());
  }

  @Test
  void registration_ofManyChunks_namesTheRange() {
    Description description =
        Describer.describe(new Selected.Registration(source, 0, 0, 6), pair, List.of(), 0);
    assertThat(values(description, "chunks")).containsExactly("0 to 5");
  }

  @Test
  void migration_bothEnds_describesBothAndTheirMessages() {
    source.telemetry().messagesSent().increment(ControlType.READY);
    Description description = Describer.describe(pair, Session::reading);
    assertThat(values(description, "name")).containsExactly("lab 1 source", "lab 1 destination");
    assertThat(values(description, "READY")).containsExactly("1 / 0");
    assertThat(values(description, "pc.ram")).containsExactly("5.00 MiB");
  }

  @Test
  void writesThatFailed_doNotCountAsCompletedOnly() {
    source.telemetry().metrics().set(Metric.WRITES_COMPLETED, 192);
    source.telemetry().metrics().set(Metric.FAILED_COMPLETIONS, 192);
    Description description = Describer.describe(pair, Session::reading);
    assertThat(values(description, "writes completed")).isEmpty();
    assertThat(values(description, "writes ended")).containsExactly("192");
    assertThat(values(description, "failed completions")).containsExactly("192");
  }

  @Test
  void history_ofOneChunk_leavesOutAllOthers() {
    try (var sampler = new Sampler()) {
      long other = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 1);
      source.telemetry().event(EventKind.ZERO, 0, 0, other, 2 << 20);
      source.telemetry().event(EventKind.REGISTERED, 0, 1, other, 5);
      source.telemetry().event(EventKind.REGISTERED, 0, 4, other, 6);
      source.telemetry().event(EventKind.POST_WRITE, 0, 4096, WRITE_2, 0);
      source.telemetry().event(EventKind.POST_SEND, 0, 4096, WorkRequestId.CONTROL_SEND, 0);
      source.telemetry().event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, WRITE_2, 0);
      sampler.add(source.telemetry());
      sampler.remove(source.telemetry());
    }
    var history = new ChunkHistory(source, 0, 2);
    history.readOn();
    history.readOn();
    assertThat(history.events()).extracting(Event::number).containsExactly(0L, 2L, 3L, 5L);
    Description chunk =
        Describer.describe(
            new Selected.Chunk(source, 0, 2), pair, history.events(), history.count());
    assertThat(chunk.sections().getLast().heading()).isEqualTo("History");
    assertThat(chunk.sections().getLast().fields())
        .extracting(Field::value)
        .containsExactly("zero", "registered", "WRITE posted, 4.00 KiB", "success");
  }
}
