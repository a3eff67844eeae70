// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_PROT_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_QP_OP_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.RETRY_EXC_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;
import static org.wridscope.verbs.WorkCompletionStatus.WR_FLUSH_ERR;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/** Requests that are sent again because their acknowledgements were lost. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RetransmissionTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);
  private static final byte FIRST = 1;
  private static final byte SECOND = 2;
  private static final byte PEERS = 3;

  private final SoftFabric fabric = new SoftFabric();
  private final SoftDevice source = fabric.open("again-source");
  private final SoftDevice destination = fabric.open("again-destination");
  private final Captured captured = new Captured(new Fault.Retransmit(HOUR, 2));

  @SuppressWarnings("NullAway.Init")
  private SoftPair pair;

  /** Loses the acknowledgement of the first request, and notes what is sent again. */
  private record Captured(Fault fault, List<String> again) implements FaultPlan {
    Captured(Fault fault) {
      this(fault, new CopyOnWriteArrayList<>());
    }

    @Override
    public Fault decide(
        int queuePairNumber, long ordinal, SendRequest.Opcode opcode, long workRequestId) {
      return ordinal == 0 ? fault : Fault.PROCEED;
    }

    @Override
    public void resent(
        int queuePairNumber, long ordinal, long workRequestId, int length, Resent what) {
      again.add("%d: %d, %d bytes, %s".formatted(ordinal, workRequestId, length, what));
    }
  }

  @BeforeEach
  void connect() throws Exception {
    pair = SoftPair.connect(source, destination);
    source.setFaultPlan(captured);
    for (int i = 0; i < 4; i++) {
      pair.server().receive(20 + i, 128, 8);
    }
  }

  @AfterEach
  void close() throws Exception {
    pair.close();
    source.close();
    destination.close();
  }

  private static void assertCompletion(
      WorkCompletion completion, long workRequestId, WorkCompletionStatus status) {
    assertThat(completion.workRequestId()).as("work request id").isEqualTo(workRequestId);
    assertThat(completion.status()).as("status of %d", workRequestId).isEqualTo(status);
  }

  private static void set(Endpoint end, byte value) {
    end.memory.set(ValueLayout.JAVA_BYTE, 0, value);
  }

  private static byte at(Endpoint end) {
    return end.memory.get(ValueLayout.JAVA_BYTE, 0);
  }

  /** Posts a write, and a SEND after whose arrival the write has been executed. */
  private void executeWrite() throws Exception {
    set(pair.client(), FIRST);
    pair.client().write(1, 0, 8, pair.server());
    pair.client().send(2, 64, 8);
    assertCompletion(pair.server().received(), 20, SUCCESS);
    assertThat(at(pair.server())).isEqualTo(FIRST);
    assertThat(pair.client().sendQueue.poll(WorkCompletion.array(1))).isZero();
  }

  @Test
  void whatWasNotAcknowledged_isSentAgain_andExecutedOnce() throws Exception {
    executeWrite();
    set(pair.server(), PEERS);

    pair.client().send(3, 64, 8);

    for (int i = 1; i <= 3; i++) {
      assertCompletion(pair.client().sent(), i, SUCCESS);
    }
    assertThat(captured.again)
        .containsExactly("0: 1, 8 bytes, SAME", "1: 2, 8 bytes, SAME", "2: 3, 8 bytes, SAME");
    assertThat(at(pair.server())).as("the duplicate was discarded").isEqualTo(PEERS);
    assertCompletion(pair.server().received(), 21, SUCCESS);
    assertThat(pair.server().receiveQueue.poll(WorkCompletion.array(1))).isZero();
  }

  @Test
  void memoryThatHasChanged_isSentAsItIsNow_andDiscarded() throws Exception {
    executeWrite();
    set(pair.client(), SECOND);

    pair.client().send(3, 64, 8);

    assertCompletion(pair.client().sent(), 1, SUCCESS);
    assertThat(captured.again).startsWith("0: 1, 8 bytes, OTHER");
    assertThat(at(pair.server())).isEqualTo(FIRST);
  }

  @Test
  void memoryThatWasDeregistered_isAProtectionError_andEverythingAfterItIsFlushed()
      throws Exception {
    Endpoint client = pair.client();
    try (Arena arena = Arena.ofShared()) {
      MemoryRegion region = client.domain.register(arena.allocate(64), Endpoint.ALL);
      client.write(1, 0, 8, pair.server());
      client.queuePair.postSend(
          client.sendRequest.rdmaWrite(
              2,
              region.address(),
              64,
              region.localKey(),
              pair.server().region.address(),
              pair.server().region.remoteKey()));
      client.send(3, 64, 8);
      assertCompletion(pair.server().received(), 20, SUCCESS);
      region.close();

      client.send(4, 64, 8);

      assertCompletion(client.sent(), 1, SUCCESS);
      WorkCompletion failed = client.sent();
      assertCompletion(failed, 2, LOC_PROT_ERR);
      assertThat(failed.vendorError()).isEqualTo(VendorError.UNKNOWN_KEY.code());
      assertCompletion(client.sent(), 3, WR_FLUSH_ERR);
      assertCompletion(client.sent(), 4, WR_FLUSH_ERR);
      assertThat(client.queuePair.state()).isEqualTo(QueuePairState.ERROR);
      assertThat(captured.again).containsExactly("0: 1, 8 bytes, SAME", "1: 2, 64 bytes, NOTHING");
    }
  }

  @Test
  void timer_expiresWithoutFurtherSends() throws Exception {
    source.setFaultPlan(new Captured(new Fault.Retransmit(1_000_000, 0), captured.again));
    pair.client().write(1, 0, 8, pair.server());
    assertCompletion(pair.client().sent(), 1, SUCCESS);
    assertThat(captured.again).containsExactly("0: 1, 8 bytes, SAME");
  }

  @Test
  void connectionThatEnds_flushesWhatWasNotAcknowledged() throws Exception {
    executeWrite();
    pair.client().connection.disconnect();
    assertCompletion(pair.client().sent(), 1, WR_FLUSH_ERR);
    assertCompletion(pair.client().sent(), 2, WR_FLUSH_ERR);
    assertThat(captured.again).isEmpty();
  }

  @Test
  void peerThatDoesNotAnswer_failsTheOldestThatWasNotAcknowledged() throws Exception {
    executeWrite();
    source.cutAll();
    pair.client().send(3, 64, 8);
    assertCompletion(pair.client().sent(), 1, RETRY_EXC_ERR);
    assertCompletion(pair.client().sent(), 2, WR_FLUSH_ERR);
    assertCompletion(pair.client().sent(), 3, WR_FLUSH_ERR);
  }

  @Test
  void overTcp_itIsRefused() throws Exception {
    try (SoftDevice near = SoftNetwork.open("again-near");
        SoftDevice far = SoftNetwork.open("again-far");
        SoftPair remote = SoftPair.connect(near, far)) {
      near.setFaultPlan(captured);
      remote.client().write(1, 0, 8, remote.server());
      WorkCompletion refused = remote.client().sent();
      assertCompletion(refused, 1, LOC_QP_OP_ERR);
      assertThat(refused.vendorError()).isEqualTo(VendorError.FAULT_NOT_SUPPORTED.code());
    }
  }
}
