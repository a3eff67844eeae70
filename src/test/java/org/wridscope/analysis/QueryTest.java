// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.WorkCompletionStatus;

/** What queries find, in events and in requests. */
final class QueryTest {
  private static final List<ChunkTable> BLOCKS =
      List.of(
          new ChunkTable(0, "pc.ram", 64L << 20, 0),
          new ChunkTable(1, "0000:00:02.0/vga.vram", 16L << 20, 0));

  private static final long QP_17 = QueueId.ofQueuePair(0, 17).argument();

  private final SessionTelemetry telemetry = new SessionTelemetry(Role.SOURCE, true);
  private final EventLog log = telemetry.log();

  private static long write(int block, long chunk) {
    return WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
  }

  @BeforeEach
  void log() {
    telemetry.setBlocks(BLOCKS);
    log.add(0, EventKind.REGISTERED, 0, 8, write(0, 10), 0xabcdL);
    log.add(1, EventKind.POST_WRITE, 1, 4096, write(0, 12), 0);
    log.add(2, EventKind.POST_WRITE, 1, 4096, write(1, 12), 0);
    int request = ControlType.REGISTER_REQUEST.value();
    log.add(3, EventKind.CONTROL_SENT, request, 32, WorkRequestId.CONTROL_SEND, 1);
    log.add(4, EventKind.COMPLETION_SEND_QUEUE, 0, 0, write(0, 12), 0);
    int refused = WorkCompletionStatus.REM_ACCESS_ERR.value();
    log.add(5, EventKind.COMPLETION_SEND_QUEUE, refused, 0, write(1, 12), 0);
    log.add(6, EventKind.PROGRAM_POST, 4 | 2 << 8, 64, -1, QP_17);
    log.add(7, EventKind.PROGRAM_TARGET, 0, 0x1234, -1, 0x7000);
    int flushed = WorkCompletionStatus.WR_FLUSH_ERR.value() | 1 << 8;
    log.add(8, EventKind.PROGRAM_COMPLETION, flushed, 0, -1, QP_17);
    log.add(9, EventKind.ROUND_BEGIN, 3, 0, 0, 1 << 20);
  }

  private Requests requests() {
    return new Requests(telemetry).readAll();
  }

  private static Query query(String text) {
    Query query = Query.parse(text, BLOCKS);
    assertThat(query).isNotNull();
    return query;
  }

  private String found(String text) {
    var hits = new Hits(requests(), query(text));
    while (hits.advance(3) > 0) {
      // step by step
    }
    var numbers = new ArrayList<String>();
    for (long hit = 0; hit < hits.count(); hit++) {
      numbers.add(String.valueOf(hits.event(hit)));
      assertThat(hits.has(hits.event(hit))).isTrue();
      assertThat(hits.indexOf(hits.nanos(hit))).isEqualTo(hit);
    }
    return String.join(" ", numbers);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chunk=12                   | 0 1 2 4 5",
        "chunk=12 block=pc.ram      | 0 1 4",
        "chunk!=12                  | ''",
        "chunk=18                   | ''",
        "block=1                    | 2 5",
        "block != PC.RAM            | 2 5",
        "wrid=0xffffffffffffffff    | 6 7 8",
        "wrid=2000                  | 3",
        "message=register-request   | 3",
        "message=\"Register Request\" | 3",
        "message=ready              | ''",
        "qp=17                      | 6 8",
        "opcode=write               | 1 2 4 5",
        "opcode=rdma_read           | 6 8",
        "qp=17 opcode=read status!=success | 8",
        "status=success             | 4",
        "status!=success            | 5 8",
        "status=rem-access-err      | 5",
        "status=\"remote access error\" | 5",
        "status=10                  | 5",
        "key=0xABCD                 | 0",
        "key=4660                   | 7",
        "round                      | 9",
        "VGA                        | 2 5",
        "\"vga.vram chunk\"         | 2 5",
        "opcode=write status!=success | 5",
        "chunk 12                   | 0 1 2 4 5",
        "chunk 1                    | ''",
        "Chunk 12 Block 1           | 2 5",
        "12                         | 1 2 4 5",
        "1                          | ''",
        "0xffffffffffffffff         | 6 7 8",
        "0x1234                     | 7",
        "0x123                      | ''",
        "2000                       | 3",
        "\"chunk 1\"                | ''",
        "round or chunk=12          | 0 1 2 4 5 9",
        "round OR message=register-request | 3 9",
        "chunk=12 and not block=1   | 0 1 4",
        "chunk=12 && !block=1       | 0 1 4",
        "chunk=12 not (block=1 or event=registered) | 1 4",
        "not not round              | 9",
        "block=1 or chunk=12 status=success | 2 4 5",
        "(block=1 or chunk=12) status=success | 4",
        "event=post-write           | 1 2",
        "event=registered           | 0",
        "end=source round           | 9",
        "end=destination            | ''",
      })
  void query_findsEvents(String text, String events) {
    assertThat(found(text)).isEqualTo(events);
  }

  @Test
  void query_findsRequests_byHowTheyEnded() {
    Requests requests = requests();
    var filter = new RequestFilter(null, query("status!=success"), null);
    var failed = new FilteredRequests(requests, QueueType.SEND, filter);
    while (!failed.advance()) {
      // step by step
    }
    assertThat(ids(failed.posted())).containsExactly(1L, 3L);
    assertThat(ids(failed.ended())).containsExactly(1L, 3L);
    var write = new RequestFilter(RequestKind.WRITE, query("chunk=12 block=0"), null);
    var writes = new FilteredRequests(requests, QueueType.SEND, write);
    while (!writes.advance()) {
      // step by step
    }
    assertThat(ids(writes.posted())).containsExactly(0L);
  }

  @Test
  void query_withBars_findsEither() {
    assertThat(found("round || message=register-request")).isEqualTo("3 9");
  }

  /** What depends on how a request ends is neither true nor false before that. */
  @Test
  void query_ofAnOpenRequest_findsOnlyWhatStaysTrue() {
    var open = new SessionTelemetry(Role.SOURCE, true);
    int flushed = WorkCompletionStatus.WR_FLUSH_ERR.value();
    for (int i = 0; i < 4; i++) {
      open.log().add(i, EventKind.POST_WRITE, 1, 1, write(0, i), 0);
    }
    var requests = new Requests(open).readAll();
    var filter = new RequestFilter(null, query("chunk=3 or not status=success"), null);
    var found = new FilteredRequests(requests, QueueType.SEND, filter);
    assertThat(found.advance()).isTrue();
    assertThat(ids(found.posted())).containsExactly(3L);
    open.log().add(10, EventKind.COMPLETION_SEND_QUEUE, 0, 0, write(0, 0), 0);
    open.log().add(11, EventKind.COMPLETION_SEND_QUEUE, flushed, 0, write(0, 1), 0);
    open.log().add(12, EventKind.COMPLETION_SEND_QUEUE, flushed, 0, write(0, 3), 0);
    requests.readAll();
    assertThat(found.advance()).isTrue();
    assertThat(ids(found.posted())).containsExactly(1L, 3L);
    assertThat(ids(found.ended())).containsExactly(1L, 3L);
    assertThat(found.has(2)).isFalse();
  }

  @Test
  void query_withTooManyParentheses_isRefused() {
    String deep = "(".repeat(10_000) + "round" + ")".repeat(10_000);
    assertThatThrownBy(() -> Query.parse(deep, BLOCKS))
        .hasMessage("There are more than 50 parentheses within each other.");
  }

  @Test
  void requestsThatEndInAnotherOrder_areInTheOrderOfTheirPosts() {
    var order = new SessionTelemetry(Role.SOURCE, true);
    for (int i = 0; i < 4; i++) {
      order.log().add(i, EventKind.POST_WRITE, 1, 1, write(0, i), 0);
    }
    int failed = WorkCompletionStatus.RETRY_EXC_ERR.value();
    for (int i : new int[] {2, 0, 3, 1}) {
      order.log().add(10 + i, EventKind.COMPLETION_SEND_QUEUE, failed, 0, write(0, i), 0);
    }
    var filter = new RequestFilter(null, query("status=retry-exc-err"), null);
    var filtered = new FilteredRequests(new Requests(order).readAll(), QueueType.SEND, filter);
    while (!filtered.advance()) {
      // step by step
    }
    assertThat(ids(filtered.posted())).containsExactly(0L, 1L, 2L, 3L);
    assertThat(ids(filtered.ended())).containsExactly(2L, 0L, 3L, 1L);
  }

  private static List<Long> ids(Timeline timeline) {
    var ids = new ArrayList<Long>();
    for (long i = timeline.first(); i < timeline.end(); i++) {
      ids.add(timeline.id(i));
    }
    return ids;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "colour=red | There is no field \"colour\"; search for wrid, chunk, block, message, qp,"
            + " opcode, status, key, event, end, or for words without =.",
        "chunk= | After chunk=: the number of a chunk, such as 12.",
        "chunk=twelve | \"twelve\" is no number; write chunk=12.",
        "wrid=0xzz | \"0xzz\" is no number; write wrid=4000.",
        "block=ram | There is no RAM block \"ram\"; there are pc.ram, 0000:00:02.0/vga.vram.",
        "opcode=fly | There is no operation \"fly\"; write opcode= and write, send, recv, read,"
            + " atomic, or a name of verbs such as rdma_read.",
        "round and | Something to search for is missing at the end; write and, or, not in quotation"
            + " marks to search for these words.",
        "or round | Something to search for is missing before or; write and, or, not in quotation"
            + " marks to search for these words.",
        "(round | A ) is missing at the end.",
        "round) | There is no ( for this ); write parentheses in quotation marks to search for"
            + " them.",
      })
  void query_thatIsWrong_saysWhatIsPossible(String text, String sentence) {
    assertThatThrownBy(() -> Query.parse(text, BLOCKS)).hasMessage(sentence);
  }

  @ParameterizedTest
  @CsvSource({"status=great, success", "message=hello, register-request"})
  void query_ofAnUnknownName_listsThem(String text, String possible) {
    assertThatThrownBy(() -> Query.parse(text, BLOCKS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(text + " is unknown; possible are ")
        .hasMessageContaining(possible)
        .hasMessageEndingWith(".");
  }

  /** A user who has not finished typing sees how to go on. */
  @Test
  void query_ofTheBeginningOfAName_listsThoseThatBeginLikeIt() {
    assertThatThrownBy(() -> Query.parse("status=loc-q", BLOCKS))
        .hasMessage("status=loc-q is unknown; possible are loc-qp-op-err.");
  }

  @Test
  void query_ofNothing_isNone() {
    @Nullable Query none = Query.parse("  ", BLOCKS);
    assertThat(none).isNull();
  }
}
