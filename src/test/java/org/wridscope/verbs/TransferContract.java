// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Sends, writes, their order and their completions. */
abstract class TransferContract extends VerbsContract {

  protected TransferContract(VerbsUnderTest verbs) {
    super(verbs);
  }

  @Test
  void send_arrivesInTheReceive_andCompletesOnBothSides() throws Exception {
    Pair pair = connect();
    pair.server().receive(7, 128, 64);
    pair.client().memory.setString(0, "migrate");
    pair.client().send(5, 0, 8);

    WorkCompletion received = pair.server().received();
    assertCompletion(received, 7, SUCCESS);
    assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE);
    assertThat(received.byteLength()).isEqualTo(8);
    assertThat(received.queuePairNumber()).isEqualTo(pair.server().queuePair.number());
    assertThat(pair.server().memory.getString(128)).isEqualTo("migrate");

    WorkCompletion sent = pair.client().sent();
    assertCompletion(sent, 5, SUCCESS);
    assertThat(sent.opcode()).isEqualTo(WorkCompletionOpcode.SEND);
    assertThat(sent.vendorError()).isZero();
    assertThat(sent.queuePairNumber()).isEqualTo(pair.client().queuePair.number());
  }

  @Test
  void bothEndsSend() throws Exception {
    Pair pair = connect();
    pair.client().receive(1, 0, 16);
    pair.server().receive(2, 0, 16);
    pair.client().memory.set(ValueLayout.JAVA_INT, 64, 11);
    pair.server().memory.set(ValueLayout.JAVA_INT, 64, 12);
    pair.client().send(3, 64, 4);
    pair.server().send(4, 64, 4);
    assertCompletion(pair.client().received(), 1, SUCCESS);
    assertCompletion(pair.server().received(), 2, SUCCESS);
    assertThat(pair.client().memory.get(ValueLayout.JAVA_INT, 0)).isEqualTo(12);
    assertThat(pair.server().memory.get(ValueLayout.JAVA_INT, 0)).isEqualTo(11);
  }

  @Test
  void write_changesExactlyTheTargetRange_andTakesNoReceive() throws Exception {
    Pair pair = connect();
    pair.server().receive(1, 0, 16);
    pair.client().memory.fill((byte) 0x55);
    pair.client().write(9, 1001, 3003, pair.server());

    WorkCompletion written = pair.client().sent();
    assertCompletion(written, 9, SUCCESS);
    assertThat(written.opcode()).isEqualTo(WorkCompletionOpcode.RDMA_WRITE);
    MemorySegment target = pair.server().memory;
    assertThat(target.asSlice(1001, 3003).mismatch(pair.client().memory.asSlice(1001, 3003)))
        .isEqualTo(-1);
    assertThat(target.get(ValueLayout.JAVA_BYTE, 1000)).isZero();
    assertThat(target.get(ValueLayout.JAVA_BYTE, 4004)).isZero();
    assertThat(pair.server().receiveQueue.poll(WorkCompletion.array(1))).isZero();
  }

  @Test
  void emptyMessages_complete_withoutAnyKey() throws Exception {
    Pair pair = connect();
    pair.server().queuePair.postReceive(new ReceiveRequest().fill(1, 0, 0, 0));
    pair.client().queuePair.postSend(new SendRequest().send(2, 0, 0, 0));
    pair.client().queuePair.postSend(new SendRequest().rdmaWrite(3, 0, 0, 0, 0, 0));
    WorkCompletion received = pair.server().received();
    assertCompletion(received, 1, SUCCESS);
    assertThat(received.byteLength()).isZero();
    assertCompletion(pair.client().sent(), 2, SUCCESS);
    assertCompletion(pair.client().sent(), 3, SUCCESS);
  }

  @Test
  void requestsOfOneQueue_completeInTheOrderOfPosting() throws Exception {
    Pair pair = connect();
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 8; i++) {
        pair.server().receive(100 + i, i * 8L, 8);
      }
      for (int i = 0; i < 8; i++) {
        pair.client().memory.set(ValueLayout.JAVA_LONG, i * 8L, round * 8L + i);
        pair.client().send(200 + i, i * 8L, 8);
        pair.client().write(300 + i, 1024 + i * 8L, 8, pair.server());
      }
      for (int i = 0; i < 8; i++) {
        assertCompletion(pair.client().sent(), 200 + i, SUCCESS);
        assertCompletion(pair.client().sent(), 300 + i, SUCCESS);
        assertCompletion(pair.server().received(), 100 + i, SUCCESS);
        assertThat(pair.server().memory.get(ValueLayout.JAVA_LONG, i * 8L))
            .isEqualTo(round * 8L + i);
      }
    }
  }

  /** IBTA 9.5: earlier writes are in memory when the receive of a SEND completes. */
  @Test
  void writesBeforeASend_areVisible_whenItsReceiveCompletes() throws Exception {
    Pair pair = connect();
    int length = 32 << 10;
    MemorySegment source = pair.client().memory.asSlice(0, length);
    for (int round = 1; round <= 300; round++) {
      pair.server().receive(round, Endpoint.MEMORY - 64, 64);
      source.fill((byte) round);
      pair.client().write(round, 0, length, pair.server());
      pair.client().send(round, 0, 1);
      assertCompletion(pair.server().received(), round, SUCCESS);
      assertThat(pair.server().memory.asSlice(0, length).mismatch(source))
          .as("round %d", round)
          .isEqualTo(-1);
      Endpoint.completions(pair.client().sendQueue, 2);
    }
  }

  @Test
  void unsignaledRequests_giveNoCompletion() throws Exception {
    Pair pair = connect();
    for (int i = 0; i < 5; i++) {
      SendRequest request =
          pair.client()
              .sendRequest
              .rdmaWrite(
                  i,
                  pair.client().region.address(),
                  8,
                  pair.client().region.localKey(),
                  pair.server().region.address(),
                  pair.server().region.remoteKey())
              .signaled(false);
      pair.client().queuePair.postSend(request);
    }
    pair.client().write(99, 0, 8, pair.server());
    assertCompletion(pair.client().sent(), 99, SUCCESS);
    assertThat(pair.client().sendQueue.poll(WorkCompletion.array(1))).isZero();
  }

  @Test
  void requestObject_canBeUsedAgain_asSoonAsItIsPosted() throws Exception {
    Pair pair = connect();
    var one = new SendRequest();
    for (int i = 0; i < 16; i++) {
      pair.client().memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
      pair.client()
          .queuePair
          .postSend(
              one.rdmaWrite(
                  i,
                  pair.client().region.address() + i,
                  1,
                  pair.client().region.localKey(),
                  pair.server().region.address() + i,
                  pair.server().region.remoteKey()));
    }
    Endpoint.completions(pair.client().sendQueue, 16);
    assertThat(pair.server().memory.asSlice(0, 16).mismatch(pair.client().memory.asSlice(0, 16)))
        .isEqualTo(-1);
  }

  @Test
  void sendCompletion_comesToTheSendQueueOnly_receiveCompletionToTheReceiveQueueOnly()
      throws Exception {
    Pair pair = connect();
    pair.server().receive(1, 0, 8);
    pair.client().send(2, 0, 8);
    pair.client().sent();
    pair.server().received();
    for (CompletionQueue queue :
        List.of(
            pair.client().sendQueue,
            pair.client().receiveQueue,
            pair.server().sendQueue,
            pair.server().receiveQueue)) {
      assertThat(queue.poll(WorkCompletion.array(4))).isZero();
    }
  }

  @Test
  void randomWrites_giveTheMemoryThatAModelGives() throws Exception {
    long seed = 20260;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    Pair pair = connect();
    Endpoint client = pair.client();
    byte[] content = new byte[Endpoint.MEMORY];
    random.nextBytes(content);
    MemorySegment.copy(content, 0, client.memory, ValueLayout.JAVA_BYTE, 0, content.length);
    byte[] model = new byte[Endpoint.MEMORY];
    for (int i = 0; i < 500; i++) {
      int length = random.nextInt(5000);
      int from = random.nextInt(Endpoint.MEMORY - length + 1);
      int to = random.nextInt(Endpoint.MEMORY - length + 1);
      System.arraycopy(content, from, model, to, length);
      client.queuePair.postSend(
          client.sendRequest.rdmaWrite(
              i,
              client.region.address() + from,
              length,
              client.region.localKey(),
              pair.server().region.address() + to,
              pair.server().region.remoteKey()));
      assertCompletion(client.sent(), i, SUCCESS);
    }
    assertThat(pair.server().memory.toArray(ValueLayout.JAVA_BYTE))
        .as("seed %d", seed)
        .isEqualTo(model);
  }
}
