// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.verbs.Background.get;
import static org.wridscope.verbs.Background.inBackground;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completion queues, their channels, and overflow. */
abstract class CompletionContract extends VerbsContract {
  private static final Duration MOMENT = Duration.ofMillis(20);

  protected CompletionContract(VerbsUnderTest verbs) {
    super(verbs);
  }

  @Test
  void poll_takesAsManyAsFit_oldestFirst() throws Exception {
    Pair pair = connect();
    for (int i = 0; i < 10; i++) {
      pair.client().write(i, 0, 8, pair.server());
    }
    WorkCompletion[] three = WorkCompletion.array(3);
    int taken = 0;
    while (taken < 10) {
      int count = pair.client().sendQueue.poll(three);
      assertThat(count).isBetween(0, 3);
      for (int i = 0; i < count; i++) {
        assertCompletion(three[i], taken++, SUCCESS);
      }
    }
    assertThat(pair.client().sendQueue.poll(three)).isZero();
    assertThat(pair.client().sendQueue.poll(new WorkCompletion[0])).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MAX_VALUE})
  void create_withEntriesOutOfRange_isInvalid(int entries) throws Exception {
    CompletionChannel channel = closing(clientDevice.createCompletionChannel());
    assertErrno(Errno.EINVAL, () -> clientDevice.createCompletionQueue(entries, channel));
  }

  @Test
  void oneQueue_canServeBothQueuesOfAQueuePair() throws Exception {
    try (ConnectionListener listener = serverDevice.listen(verbs().address(), 1)) {
      Endpoint other = connect().client();
      Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE);
      QueuePair shared =
          connection.createQueuePair(other.domain, other.sendQueue, other.sendQueue, CAPACITY);
      var connected = inBackground(() -> connection.connect(ENDLESS, Endpoint.PATIENCE));
      ConnectionRequest request = next(listener);
      var server = closing(new Endpoint(serverDevice, request.connection(), CAPACITY, ENTRIES));
      request.accept(ENDLESS, Endpoint.PATIENCE);
      get(connected);
      shared.postReceive(
          new ReceiveRequest().fill(1, other.region.address(), 8, other.region.localKey()));
      server.send(2, 0, 8);
      assertCompletion(Endpoint.completion(other.sendQueue), 1, SUCCESS);
      shared.postSend(
          new SendRequest().send(3, other.region.address(), 0, other.region.localKey()));
      server.receive(4, 0, 8);
      assertCompletion(Endpoint.completion(other.sendQueue), 3, SUCCESS);
      connection.close();
    }
  }

  @Test
  void getEvent_withoutAskingForIt_comesNot() throws Exception {
    Pair pair = connect();
    write(pair, 1);
    assertThat(pair.client().sendChannel.getEvent(MOMENT)).isNull();
    assertThat(pair.client().sendChannel.getEvent(Duration.ZERO)).isNull();
  }

  @Test
  void event_comesOnce_forTheNextCompletion() throws Exception {
    Pair pair = connect();
    CompletionQueue queue = pair.client().sendQueue;
    queue.requestNotification();
    write(pair, 1);
    write(pair, 2);
    assertThat(event(pair.client().sendChannel)).isSameAs(queue);
    queue.acknowledgeEvents(1);
    assertThat(pair.client().sendChannel.getEvent(MOMENT)).isNull();
    queue.requestNotification();
    write(pair, 3);
    assertThat(event(pair.client().sendChannel)).isSameAs(queue);
    queue.acknowledgeEvents(1);
  }

  @Test
  void completionThatWasThereBefore_raisesNoEvent() throws Exception {
    Pair pair = connect();
    pair.server().receive(1, 0, 8);
    pair.client().send(2, 0, 8);
    Endpoint.completions(pair.client().sendQueue, 1);
    // The sender has its completion, so the receive has completed too. Nobody polls it.
    pair.server().receiveQueue.requestNotification();
    assertThat(pair.server().receiveChannel.getEvent(MOMENT)).isNull();
    assertCompletion(pair.server().received(), 1, SUCCESS);
  }

  @Test
  void event_wakesAThreadThatWaits() throws Exception {
    Pair pair = connect();
    CompletionQueue queue = pair.server().receiveQueue;
    pair.server().receive(1, 0, 8);
    queue.requestNotification();
    var begun = new CountDownLatch(1);
    var waiting =
        inBackground(() -> {
          begun.countDown();
          return event(pair.server().receiveChannel);
        });
    begun.await();
    pair.client().send(2, 0, 8);
    assertThat(get(waiting)).isSameAs(queue);
    queue.acknowledgeEvents(1);
    assertCompletion(pair.server().received(), 1, SUCCESS);
  }

  /** The pattern of ibv_get_cq_event(3): request, poll once more, wait; misses no completion. */
  @Test
  void askPollWait_missesNoCompletion() throws Exception {
    Pair pair = connect();
    int messages = 2_000;
    for (int i = 0; i < 8; i++) {
      pair.server().receive(i, 0, 8);
    }
    var receiving = inBackground(() -> receiveByEvents(pair.server(), messages));
    for (int i = 0; i < messages; i++) {
      pair.client().send(i, 0, 8);
      assertCompletion(pair.client().sent(), i, SUCCESS);
    }
    assertThat(get(receiving)).isEqualTo(messages);
  }

  private static int receiveByEvents(Endpoint server, int messages) throws Exception {
    WorkCompletion[] one = WorkCompletion.array(1);
    int received = 0;
    while (received < messages) {
      if (server.receiveQueue.poll(one) == 0) {
        server.receiveQueue.requestNotification();
        if (server.receiveQueue.poll(one) == 0) {
          event(server.receiveChannel);
          server.receiveQueue.acknowledgeEvents(1);
          continue;
        }
      }
      assertThat(one[0].status()).isEqualTo(SUCCESS);
      received++;
      server.receive(received, 0, 8);
    }
    // A notification that is still requested may have arrived meanwhile.
    while (server.receiveChannel.getEvent(MOMENT) != null) {
      server.receiveQueue.acknowledgeEvents(1);
    }
    return received;
  }

  @Test
  void oneChannel_tellsWhichOfItsQueuesItIs() throws Exception {
    CompletionChannel channel = clientDevice.createCompletionChannel();
    CompletionQueue first = clientDevice.createCompletionQueue(16, channel);
    CompletionQueue second = clientDevice.createCompletionQueue(16, channel);
    Endpoint other = connect().client();
    try (ConnectionListener listener = serverDevice.listen(verbs().address(), 1)) {
      Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE);
      QueuePair queuePair = connection.createQueuePair(other.domain, first, second, CAPACITY);
      var connected = inBackground(() -> connection.connect(ENDLESS, Endpoint.PATIENCE));
      ConnectionRequest request = next(listener);
      var server = closing(new Endpoint(serverDevice, request.connection(), CAPACITY, ENTRIES));
      request.accept(ENDLESS, Endpoint.PATIENCE);
      get(connected);

      first.requestNotification();
      second.requestNotification();
      queuePair.postReceive(new ReceiveRequest().fill(1, 0, 0, 0));
      server.send(2, 0, 0);
      assertThat(event(channel)).isSameAs(second);
      server.receive(3, 0, 8);
      queuePair.postSend(new SendRequest().send(4, 0, 0, 0));
      assertThat(event(channel)).isSameAs(first);
      first.acknowledgeEvents(1);
      second.acknowledgeEvents(1);
      assertErrno(Errno.EBUSY, first::close);
      connection.close();
    }
    assertErrno(Errno.EBUSY, channel::close);
    first.close();
    assertErrno(Errno.EBUSY, channel::close);
    second.close();
    second.close();
    channel.close();
    channel.close();
  }

  @Test
  void queueWithAnUnacknowledgedEvent_isBusy() throws Exception {
    Pair pair = connect();
    CompletionQueue queue = pair.client().sendQueue;
    queue.requestNotification();
    write(pair, 1);
    event(pair.client().sendChannel);
    pair.client().queuePair.close();
    assertErrno(Errno.EBUSY, queue::close);
    queue.acknowledgeEvents(1);
    queue.close();
  }

  @Test
  void queueWithAnEventThatNobodyTook_canBeClosed() throws Exception {
    Pair pair = connect();
    pair.client().sendQueue.requestNotification();
    write(pair, 1);
    pair.client().queuePair.close();
    pair.client().sendQueue.close();
    assertThat(pair.client().sendChannel.getEvent(Duration.ZERO)).isNull();
  }

  @Test
  void deviceWithObjects_isBusy() throws Exception {
    CompletionChannel channel = clientDevice.createCompletionChannel();
    assertErrno(Errno.EBUSY, clientDevice::close);
    channel.close();
    clientDevice.close();
    clientDevice.close();
  }

  @Test
  void overflow_raisesAnEvent_andFailsTheQueuePair() throws Exception {
    CompletionChannel channel = clientDevice.createCompletionChannel();
    CompletionQueue small = clientDevice.createCompletionQueue(4, channel);
    Endpoint other = connect().client();
    try (ConnectionListener listener = serverDevice.listen(verbs().address(), 1)) {
      Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE);
      int depth = small.entries() + 4;
      QueuePair queuePair =
          connection.createQueuePair(
              other.domain, small, other.receiveQueue, new QueuePairCapacity(depth, 4));
      var connected = inBackground(() -> connection.connect(ENDLESS, Endpoint.PATIENCE));
      ConnectionRequest request = next(listener);
      closing(new Endpoint(serverDevice, request.connection(), CAPACITY, ENTRIES));
      request.accept(ENDLESS, Endpoint.PATIENCE);
      get(connected);
      queuePair.postReceive(new ReceiveRequest().fill(77, 0, 0, 0));
      for (int i = 0; i < depth; i++) {
        queuePair.postSend(new SendRequest().rdmaWrite(i, 0, 0, 0, 0, 0));
      }
      AsyncEvent event = Objects.requireNonNull(clientDevice.nextAsyncEvent(Endpoint.PATIENCE));
      assertThat(event.type()).isEqualTo(AsyncEventType.CQ_ERR);
      assertThat(event.queuePairNumber()).isZero();
      event.acknowledge();
      event.acknowledge();
      assertCompletion(
          Endpoint.completion(other.receiveQueue), 77, WorkCompletionStatus.WR_FLUSH_ERR);
      assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
      connection.close();
    }
    small.close();
    channel.close();
  }

  @Test
  void nextAsyncEvent_whenThereIsNone_isNull() throws Exception {
    assertThat(clientDevice.nextAsyncEvent(MOMENT)).isNull();
    assertThat(clientDevice.nextAsyncEvent(Duration.ZERO)).isNull();
  }

  /** Writes, and waits for the completion without polling it. */
  private static void write(Pair pair, long workRequestId) throws Exception {
    pair.server().receive(workRequestId, 0, 8);
    pair.client().write(workRequestId, 0, 8, pair.server());
    pair.client().send(workRequestId, 0, 8);
    // The write has completed before the later SEND is executed.
    assertCompletion(pair.server().received(), workRequestId, SUCCESS);
  }

  private static CompletionQueue event(CompletionChannel channel) throws Exception {
    @Nullable CompletionQueue queue = channel.getEvent(Endpoint.PATIENCE);
    return Objects.requireNonNull(queue, "no event came");
  }
}
