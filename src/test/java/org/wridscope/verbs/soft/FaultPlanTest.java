// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.wridscope.verbs.WorkCompletionStatus.RETRY_EXC_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;
import static org.wridscope.verbs.WorkCompletionStatus.WR_FLUSH_ERR;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/** Faults that delay completions, on both kinds of software devices. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FaultPlanTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  @SuppressWarnings("NullAway.Init")
  private SoftDevice source;

  @SuppressWarnings("NullAway.Init")
  private SoftDevice destination;

  @SuppressWarnings("NullAway.Init")
  private SoftPair pair;

  private void connect(boolean network) throws Exception {
    var fabric = new SoftFabric();
    source = network ? SoftNetwork.open("plan-source") : fabric.open("plan-source");
    destination = network ? SoftNetwork.open("plan-destination") : fabric.open("plan-destination");
    pair = SoftPair.connect(source, destination);
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

  private void assertNothingSent() throws VerbsException {
    assertThat(pair.client().sendQueue.poll(WorkCompletion.array(1))).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void heldCompletion_isOvertakenByThePeersAnswer(boolean network) throws Exception {
    connect(network);
    source.setFaultPlan(FaultPlan.at(0, new Fault.HoldCompletion(HOUR, true)));
    pair.client().receive(10, 64, 8);
    pair.server().receive(20, 0, 8);
    pair.client().send(1, 0, 8);
    pair.client().write(2, 8, 8, pair.server());
    assertCompletion(pair.server().received(), 20, SUCCESS);
    pair.server().send(3, 0, 8);
    assertCompletion(pair.server().sent(), 3, SUCCESS);
    assertNothingSent();
    assertCompletion(pair.client().received(), 10, SUCCESS);
    assertCompletion(pair.client().sent(), 1, SUCCESS);
    assertCompletion(pair.client().sent(), 2, SUCCESS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void heldCompletion_comesWhenItsTimeIsOver_inOrder_unsignaledOnesNot(boolean network)
      throws Exception {
    connect(network);
    source.setFaultPlan(
        FaultPlan.at(1, new Fault.HoldCompletion(TimeUnit.MILLISECONDS.toNanos(20), true)));
    Endpoint client = pair.client();
    for (int i = 0; i < 8; i++) {
      SendRequest request =
          client.sendRequest.rdmaWrite(
              i,
              client.region.address(),
              8,
              client.region.localKey(),
              pair.server().region.address(),
              pair.server().region.remoteKey());
      client.queuePair.postSend(request.signaled(i != 3));
    }
    for (int i = 0; i < 8; i++) {
      if (i != 3) {
        assertCompletion(client.sent(), i, SUCCESS);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void heldCompletion_isToldBeforeTheFlush(boolean network) throws Exception {
    connect(network);
    source.setFaultPlan((queuePair, ordinal, opcode, workRequestId) ->
        ordinal == 0
            ? new Fault.HoldCompletion(HOUR, false)
            : ordinal == 2 ? Fault.CUT : Fault.PROCEED);
    pair.server().receive(20, 0, 8);
    pair.client().send(0, 0, 8);
    assertCompletion(pair.server().received(), 20, SUCCESS);
    for (int i = 1; i < 4; i++) {
      pair.client().write(i, 0, 8, pair.server());
    }
    assertCompletion(pair.client().sent(), 0, SUCCESS);
    // Over a network the request before the cut may have arrived, or its answer been lost.
    WorkCompletion next = pair.client().sent();
    if (next.workRequestId() == 1 && next.status() == SUCCESS) {
      next = pair.client().sent();
      assertCompletion(next, 2, RETRY_EXC_ERR);
    } else {
      assertCompletion(next, 1, RETRY_EXC_ERR);
      assertCompletion(pair.client().sent(), 2, WR_FLUSH_ERR);
    }
    assertCompletion(pair.client().sent(), 3, WR_FLUSH_ERR);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void receiverNotReady_isRetried_untilTheCountIsUsedUp(boolean network) throws Exception {
    connect(network);
    source.setFaultPlan(FaultPlan.at(0, new Fault.ReceiverNotReady(3)));
    pair.server().receive(20, 0, 8);
    pair.client().send(1, 0, 8);
    assertCompletion(pair.client().sent(), 1, SUCCESS);
    assertCompletion(pair.server().received(), 20, SUCCESS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void fatal_raisesItsEvent_andFlushes(boolean network) throws Exception {
    connect(network);
    source.setFaultPlan(FaultPlan.at(1, new Fault.Fatal()));
    pair.client().write(0, 0, 8, pair.server());
    assertCompletion(pair.client().sent(), 0, SUCCESS);
    pair.client().write(1, 0, 8, pair.server());
    pair.client().write(2, 0, 8, pair.server());
    assertCompletion(pair.client().sent(), 1, WR_FLUSH_ERR);
    assertCompletion(pair.client().sent(), 2, WR_FLUSH_ERR);
    AsyncEvent event = Objects.requireNonNull(source.nextAsyncEvent(Endpoint.PATIENCE));
    assertThat(event.type()).isEqualTo(AsyncEventType.QP_FATAL);
    event.acknowledge();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void slowLink_carriesEverythingInOrder(boolean network) throws Exception {
    connect(network);
    source.setFaultPlan(
        new FaultPlan() {
          @Override
          public Fault decide(
              int queuePairNumber, long ordinal, SendRequest.Opcode opcode, long workRequestId) {
            return Fault.PROCEED;
          }

          @Override
          public long wireNanos(int length) {
            return 100_000;
          }
        });
    long begin = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      pair.client().write(i, 0, 8, pair.server());
    }
    for (int i = 0; i < 10; i++) {
      assertCompletion(pair.client().sent(), i, SUCCESS);
    }
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(10 * 100_000);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void queuesBeyondTheLimit_areRefused_andWhatIsReportedIsEnforced(boolean network)
      throws Exception {
    connect(network);
    Endpoint client = pair.client();
    DeviceCapabilities whole = source.capabilities();
    source.setFaultPlan(TinyDevice.queues(4, 6));
    assertThat(source.capabilities().maxQueuePairWorkRequests()).isEqualTo(4);
    assertThat(source.capabilities().maxCompletionQueueEntries()).isEqualTo(6);
    source.createCompletionQueue(6, client.sendChannel).close();
    assertInvalid(() -> source.createCompletionQueue(7, client.sendChannel), "1 to 6 are possible");
    try (ConnectionListener listener =
            destination.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        Connection connection = source.resolve(listener.localAddress(), Endpoint.PATIENCE)) {
      for (var beyond : List.of(new QueuePairCapacity(5, 4), new QueuePairCapacity(4, 5))) {
        assertInvalid(
            () ->
                connection.createQueuePair(
                    client.domain, client.sendQueue, client.receiveQueue, beyond),
            "1 to 4 are possible");
      }
      assertThat(
              connection
                  .createQueuePair(
                      client.domain,
                      client.sendQueue,
                      client.receiveQueue,
                      new QueuePairCapacity(4, 4))
                  .capacity())
          .isEqualTo(new QueuePairCapacity(4, 4));
    }
    source.setFaultPlan(FaultPlan.NONE);
    assertThat(source.capabilities()).isEqualTo(whole);
  }

  private static void assertInvalid(ThrowingCallable call, String sentence) {
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(call)
        .withMessageContaining(sentence)
        .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void registration_beyondTheLimit_isRefused(boolean network) throws Exception {
    connect(network);
    int alive = 1; // the pair's own
    source.setFaultPlan(TinyDevice.regions(alive + 2));
    Endpoint client = pair.client();
    MemoryRegion first = client.domain.register(client.memory, Endpoint.ALL);
    MemoryRegion second = client.domain.register(client.memory, Endpoint.ALL);
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(() -> client.domain.register(client.memory, Endpoint.ALL))
        .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
    first.close();
    MemoryRegion third = client.domain.register(client.memory, Endpoint.ALL);
    second.close();
    third.close();
  }
}
