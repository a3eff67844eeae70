// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Hits;
import org.wridscope.analysis.Query;
import org.wridscope.analysis.Requests;
import org.wridscope.control.FakeSession;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.TimeRange;
import org.wridscope.verbs.WorkCompletionStatus;

final class LogModelTest {
  private static final long WRITE_17 = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 17);

  private final FakeSession session =
      new FakeSession("s", "rdma:h:1", new SessionTelemetry(Role.SOURCE, true, 1 << 15));
  private final SessionTelemetry telemetry = session.telemetry();
  private final Sampler sampler = new Sampler();
  private final LogModel model = new LogModel();

  @AfterEach
  void close() {
    sampler.close();
  }

  /** Moves the events written so far into the log. */
  private void drain() {
    sampler.add(telemetry);
    sampler.remove(telemetry);
  }

  private void write() {
    telemetry.setBlocks(List.of(new ChunkTable(0, "pc.ram", 64L << 20, 0)));
    telemetry.event(EventKind.POST_WRITE, 0, 1 << 20, WRITE_17, 0x1000);
    telemetry.event(
        EventKind.CONTROL_SENT,
        ControlType.REGISTER_REQUEST.value(),
        32,
        WorkRequestId.CONTROL_SEND,
        1);
    telemetry.event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, WRITE_17, 0);
    telemetry.event(
        EventKind.COMPLETION_SEND_QUEUE,
        WorkCompletionStatus.REM_ACCESS_ERR.value(),
        0,
        WorkRequestId.CONTROL_SEND,
        0);
    drain();
  }

  @Test
  void poll_noFilter_givesEachEventOnce() {
    write();
    model.show(session);
    assertThat(model.poll()).extracting(Event::number).containsExactly(0L, 1L, 2L, 3L);
    assertThat(model.poll()).isEmpty();
    telemetry.event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
    drain();
    assertThat(model.poll()).extracting(Event::kind).containsExactly(EventKind.GUEST_PAUSED);
  }

  @Test
  void filter_group_keepsItsKindsOnly() {
    write();
    model.show(session);
    model.filter(EventText.Group.WRITES, null);
    assertThat(model.poll()).extracting(Event::number).containsExactly(0L, 2L);
    model.filter(EventText.Group.MESSAGES, null);
    assertThat(model.poll()).extracting(Event::number).containsExactly(1L);
    model.filter(EventText.Group.FAILURES, null);
    assertThat(model.poll()).extracting(Event::number).containsExactly(3L);
  }

  @Test
  void filter_ofHits_showsThemAsTheyAreFound() {
    write();
    model.show(session);
    Requests requests = new Requests(telemetry).readAll();
    var hits =
        new Hits(requests, Objects.requireNonNull(Query.parse("chunk=17", telemetry.blocks())));
    model.filter(EventText.Group.ALL, hits);
    assertThat(model.poll()).isEmpty();
    hits.advance(2);
    assertThat(model.poll()).extracting(Event::number).containsExactly(0L);
    hits.advance(100);
    assertThat(model.poll()).extracting(Event::number).containsExactly(2L);
  }

  @Test
  void limit_keepsWhatHappenedInTheRange_whateverTheFilter() {
    for (int i = 0; i < 20; i++) {
      telemetry.log().add(i, EventKind.POST_WRITE, 0, 1, WRITE_17, 0);
    }
    model.show(session);
    model.limit(new TimeRange.Span(5, 8));
    assertThat(model.poll()).extracting(Event::nanos).containsExactly(5L, 6L, 7L);
    model.filter(EventText.Group.FAILURES, null);
    assertThat(model.poll()).isEmpty();
    model.filter(EventText.Group.WRITES, null);
    model.limit(null);
    assertThat(model.poll()).hasSize(20);
  }

  @Test
  void poll_logGaveEventsUp_countsThem() {
    model.show(session);
    for (int i = 0; i < 70_000; i++) {
      telemetry.event(EventKind.POST_RECEIVE, 0, i, WorkRequestId.CONTROL_RECEIVE, 0);
      if (i % 30_000 == 0) {
        drain();
      }
    }
    drain();
    long read = model.poll().size();
    long kept = telemetry.log().size() - telemetry.log().oldest();
    assertThat(read).isEqualTo(kept);
    assertThat(model.missed()).isEqualTo(telemetry.log().oldest()).isPositive();
  }

  @Test
  void poll_noSession_isEmpty() {
    assertThat(model.poll()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(EventKind.class)
  void text_everyKind_isWords(EventKind kind) {
    for (int detail : new int[] {0, 1, 5, 65535}) {
      var event = new Event(0, 0, kind, detail, 1, WRITE_17, 4096);
      assertThat(EventText.kind(kind)).isNotBlank();
      assertThat(EventText.explanation(kind)).endsWith(".");
      assertThat(EventText.summary(event, telemetry)).isNotBlank();
      assertThat(EventText.Group.ALL.has(event)).isTrue();
    }
  }

  @Test
  void summary_write_namesBlockChunkAndAddress() {
    write();
    var event = new Event(0, 0, EventKind.POST_WRITE, 0, 1 << 20, WRITE_17, 0x7f00);
    assertThat(EventText.summary(event, telemetry))
        .isEqualTo("pc.ram chunk 17, 1.00 MiB to 0x0000000000007f00");
  }

  @Test
  void summary_registrationOfManyChunks_namesTheRange() {
    var event = new Event(0, 0, EventKind.REGISTERED, 0, 5, WRITE_17, 0xab);
    assertThat(EventText.summary(event, telemetry))
        .isEqualTo("block 0 chunks 17 to 21, key 0x000000ab");
  }
}
