// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.verbs.Background.get;
import static org.wridscope.verbs.Background.inBackground;
import static org.wridscope.verbs.WorkCompletionStatus.RETRY_EXC_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.RNR_RETRY_EXC_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;
import static org.wridscope.verbs.WorkCompletionStatus.WR_FLUSH_ERR;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** States of a queue pair, the depth of its queues, receivers that are not ready, and flushing. */
abstract class QueuePairContract extends VerbsContract {
  /** Gives up on a peer soon. */
  private static final ConnectionParameters IMPATIENT = new ConnectionParameters(new byte[0], 0, 0);

  protected QueuePairContract(VerbsUnderTest verbs) {
    super(verbs);
  }

  @Test
  void connected_isReadyToSend_andHasANumberOf24Bits() throws Exception {
    Pair pair = connect();
    for (Endpoint endpoint : List.of(pair.client(), pair.server())) {
      assertThat(endpoint.queuePair.state()).isEqualTo(QueuePairState.RTS);
      assertThat(endpoint.queuePair.number()).isBetween(1, (1 << 24) - 1);
      assertThat(endpoint.queuePair.capacity().maxSendRequests()).isGreaterThanOrEqualTo(16);
      assertThat(endpoint.queuePair.capacity().maxReceiveRequests()).isGreaterThanOrEqualTo(16);
    }
  }

  @Test
  void beforeConnecting_receivesCanBePosted_sendsCannot() throws Exception {
    try (ConnectionListener listener = serverDevice.listen(verbs().address(), 1)) {
      Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE);
      var client = closing(new Endpoint(clientDevice, connection, CAPACITY, ENTRIES));
      client.receive(1, 0, 8);
      assertErrno(Errno.EINVAL, () -> client.send(2, 0, 8));
    }
  }

  @Test
  void receivesPostedBeforeConnecting_takeTheFirstMessages() throws Exception {
    try (ConnectionListener listener = serverDevice.listen(verbs().address(), 1)) {
      Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE);
      var client = closing(new Endpoint(clientDevice, connection, CAPACITY, ENTRIES));
      client.receive(1, 0, 8);
      var connected = inBackground(() -> connection.connect(IMPATIENT, Endpoint.PATIENCE));
      ConnectionRequest request = next(listener);
      var server = closing(new Endpoint(serverDevice, request.connection(), CAPACITY, ENTRIES));
      request.accept(IMPATIENT, Endpoint.PATIENCE);
      get(connected);
      server.send(2, 0, 8);
      assertCompletion(client.received(), 1, SUCCESS);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MAX_VALUE})
  void depthsThatCannotBeGranted_areInvalid(int depth) throws Exception {
    Endpoint client = connect().client();
    try (ConnectionListener listener = serverDevice.listen(verbs().address(), 1);
        Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE)) {
      assertErrno(
          Errno.EINVAL,
          () ->
              connection.createQueuePair(
                  client.domain,
                  client.sendQueue,
                  client.receiveQueue,
                  new QueuePairCapacity(depth, 1)));
      assertErrno(
          Errno.EINVAL,
          () ->
              connection.createQueuePair(
                  client.domain,
                  client.sendQueue,
                  client.receiveQueue,
                  new QueuePairCapacity(1, depth)));
    }
  }

  @Test
  void depthsBeyondTheReportedLimit_areInvalid() throws Exception {
    Endpoint client = connect().client();
    int most = clientDevice.capabilities().maxQueuePairWorkRequests();
    try (ConnectionListener listener = serverDevice.listen(verbs().address(), 1);
        Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE)) {
      for (var beyond :
          List.of(new QueuePairCapacity(most + 1, 1), new QueuePairCapacity(1, most + 1))) {
        assertErrno(
            Errno.EINVAL,
            () ->
                connection.createQueuePair(
                    client.domain, client.sendQueue, client.receiveQueue, beyond));
      }
    }
  }

  @Test
  void postReceive_beyondTheDepth_isOutOfMemory_untilACompletionIsPolled() throws Exception {
    Pair pair = connect();
    int depth = pair.server().queuePair.capacity().maxReceiveRequests();
    for (int i = 0; i < depth; i++) {
      pair.server().receive(i, 0, 8);
    }
    assertErrno(Errno.ENOMEM, () -> pair.server().receive(depth, 0, 8));
    pair.client().send(1, 0, 8);
    assertCompletion(pair.server().received(), 0, SUCCESS);
    pair.server().receive(depth, 0, 8);
    assertErrno(Errno.ENOMEM, () -> pair.server().receive(depth + 1, 0, 8));
  }

  @Test
  void postSend_beyondTheDepth_isOutOfMemory_untilACompletionIsPolled() throws Exception {
    Pair pair = connect();
    int depth = pair.client().queuePair.capacity().maxSendRequests();
    for (int i = 0; i < depth; i++) {
      pair.client().send(i, 0, 8); // none is received: all stay outstanding
    }
    assertErrno(Errno.ENOMEM, () -> pair.client().send(depth, 0, 8));
    pair.server().receive(1, 0, 8);
    assertCompletion(pair.client().sent(), 0, SUCCESS);
    pair.client().send(depth, 0, 8);
    assertErrno(Errno.ENOMEM, () -> pair.client().send(depth + 1, 0, 8));
  }

  /** IBTA 10.8.6: a polled completion confirms all unsignaled requests before it. */
  @Test
  void unsignaledRequests_giveTheirSlotsBack_withALaterCompletion() throws Exception {
    Pair pair = connect();
    Endpoint client = pair.client();
    int depth = client.queuePair.capacity().maxSendRequests();
    for (int round = 0; round < 50; round++) {
      for (int i = 1; i < depth; i++) {
        client.queuePair.postSend(
            client
                .sendRequest
                .rdmaWrite(
                    i,
                    client.region.address(),
                    8,
                    client.region.localKey(),
                    pair.server().region.address(),
                    pair.server().region.remoteKey())
                .signaled(false));
      }
      client.write(1000 + round, 0, 8, pair.server());
      assertCompletion(client.sent(), 1000 + round, SUCCESS);
      assertNoCompletion(client.sendQueue);
    }
  }

  @Test
  void messageLongerThanTheDeviceAllows_isInvalid() throws Exception {
    long limit = clientDevice.capabilities().maxMessageSize();
    if (limit < Integer.MAX_VALUE) {
      Endpoint client = connect().client();
      assertErrno(Errno.EINVAL, () -> client.send(1, 0, (int) limit + 1));
      assertThat(client.queuePair.state()).isEqualTo(QueuePairState.RTS);
    }
  }

  /** Sends on another connection of the same devices, which serve the others meanwhile. */
  private void exchangeMessages() throws Exception {
    Pair other = connect();
    for (int i = 0; i < 100; i++) {
      other.client().write(i, 0, 8, other.server());
      assertCompletion(other.client().sent(), i, SUCCESS);
    }
  }

  @Test
  void receivePostedLate_stillTakesTheMessage() throws Exception {
    Pair pair = connect();
    pair.client().memory.setString(0, "late");
    pair.client().send(1, 0, 8);
    pair.client().write(2, 0, 8, pair.server());
    exchangeMessages();
    assertNoCompletion(pair.client().sendQueue);
    pair.server().receive(3, 64, 8);
    assertCompletion(pair.server().received(), 3, SUCCESS);
    assertThat(pair.server().memory.getString(64)).isEqualTo("late");
    assertCompletion(pair.client().sent(), 1, SUCCESS);
    assertCompletion(pair.client().sent(), 2, SUCCESS);
  }

  /** The count given to accept applies to what the client sends; see rdma_accept(3). */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void receiverNotReady_endsTheSendersQueuePair_asThePeersCountSays(int retries) throws Exception {
    Pair pair = connect(ENDLESS, new ConnectionParameters(new byte[0], 5, retries));
    pair.client().receive(10, 0, 8);
    pair.client().send(1, 0, 8);
    pair.client().send(2, 0, 8);
    assertCompletion(pair.client().sent(), 1, RNR_RETRY_EXC_ERR);
    assertCompletion(pair.client().sent(), 2, WR_FLUSH_ERR);
    assertCompletion(pair.client().received(), 10, WR_FLUSH_ERR);
    assertThat(pair.server().queuePair.state()).isEqualTo(QueuePairState.RTS);
  }

  /** The count given to connect applies to what the server sends. */
  @Test
  void receiverNotReady_atTheClient_countsByWhatConnectSaid() throws Exception {
    Pair pair = connect(new ConnectionParameters(new byte[0], 5, 0), ENDLESS);
    pair.server().send(1, 0, 8);
    assertCompletion(pair.server().sent(), 1, RNR_RETRY_EXC_ERR);
  }

  @Test
  void endlessRetry_holdsUpOnlyItsOwnQueuePair_andEndsWithTheConnection() throws Exception {
    Pair stuck = connect();
    Pair free = connect();
    stuck.client().send(1, 0, 8);
    stuck.client().send(2, 0, 8);
    for (int i = 0; i < 100; i++) {
      free.client().write(i, 0, 8, free.server());
      assertCompletion(free.client().sent(), i, SUCCESS);
    }
    assertNoCompletion(stuck.client().sendQueue);
    stuck.client().connection.disconnect();
    assertCompletion(stuck.client().sent(), 1, WR_FLUSH_ERR);
    assertCompletion(stuck.client().sent(), 2, WR_FLUSH_ERR);
  }

  @Test
  void errorState_takesRequests_andFlushesThemInOrder() throws Exception {
    Pair pair = connect();
    Endpoint client = pair.client();
    for (int i = 0; i < 4; i++) {
      client.receive(i, 0, 8);
    }
    client.connection.disconnect();
    client.awaitState(QueuePairState.ERROR);
    client.receive(4, 0, 8);
    for (int i = 0; i < 3; i++) {
      client.send(10 + i, 0, 8);
      client.write(20 + i, 0, 8, pair.server());
    }
    for (int i = 0; i < 5; i++) {
      assertCompletion(client.received(), i, WR_FLUSH_ERR);
    }
    for (int i = 0; i < 3; i++) {
      assertCompletion(client.sent(), 10 + i, WR_FLUSH_ERR);
      assertCompletion(client.sent(), 20 + i, WR_FLUSH_ERR);
    }
  }

  @Test
  void errorState_keepsTheDepthLimit_untilFlushesArePolled() throws Exception {
    Endpoint client = connect().client();
    client.connection.disconnect();
    int depth = client.queuePair.capacity().maxReceiveRequests();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < depth; i++) {
        client.receive(i, 0, 8);
      }
      for (WorkCompletion flushed : Endpoint.completions(client.receiveQueue, depth)) {
        assertThat(flushed.status()).isEqualTo(WR_FLUSH_ERR);
      }
    }
  }

  /** The peer of a disconnected end gets only an event; its queue pair fails when it sends. */
  @Test
  void peerOfADisconnectedQueuePair_staysReady_andFailsWhenItSends() throws Exception {
    Pair pair = connect(IMPATIENT, IMPATIENT);
    pair.server().receive(1, 0, 8);
    pair.client().connection.disconnect();
    assertThat(next(pair.server().connection).type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
    assertThat(pair.server().queuePair.state()).isEqualTo(QueuePairState.RTS);
    assertNoCompletion(pair.server().receiveQueue);
    pair.server().send(2, 0, 8);
    pair.server().write(3, 0, 8, pair.client());
    assertCompletion(pair.server().sent(), 2, RETRY_EXC_ERR);
    assertCompletion(pair.server().sent(), 3, WR_FLUSH_ERR);
    assertCompletion(pair.server().received(), 1, WR_FLUSH_ERR);
  }

  @Test
  void peerWithoutItsQueuePair_doesNotAnswer() throws Exception {
    Pair pair = connect(IMPATIENT, IMPATIENT);
    pair.server().queuePair.close();
    pair.client().write(1, 0, 8, pair.server());
    assertCompletion(pair.client().sent(), 1, RETRY_EXC_ERR);
  }

  @Test
  void close_withRequestsOutstanding_completesNoMore() throws Exception {
    Pair pair = connect();
    for (int i = 0; i < 8; i++) {
      pair.client().send(i, 0, 8); // none is received
      pair.client().receive(10 + i, 0, 8);
    }
    pair.client().queuePair.close();
    pair.client().queuePair.close();
    pair.server().receive(1, 0, 8);
    exchangeMessages();
    assertNoCompletion(pair.client().sendQueue);
    assertNoCompletion(pair.client().receiveQueue);
    assertErrno(Errno.EINVAL, () -> pair.client().send(1, 0, 8));
  }

  @Test
  void disconnectWhileAMessageComesIn_completesEveryReceiveOnce_inOrder() throws Exception {
    for (int round = 0; round < 30; round++) {
      try (var large = new LargeMessage(connect(IMPATIENT, IMPATIENT))) {
        large.send(round * 20_000L);
        large.pair.server().connection.disconnect();
        List<WorkCompletion> received =
            Endpoint.completions(large.pair.server().receiveQueue, LargeMessage.RECEIVES);
        for (int i = 0; i < LargeMessage.RECEIVES; i++) {
          assertThat(received.get(i).workRequestId()).isEqualTo(i);
          assertThat(received.get(i).status()).isIn(i == 0 ? SUCCESS : WR_FLUSH_ERR, WR_FLUSH_ERR);
        }
        assertThat(large.pair.client().sent().status()).isIn(SUCCESS, RETRY_EXC_ERR);
        assertNoCompletion(large.pair.server().receiveQueue);
      }
    }
  }

  @Test
  void close_whileAMessageComesIn_leavesItsMemoryAlone() throws Exception {
    for (int round = 0; round < 30; round++) {
      try (var large = new LargeMessage(connect(IMPATIENT, IMPATIENT))) {
        large.send(round * 20_000L);
        large.pair.server().queuePair.close();
        large.target.fill((byte) 2);
        large.pair.client().sent();
        assertThat(large.target.mismatch(large.source.fill((byte) 2)))
            .as("first byte touched after the queue pair was destroyed")
            .isEqualTo(-1);
      }
    }
  }

  /** A message that takes a while, a receive for it, and further receives. */
  private static final class LargeMessage implements AutoCloseable {
    static final int RECEIVES = 4;
    private static final int LENGTH = 4 << 20;

    final Pair pair;
    final MemorySegment source;
    final MemorySegment target;
    private final Arena arena = Arena.ofShared();
    private final MemoryRegion sourceRegion;
    private final MemoryRegion targetRegion;

    LargeMessage(Pair pair) throws VerbsException {
      this.pair = pair;
      source = arena.allocate(LENGTH).fill((byte) 1);
      target = arena.allocate(LENGTH);
      sourceRegion = pair.client().domain.register(source, Endpoint.ALL);
      targetRegion = pair.server().domain.register(target, Endpoint.ALL);
    }

    /** Posts the message and gives it a head start. */
    void send(long nanos) throws VerbsException {
      for (int i = 0; i < RECEIVES; i++) {
        pair.server()
            .queuePair
            .postReceive(
                new ReceiveRequest()
                    .fill(i, targetRegion.address(), LENGTH, targetRegion.localKey()));
      }
      pair.client()
          .queuePair
          .postSend(
              new SendRequest().send(1, sourceRegion.address(), LENGTH, sourceRegion.localKey()));
      LockSupport.parkNanos(nanos);
    }

    @Override
    public void close() throws VerbsException {
      sourceRegion.close();
      targetRegion.close();
      arena.close();
    }
  }

  @Test
  void queuePairsOfSeveralThreads_doNotDisturbEachOther() throws Exception {
    List<CompletableFuture<Integer>> running = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Pair pair = connect();
      running.add(inBackground(() -> pingPong(pair, 500)));
    }
    for (CompletableFuture<Integer> one : running) {
      assertThat(get(one)).isEqualTo(500);
    }
  }

  private static int pingPong(Pair pair, int rounds) throws VerbsException {
    int done = 0;
    for (int i = 0; i < rounds; i++) {
      pair.server().receive(i, 0, 8);
      pair.client().receive(i, 0, 8);
      pair.client().send(i, 64, 8);
      assertCompletion(pair.server().received(), i, SUCCESS);
      pair.server().send(i, 64, 8);
      assertCompletion(pair.client().received(), i, SUCCESS);
      assertCompletion(pair.client().sent(), i, SUCCESS);
      assertCompletion(pair.server().sent(), i, SUCCESS);
      done++;
    }
    return done;
  }
}
