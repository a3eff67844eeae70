// SPDX-License-Identifier: Apache-2.0
package org.wridscope.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.verbs.WorkCompletionStatus;

/** What the events of an end amount to. */
final class AccountTest {
  private static final long MIB = 1 << 20;

  private final ChunkTable table = new ChunkTable(0, "pc.ram", 4 * MIB - 4096, 0);
  private final Account account = account(Role.SOURCE);

  private Account account(Role role) {
    var made =
        new Account(role, block -> block == 0 ? table.length() : Account.UNKNOWN_LENGTH, true);
    made.setBlocks(List.of(table));
    return made;
  }

  private static long wrid(int block, long chunk) {
    return WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
  }

  private long get(Metric metric) {
    return account.metrics().get(metric);
  }

  private void sent(ControlType type, int length) {
    account.event(0, EventKind.CONTROL_SENT, type.value(), length, WorkRequestId.CONTROL_SEND, 1);
  }

  private void received(ControlType type) {
    account.event(0, EventKind.CONTROL_RECEIVED, type.value(), 0, 0, 1);
  }

  private void zero(long chunk, long bytes) {
    account.event(0, EventKind.ZERO, 0, 0, wrid(0, chunk), bytes);
  }

  /**
   * QEMU traces zeros before it waits for READY and announces them; the engine notes them after.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void zerosAreProcessed_whenTheDestinationIsReadyAgain(boolean before) {
    for (int i = 0; i < 2; i++) {
      if (before) {
        zero(i, MIB);
      }
      received(ControlType.READY);
      assertThat(get(Metric.RAM_PROCESSED)).as("of the messages before").isEqualTo(i * MIB);
      sent(ControlType.COMPRESS, 32);
      if (!before) {
        zero(i, MIB);
      }
    }
    assertThat(get(Metric.RAM_PROCESSED)).isEqualTo(MIB);
    received(ControlType.READY);
    assertThat(get(Metric.RAM_PROCESSED)).isEqualTo(2 * MIB);
    assertThat(get(Metric.DUPLICATE_PAGES)).isEqualTo(512);
    assertThat(table.count(ChunkState.ZERO)).isEqualTo(2);
  }

  @Test
  void completion_countsWhatItCovers_withTheBytesOfMessages() {
    account.event(0, EventKind.ROUND_BEGIN, 1, 0, 0, 4 * MIB);
    account.metrics().set(Metric.RAM_REMAINING, 4 * MIB);
    account.event(0, EventKind.POST_WRITE, 0, 8192, wrid(0, 1), 0);
    sent(ControlType.REGISTER_FINISHED, 0);
    account.event(0, EventKind.COMPLETION_SEND_QUEUE, 0, 0, WorkRequestId.CONTROL_SEND, 0);
    assertThat(get(Metric.WRITES_COMPLETED)).isEqualTo(1);
    assertThat(get(Metric.WRITES_SIGNALED)).isZero();
    assertThat(get(Metric.SENDS_COMPLETED)).isEqualTo(1);
    assertThat(get(Metric.RAM_TRANSFERRED)).isEqualTo(8192 + ControlHeader.BYTES);
    assertThat(get(Metric.NORMAL_PAGES)).isEqualTo(2);
    assertThat(get(Metric.ROUND_PROCESSED)).isEqualTo(8192);
    assertThat(get(Metric.RAM_REMAINING)).isEqualTo(4 * MIB - 8192);
  }

  /** Of a log that begins late, or that claims anything. */
  @Test
  void completionWithoutAPost_completesNothing() {
    account.event(0, EventKind.COMPLETION_SEND_QUEUE, 0, 0, wrid(0, 1), 0);
    account.event(0, EventKind.COMPLETION_SEND_QUEUE, 10, 0, wrid(7, 1), 0);
    assertThat(get(Metric.WRITES_COMPLETED)).isZero();
    assertThat(get(Metric.FAILED_COMPLETIONS)).isEqualTo(1);
    assertThat(account.oldestWrite()).isEqualTo(Posts.NONE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void settled_nothingIsInTransit_andWhatArrivedIsCounted(boolean arrived) {
    sent(ControlType.COMPRESS, 32);
    zero(0, MIB);
    account.event(0, EventKind.POST_WRITE, 1, 4096, wrid(0, 1), 0);
    account.event(0, EventKind.POST_WRITE, 1, 4096, wrid(0, 1), 0);
    assertThat(account.oldestWrite()).isEqualTo(wrid(0, 1));
    account.settle(arrived);
    assertThat(get(Metric.WRITES_COMPLETED)).isEqualTo(2);
    assertThat(get(Metric.SENDS_COMPLETED)).isEqualTo(1);
    assertThat(get(Metric.RAM_PROCESSED)).isEqualTo(arrived ? MIB + 8192 : 0);
    assertThat(table.state(1)).isEqualTo(arrived ? ChunkState.SENT : ChunkState.DIRTY_AGAIN);
  }

  @Test
  void registrations_haveTheirBytes_andTheShortEndOfABlock() {
    account.event(0, EventKind.REGISTERED, 0, 4, wrid(0, 0), 7);
    assertThat(get(Metric.REGISTERED_BYTES)).isEqualTo(table.length());
    account.event(0, EventKind.REGISTERED, 0, 2, wrid(3, 0), 8);
    account.event(0, EventKind.DEREGISTERED, 0, 4, wrid(0, 0), 7);
    assertThat(get(Metric.REGISTRATIONS_ALIVE)).isEqualTo(1);
    assertThat(get(Metric.REGISTRATIONS_PEAK)).isEqualTo(2);
    assertThat(get(Metric.REGISTERED_BYTES)).isEqualTo(2 * MIB);
    assertThat(get(Metric.REGISTERED_BYTES_PEAK)).isEqualTo(table.length() + 2 * MIB);
  }

  /** The destination's log has keys for its peer, not for itself. */
  @Test
  void keysOfALog_areThoseForThePeer() {
    var ofLog = new Account(Role.DESTINATION, _ -> Account.UNKNOWN_LENGTH, false);
    ofLog.setBlocks(List.of(table));
    ofLog.event(0, EventKind.REGISTERED, 0, 2, wrid(0, 0), 7);
    assertThat(table.remoteKey(1)).isEqualTo(7);
    assertThat(table.localKey(1)).isZero();
    ofLog.event(0, EventKind.DISCONNECTING, 0, 0, 0, 0);
    ofLog.event(0, EventKind.DEREGISTERED, 0, 2, wrid(0, 0), 7);
    assertThat(table.remoteKey(1)).isZero();
    assertThat(table.state(1)).isEqualTo(ChunkState.NOT_REGISTERED);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void requestSentAgain_isCounted_unlessItIsAProgramsOwn(boolean ofProgram) {
    var packet = new WirePacket(1, ofProgram, 5, 3, QueueId.ofQueuePair(0, 9), 0);
    account.event(
        0,
        EventKind.WIRE_RETRANSMISSION,
        packet.detail(),
        packet.psn(),
        packet.wrid(),
        packet.argument());
    assertThat(get(Metric.REQUESTS_SENT_AGAIN)).isEqualTo(ofProgram ? 0 : 1);
    assertThat(get(Metric.SENT_AGAIN_CHANGED)).isEqualTo(ofProgram ? 0 : 1);
  }

  @Test
  void copy_changesIndependently() {
    account.event(0, EventKind.POST_WRITE, 1, 4096, wrid(0, 1), 0);
    var copy = new Account(account);
    copy.event(0, EventKind.COMPLETION_SEND_QUEUE, 0, 0, wrid(0, 1), 0);
    assertThat(copy.metrics().get(Metric.WRITES_COMPLETED)).isEqualTo(1);
    assertThat(get(Metric.WRITES_COMPLETED)).isZero();
    assertThat(account.oldestWrite()).isEqualTo(wrid(0, 1));
    assertThat(table.state(1)).as("its chunks are not the copy's").isEqualTo(ChunkState.IN_TRANSIT);
  }

  // ------------------------------------------------------------------------ of a running session

  private static SessionTelemetry running(Role role) {
    return new SessionTelemetry(role, true, Account::new);
  }

  private static void sent(SessionTelemetry session, ControlType type) {
    session.event(EventKind.CONTROL_SENT, type.value(), 4, WorkRequestId.CONTROL_SEND, 1);
  }

  private static void completed(SessionTelemetry session, long wrid) {
    session.event(
        EventKind.COMPLETION_SEND_QUEUE, WorkCompletionStatus.SUCCESS.value(), 0, wrid, 0);
  }

  /** Nobody empties the ring. */
  @Test
  void ofARunningSession_countsAlsoWhatTheRingLeavesOut() {
    SessionTelemetry session = running(Role.SOURCE);
    int events = 1 << 17;
    for (int i = 0; i < events; i++) {
      session.event(EventKind.POST_RECEIVE, 0, 512, WorkRequestId.CONTROL_RECEIVE, 0);
    }
    assertThat(session.eventsLeftOut()).isPositive();
    assertThat(session.metrics().get(Metric.RECEIVES_POSTED)).isEqualTo(events);
  }

  /** A destination's READY may complete after its caller has turned out to be the source. */
  @Test
  void requestsOfACaller_completeInTheSessionThatAdoptsIt() {
    SessionTelemetry session = running(Role.DESTINATION);
    SessionTelemetry caller = SessionTelemetry.ofCaller(true, Account::new);
    sent(caller, ControlType.READY);
    session.adopt(caller);
    completed(session, WorkRequestId.CONTROL_SEND);
    assertThat(session.messagesSent().get(ControlType.READY)).isEqualTo(1);
    assertThat(session.metrics().get(Metric.SENDS_POSTED)).isEqualTo(1);
    assertThat(session.metrics().get(Metric.SENDS_COMPLETED)).isEqualTo(1);
    assertThat(session.metrics().get(Metric.RAM_TRANSFERRED)).isEqualTo(ControlHeader.BYTES + 4);
  }

  /** At its end, and when a destination waits for another source. */
  @ParameterizedTest
  @EnumSource(names = {"NONE", "COMPLETED", "FAILED", "CANCELLED", "UNDECIDED"})
  void requestsWithoutACompletion_endWithTheConnection(MigrationStatus status) {
    SessionTelemetry session = running(Role.SOURCE);
    sent(session, ControlType.READY);
    session.event(EventKind.POST_WRITE, 0, 4096, wrid(0, 1), 0);
    session.setStatus(MigrationStatus.ACTIVE);
    session.event(EventKind.DISCONNECTING, 0, 0, 0, 0);
    completed(session, WorkRequestId.CONTROL_SEND);
    assertThat(session.metrics().get(Metric.WRITES_COMPLETED)).isZero();
    session.setStatus(status);
    assertThat(session.metrics().get(Metric.WRITES_COMPLETED)).isEqualTo(1);
    assertThat(session.metrics().get(Metric.SENDS_COMPLETED)).isEqualTo(1);
    assertThat(session.metrics().get(Metric.RAM_TRANSFERRED)).isEqualTo(ControlHeader.BYTES + 4);
    assertThat(session.metrics().get(Metric.RAM_PROCESSED)).isZero();
  }

  @Test
  void registration_ofARunningSession_endsWithItsBlock_andTheChunksAreTheEngines() {
    SessionTelemetry session = running(Role.DESTINATION);
    session.setBlocks(List.of(table));
    session.event(EventKind.REGISTERED, 0, 4, wrid(0, 0), 7);
    assertThat(session.metrics().get(Metric.REGISTERED_BYTES)).isEqualTo(table.length());
    assertThat(table.state(0)).isEqualTo(ChunkState.NOT_REGISTERED);
  }

  /** More requests than a ring of this size has at first, some of which end out of order. */
  @Test
  void posts_growAndKeepTheirOrder() {
    var posts = new Posts();
    for (int i = 0; i < 100; i++) {
      posts.posted(wrid(0, i), i, i % 9 == 0);
      if (i % 10 == 6) {
        assertThat(posts.completed(wrid(0, i / 10 * 9L), true, (_, _) -> {}))
            .isEqualTo(i / 10 * 9L);
      }
    }
    assertThat(posts.oldestWrite()).isEqualTo(wrid(0, 82));
  }
}
