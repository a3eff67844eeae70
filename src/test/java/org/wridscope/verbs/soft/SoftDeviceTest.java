// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_PROT_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_ACCESS_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_OP_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.RETRY_EXC_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;
import static org.wridscope.verbs.WorkCompletionStatus.WR_FLUSH_ERR;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.TimeLimit;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/** The software device beyond the contracts of the verbs. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SoftDeviceTest {
  private final SoftFabric fabric = new SoftFabric();
  private final SoftDevice source = fabric.open("test-source");
  private final SoftDevice destination = fabric.open("test-destination");
  private @Nullable SoftPair pair;

  @TempDir Path directory;

  private SoftPair pair() {
    return Objects.requireNonNull(pair);
  }

  @BeforeEach
  void connect() throws Exception {
    pair = SoftPair.connect(source, destination);
  }

  /** Checks that no object, no port and no thread is left. */
  @AfterEach
  void closeAll() throws Exception {
    pair().close();
    assertThat(fabric.portsInUse()).as("ports in use").isZero();
    source.close();
    destination.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("test-"));
  }

  private static void assertCompletion(
      WorkCompletion completion, long workRequestId, WorkCompletionStatus status) {
    assertThat(completion.workRequestId()).as("work request id").isEqualTo(workRequestId);
    assertThat(completion.status()).as("status of %d", workRequestId).isEqualTo(status);
  }

  private static ConnectionEvent.Type event(Connection connection) throws Exception {
    return Objects.requireNonNull(connection.nextEvent(Endpoint.PATIENCE), "no event").type();
  }

  private static AsyncEvent event(SoftDevice device) throws Exception {
    return Objects.requireNonNull(device.nextAsyncEvent(Endpoint.PATIENCE), "no event");
  }

  private static void assertErrno(Errno errno, ThrowingCallable call) {
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
  }

  @Test
  void plan_failsTheRequestWithTheOrdinal_andTheRestIsFlushed() throws Exception {
    source.setFaultPlan(FaultPlan.at(3, new Fault.Fail(REM_OP_ERR, 0x77)));
    for (int i = 0; i < 6; i++) {
      pair().client().write(i, i * 8L, 8, pair().server());
    }
    for (int i = 0; i < 3; i++) {
      assertCompletion(pair().client().sent(), i, SUCCESS);
    }
    WorkCompletion failed = pair().client().sent();
    assertCompletion(failed, 3, REM_OP_ERR);
    assertThat(failed.vendorError()).isEqualTo(0x77);
    assertCompletion(pair().client().sent(), 4, WR_FLUSH_ERR);
    assertCompletion(pair().client().sent(), 5, WR_FLUSH_ERR);
  }

  @Test
  void idleQueuePair_isFailedAndDestroyed_whateverTheDeviceIsBusyWith() throws Exception {
    var busy = new CountDownLatch(1);
    var leave = new CountDownLatch(1);
    try (SoftPair idle = SoftPair.connect(source, destination)) {
      source.setFaultPlan((queuePair, ordinal, opcode, workRequestId) -> {
        busy.countDown();
        try {
          leave.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        return Fault.PROCEED;
      });
      pair().client().write(1, 0, 8, pair().server());
      busy.await();
      source.failQueuePair(idle.client().queuePair.number());
      idle.client().connection.close();
      assertThat(idle.client().queuePair.state()).isEqualTo(QueuePairState.RESET);
    } finally {
      leave.countDown();
    }
    assertCompletion(pair().client().sent(), 1, SUCCESS);
  }

  @Test
  void plan_isAskedOncePerRequest_withWhatWasPosted() throws Exception {
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    int number = pair().client().queuePair.number();
    source.setFaultPlan((queuePair, ordinal, opcode, workRequestId) -> {
      asked.add("%b %d %s %d".formatted(queuePair == number, ordinal, opcode, workRequestId));
      return Fault.PROCEED;
    });
    pair().client().send(70, 0, 8); // is repeated until there is a receive
    pair().client().write(71, 0, 8, pair().server());
    new TimeLimit().await("the device", () -> !asked.isEmpty());
    pair().server().receive(1, 0, 8);
    assertCompletion(pair().client().sent(), 70, SUCCESS);
    assertCompletion(pair().client().sent(), 71, SUCCESS);
    assertThat(asked).containsExactly("true 0 SEND 70", "true 1 RDMA_WRITE 71");
  }

  @Test
  void plan_cutsTheConnection_andBothEndsHearOfIt() throws Exception {
    source.setFaultPlan(FaultPlan.at(1, Fault.CUT));
    pair().server().receive(50, 0, 8);
    for (int i = 0; i < 4; i++) {
      pair().client().write(i, 0, 8, pair().server());
    }
    assertCompletion(pair().client().sent(), 0, SUCCESS);
    assertCompletion(pair().client().sent(), 1, RETRY_EXC_ERR);
    assertCompletion(pair().client().sent(), 2, WR_FLUSH_ERR);
    assertCompletion(pair().client().sent(), 3, WR_FLUSH_ERR);
    assertThat(event(pair().client().connection)).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
    assertThat(event(pair().server().connection)).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
    assertThat(pair().server().queuePair.state()).isEqualTo(QueuePairState.RTS);
    pair().server().send(5, 0, 8);
    assertCompletion(pair().server().sent(), 5, RETRY_EXC_ERR);
    assertCompletion(pair().server().received(), 50, WR_FLUSH_ERR);
  }

  @Test
  void plan_delaysARequest_andThoseBehindIt_butNoOtherQueuePair() throws Exception {
    try (SoftPair other = SoftPair.connect(source, destination)) {
      int number = pair().client().queuePair.number();
      source.setFaultPlan((queuePair, ordinal, opcode, workRequestId) ->
          queuePair == number && ordinal == 0
              ? new Fault.Delay(TimeUnit.HOURS.toNanos(1))
              : Fault.PROCEED);
      pair().client().write(1, 0, 8, pair().server());
      pair().client().write(2, 0, 8, pair().server());
      for (int i = 0; i < 100; i++) {
        other.client().write(i, 0, 8, other.server());
        assertCompletion(other.client().sent(), i, SUCCESS);
      }
      assertThat(pair().client().sendQueue.poll(WorkCompletion.array(1))).isZero();
      pair().client().connection.disconnect();
      assertCompletion(pair().client().sent(), 1, WR_FLUSH_ERR);
      assertCompletion(pair().client().sent(), 2, WR_FLUSH_ERR);
    }
  }

  @Test
  void delayedRequest_isExecutedInTheEnd_inItsPlace() throws Exception {
    source.setFaultPlan(FaultPlan.at(1, new Fault.Delay(TimeUnit.MILLISECONDS.toNanos(5))));
    for (int i = 0; i < 4; i++) {
      pair().client().write(i, 0, 8, pair().server());
    }
    for (int i = 0; i < 4; i++) {
      assertCompletion(pair().client().sent(), i, SUCCESS);
    }
  }

  private static final long LATE = TimeUnit.SECONDS.toNanos(1);

  /** Only the first request is delayed; later ones wait for it but are not delayed further. */
  @Test
  void lateAcknowledgement_letsTheAnswerComeFirst_andKeepsTheOrder() throws Exception {
    Endpoint client = pair().client();
    Endpoint server = pair().server();
    source.setFaultPlan(FaultPlan.at(0, new Fault.HoldCompletion(LATE, false)));
    client.receive(10, 0, 8);
    server.receive(20, 0, 8);
    server.receive(21, 0, 8);
    long begin = System.nanoTime();
    client.send(1, 64, 8);
    client.write(2, 128, 8, server);
    client.send(3, 64, 8);
    assertCompletion(server.received(), 20, SUCCESS);
    assertCompletion(server.received(), 21, SUCCESS);
    server.send(4, 64, 8);
    assertCompletion(client.received(), 10, SUCCESS);
    // Nothing completes before the acknowledgement.
    WorkCompletion first = client.sent();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(LATE);
    assertCompletion(first, 1, SUCCESS);
    assertCompletion(client.sent(), 2, SUCCESS);
    assertCompletion(client.sent(), 3, SUCCESS);
    client.send(5, 64, 8);
    server.receive(22, 0, 8);
    assertCompletion(client.sent(), 5, SUCCESS);
  }

  @Test
  void lateAcknowledgement_holdsItsSlot() throws Exception {
    Endpoint client = pair().client();
    source.setFaultPlan(FaultPlan.at(0, new Fault.HoldCompletion(LATE / 10, false)));
    for (int i = 0; i < 16; i++) {
      client.write(i, 0, 8, pair().server());
    }
    assertErrno(Errno.ENOMEM, () -> client.write(16, 0, 8, pair().server()));
    for (int i = 0; i < 16; i++) {
      assertCompletion(client.sent(), i, SUCCESS);
    }
    client.write(16, 0, 8, pair().server());
    assertCompletion(client.sent(), 16, SUCCESS);
  }

  @Test
  void lateAcknowledgements_ofAnyRequests_keepTheOrder() throws Exception {
    var random = new SplittableRandom(5);
    source.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) ->
        switch (random.nextInt(4)) {
          case 0 -> new Fault.HoldCompletion(random.nextInt(300_000), false);
          case 1 -> new Fault.Delay(random.nextInt(100_000));
          default -> Fault.PROCEED;
        });
    Endpoint client = pair().client();
    int posted = 0;
    for (int done = 0; done < 500; done++) {
      while (posted < done + 16 && posted < 500) {
        client.queuePair.postSend(
            client.sendRequest.rdmaWrite(
                posted,
                client.region.address(),
                8,
                client.region.localKey(),
                pair().server().region.address(),
                pair().server().region.remoteKey()));
        posted++;
      }
      assertCompletion(client.sent(), done, SUCCESS);
    }
  }

  /** An error acknowledges all earlier requests, however long they would have been held. */
  @Test
  void lateAcknowledgement_comesWithARefusal() throws Exception {
    Endpoint client = pair().client();
    source.setFaultPlan(
        FaultPlan.at(0, new Fault.HoldCompletion(Endpoint.PATIENCE.toNanos(), false)));
    client.write(1, 0, 8, pair().server());
    client.queuePair.postSend(
        client.sendRequest.rdmaWrite(
            2, client.region.address(), 8, client.region.localKey(), 0, 4711));
    client.write(3, 0, 8, pair().server());
    assertCompletion(client.sent(), 1, SUCCESS);
    assertCompletion(client.sent(), 2, REM_ACCESS_ERR);
    assertCompletion(client.sent(), 3, WR_FLUSH_ERR);
  }

  /**
   * A connection that ends holds back no completion: executed requests complete, others are
   * flushed.
   */
  @Test
  void heldCompletion_comesWhenTheConnectionEnds_andHoldsNobodyUp() throws Exception {
    Endpoint client = pair().client();
    source.setFaultPlan(
        FaultPlan.at(0, new Fault.HoldCompletion(Endpoint.PATIENCE.toNanos(), false)));
    pair().server().receive(10, 0, 8);
    client.write(1, 0, 8, pair().server());
    client.send(2, 0, 8);
    assertCompletion(pair().server().received(), 10, SUCCESS);
    client.connection.disconnect();
    client.write(3, 0, 8, pair().server());
    assertCompletion(client.sent(), 1, SUCCESS);
    assertCompletion(client.sent(), 2, SUCCESS);
    assertCompletion(client.sent(), 3, WR_FLUSH_ERR);
    client.queuePair.close();
  }

  @Test
  void queuePairThatIsFailed_raisesAnEvent_once() throws Exception {
    int number = pair().server().queuePair.number();
    destination.failQueuePair(number);
    destination.failQueuePair(number);
    destination.failQueuePair(4711);
    AsyncEvent event = event(destination);
    assertThat(event.type()).isEqualTo(AsyncEventType.QP_FATAL);
    assertThat(event.queuePairNumber()).isEqualTo(number);
    event.acknowledge();
    assertThat(destination.nextAsyncEvent(Duration.ZERO)).isNull();
    assertThat(pair().server().queuePair.state()).isEqualTo(QueuePairState.ERROR);
  }

  /** In the error state a request in progress is flushed, whatever the peer would have said. */
  @Test
  void requestInProgress_isFlushed_whenItsQueuePairIsFailed() throws Exception {
    source.setFaultPlan((queuePair, ordinal, opcode, workRequestId) -> {
      source.failQueuePair(queuePair);
      destination.failQueuePair(pair().server().queuePair.number());
      return Fault.PROCEED;
    });
    pair().client().write(1, 0, 8, pair().server());
    assertCompletion(pair().client().sent(), 1, WR_FLUSH_ERR);
  }

  @Test
  void planThatThrows_failsTheQueuePair_notTheDevice() throws Exception {
    try (SoftPair other = SoftPair.connect(source, destination)) {
      int number = pair().client().queuePair.number();
      source.setFaultPlan((queuePair, ordinal, opcode, workRequestId) -> {
        if (queuePair == number) {
          throw new IllegalStateException("a plan with a defect, thrown on purpose");
        }
        return Fault.PROCEED;
      });
      pair().client().write(1, 0, 8, pair().server());
      assertCompletion(pair().client().sent(), 1, WR_FLUSH_ERR);
      AsyncEvent event = event(source);
      assertThat(event.type()).isEqualTo(AsyncEventType.QP_FATAL);
      assertThat(event.queuePairNumber()).isEqualTo(number);
      event.acknowledge();
      other.client().write(2, 0, 8, other.server());
      assertCompletion(other.client().sent(), 2, SUCCESS);
    }
  }

  @Test
  void cut_fromOutside_letsNothingThrough() throws Exception {
    fabric.cut(pair().server().connection);
    fabric.cut(pair().server().connection);
    assertThat(event(pair().client().connection)).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
    assertThat(event(pair().server().connection)).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
    pair().client().write(1, 0, 8, pair().server());
    pair().server().write(2, 0, 8, pair().client());
    assertCompletion(pair().client().sent(), 1, RETRY_EXC_ERR);
    assertCompletion(pair().server().sent(), 2, RETRY_EXC_ERR);
    pair().client().connection.disconnect();
    assertThat(pair().server().connection.nextEvent(Duration.ofMillis(10))).isNull();
  }

  @Test
  void cutAll_cutsEveryConnectionOfTheDevice() throws Exception {
    try (SoftPair other = SoftPair.connect(destination, source)) {
      source.cutAll();
      for (Endpoint endpoint :
          List.of(pair().client(), pair().server(), other.client(), other.server())) {
        assertThat(event(endpoint.connection)).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
        endpoint.send(1, 0, 8);
        assertCompletion(endpoint.sent(), 1, RETRY_EXC_ERR);
      }
    }
  }

  @Test
  void cut_endsAnEndlessRetry() throws Exception {
    var executed = new CountDownLatch(1);
    source.setFaultPlan((queuePair, ordinal, opcode, workRequestId) -> {
      executed.countDown();
      return Fault.PROCEED;
    });
    pair().client().send(1, 0, 8);
    executed.await();
    fabric.cut(pair().client().connection);
    assertCompletion(pair().client().sent(), 1, RETRY_EXC_ERR);
  }

  @Test
  void fail_endsEverythingOnTheDevice_andReachesThePeers() throws Exception {
    Endpoint client = pair().client();
    Endpoint server = pair().server();
    ConnectionListener listener = destination.listen(SoftPair.ANYWHERE, 1);
    server.receive(10, 0, 8);
    destination.fail();
    destination.fail();

    AsyncEvent fatal = event(destination);
    assertThat(fatal.type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
    fatal.acknowledge();
    assertThat(destination.nextAsyncEvent(Duration.ZERO)).isNull();
    assertThat(event(server.connection)).isEqualTo(ConnectionEvent.Type.DEVICE_REMOVAL);
    assertCompletion(server.received(), 10, WR_FLUSH_ERR);
    assertThat(server.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(event(client.connection)).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
    client.write(1, 0, 8, server);
    assertCompletion(client.sent(), 1, RETRY_EXC_ERR);
    assertErrno(Errno.EIO, destination::createCompletionChannel);
    assertErrno(Errno.EIO, () -> server.domain.register(server.memory, Endpoint.ALL));
    assertErrno(Errno.ENODEV, () -> listener.nextRequest(Endpoint.PATIENCE));
    listener.close();
  }

  @Test
  void fail_endsAConnectThatIsUnderWay() throws Exception {
    try (ConnectionListener listener = destination.listen(SoftPair.ANYWHERE, 1);
        Connection connection = source.resolve(listener.localAddress(), Endpoint.PATIENCE)) {
      connection.createQueuePair(
          pair().client().domain,
          pair().client().sendQueue,
          pair().client().receiveQueue,
          pair().client().queuePair.capacity());
      CompletableFuture<byte[]> answer = SoftPair.connectInBackground(connection);
      ConnectionRequest request = Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE));
      source.fail();
      assertThat(answer)
          .failsWithin(Endpoint.PATIENCE)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(VerbsException.class);
      request.connection().close();
    }
  }

  @Test
  void queuePairNumbers_areUsedAgainAtOnce_lowestFirst() throws Exception {
    int number = pair().client().queuePair.number();
    SoftPair second = SoftPair.connect(source, destination);
    assertThat(second.client().queuePair.number()).isEqualTo(number + 1);
    pair().close();
    try (SoftPair third = SoftPair.connect(source, destination)) {
      assertThat(third.client().queuePair.number()).isEqualTo(number);
    }
    second.close();
  }

  @Test
  void accessViolation_raisesAnEventAtTheResponder_whichHoldsItsQueuePair() throws Exception {
    Endpoint client = pair().client();
    Endpoint server = pair().server();
    client.queuePair.postSend(
        client.sendRequest.rdmaWrite(
            1, client.region.address(), 8, client.region.localKey(), 0, 4711));
    assertCompletion(client.sent(), 1, REM_ACCESS_ERR);
    AsyncEvent event = event(destination);
    assertThat(event.type()).isEqualTo(AsyncEventType.QP_ACCESS_ERR);
    assertThat(event.queuePairNumber()).isEqualTo(server.queuePair.number());
    Thread closing =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                server.queuePair.close();
              } catch (VerbsException e) {
                throw new IllegalStateException(e);
              }
            });
    new TimeLimit().await("the device", () -> closing.getState() == Thread.State.TIMED_WAITING);
    assertThat(server.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    event.acknowledge();
    assertThat(closing.join(Endpoint.PATIENCE)).isTrue();
    assertThat(server.queuePair.state()).isEqualTo(QueuePairState.RESET);
  }

  @Test
  void eventThatNobodyTook_goesWithItsQueuePair() throws Exception {
    Endpoint client = pair().client();
    client.queuePair.postSend(
        client.sendRequest.rdmaWrite(
            1, client.region.address(), 8, client.region.localKey(), 0, 4711));
    assertCompletion(client.sent(), 1, REM_ACCESS_ERR);
    pair().server().queuePair.close();
    assertThat(destination.nextAsyncEvent(Duration.ZERO)).isNull();
  }

  @SuppressWarnings("AddressSelection") // whichever address a name stands for is meant
  private static InetSocketAddress at(String host) {
    return new InetSocketAddress(host, 7000);
  }

  @Test
  void allNamesOfThisMachine_areTheSamePlace() throws Exception {
    try (ConnectionListener listener = destination.listen(at("127.0.0.1"), 1)) {
      assertErrno(Errno.EADDRINUSE, () -> source.listen(at("localhost"), 1));
      assertErrno(Errno.EADDRINUSE, () -> source.listen(new InetSocketAddress(7000), 1));
      Connection connection = source.resolve(at("::1"), Endpoint.PATIENCE);
      try (var client =
          new Endpoint(source, connection, pair().client().queuePair.capacity(), 64)) {
        CompletableFuture<byte[]> answer = SoftPair.connectInBackground(client.connection);
        Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE)).reject(new byte[0]);
        assertThat(answer).failsWithin(Endpoint.PATIENCE);
      }
    }
  }

  @Test
  void portsOfAnotherFabric_areOthers() throws Exception {
    var elsewhere = new SoftFabric();
    try (SoftDevice device = elsewhere.open("test-elsewhere");
        ConnectionListener one = destination.listen(at("localhost"), 1);
        ConnectionListener two = device.listen(at("localhost"), 1)) {
      assertThat(one.localAddress().getPort()).isEqualTo(two.localAddress().getPort());
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> elsewhere.cut(pair().client().connection));
    }
  }

  /** A slot becomes free when the completion is polled, not when the request is executed. */
  @Test
  void sendQueue_isFull_untilCompletionsArePolled() throws Exception {
    Endpoint client = pair().client();
    pair().server().receive(1, 0, 8);
    for (int i = 0; i < 15; i++) {
      client.write(i, 0, 8, pair().server());
    }
    client.send(15, 0, 8);
    assertCompletion(pair().server().received(), 1, SUCCESS); // so all were executed
    assertErrno(Errno.ENOMEM, () -> client.write(16, 0, 8, pair().server()));
    assertCompletion(client.sent(), 0, SUCCESS);
    client.write(16, 0, 8, pair().server());
    assertErrno(Errno.ENOMEM, () -> client.write(17, 0, 8, pair().server()));
  }

  @Test
  void keys_ofAnIndexThatIsUsedAgain_differ_andLocalKeysAreNoRemoteKeys() throws Exception {
    Endpoint client = pair().client();
    Set<Integer> keys = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      try (MemoryRegion region = client.domain.register(client.memory, Endpoint.ALL)) {
        assertThat(keys.add(region.localKey())).as("local key of region %d", i).isTrue();
        assertThat(keys.add(region.remoteKey())).as("remote key of region %d", i).isTrue();
      }
    }
    client.queuePair.postSend(
        client.sendRequest.rdmaWrite(
            1,
            client.region.address(),
            8,
            client.region.localKey(),
            pair().server().region.address(),
            pair().server().region.localKey()));
    assertCompletion(client.sent(), 1, REM_ACCESS_ERR);
  }

  @Test
  void regionsBeyondTwoGigabytes_areWrittenAnywhere() throws Exception {
    long size = (3L << 30) + 4096;
    Path file = directory.resolve("ram");
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.SPARSE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment ram = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
      Endpoint client = pair().client();
      client.memory.fill((byte) 0x5a);
      try (MemoryRegion region = pair().server().domain.register(ram, Endpoint.ALL)) {
        assertThat(region.length()).isEqualTo(size);
        long[] offsets = {
          0, (1L << 31) - 4096, (1L << 31) + 12345, size - Endpoint.MEMORY,
        };
        for (long offset : offsets) {
          client.queuePair.postSend(
              client.sendRequest.rdmaWrite(
                  offset,
                  client.region.address(),
                  Endpoint.MEMORY,
                  client.region.localKey(),
                  region.address() + offset,
                  region.remoteKey()));
          assertCompletion(client.sent(), offset, SUCCESS);
          assertThat(ram.asSlice(offset, Endpoint.MEMORY).mismatch(client.memory)).isEqualTo(-1);
        }
        client.queuePair.postSend(
            client.sendRequest.rdmaWrite(
                1,
                client.region.address(),
                4096,
                client.region.localKey(),
                region.address() + size - 4095,
                region.remoteKey()));
        assertCompletion(client.sent(), 1, REM_ACCESS_ERR);
        assertThat(ram.get(ValueLayout.JAVA_BYTE, (1L << 30) + 1)).isZero();
      }
    }
  }

  @Test
  void memoryOfAConfinedArena_canBeRegistered() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      memory.setString(0, "confined");
      Endpoint client = pair().client();
      pair().server().receive(1, 0, 64);
      try (MemoryRegion region = client.domain.register(memory, Set.of())) {
        client.queuePair.postSend(
            client.sendRequest.send(2, region.address(), 16, region.localKey()));
        assertCompletion(client.sent(), 2, SUCCESS);
      }
      assertThat(pair().server().memory.getString(0)).isEqualTo("confined");
    }
  }

  @Test
  void readOnlyMemory_isNotRegisteredForWriting() {
    assertErrno(
        Errno.EACCES,
        () -> pair().client().domain.register(pair().client().memory.asReadOnly(), Endpoint.ALL));
  }

  /** Freeing registered memory, which callers must not do, causes an error and not a crash. */
  @Test
  void memoryThatWasFreedWhileRegistered_isAProtectionError() throws Exception {
    Endpoint client = pair().client();
    Arena arena = Arena.ofShared();
    MemoryRegion region = client.domain.register(arena.allocate(4096), Endpoint.ALL);
    arena.close();
    client.queuePair.postSend(
        client.sendRequest.rdmaWrite(
            1,
            region.address(),
            64,
            region.localKey(),
            pair().server().region.address(),
            pair().server().region.remoteKey()));
    assertCompletion(client.sent(), 1, LOC_PROT_ERR);
    assertThat(pair().server().queuePair.state()).isEqualTo(QueuePairState.RTS);
    region.close();
  }

  /** The path of a write: post, device, poll. */
  @Test
  void steadyState_allocatesNothing() throws Exception {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long poster = Thread.currentThread().threadId();
    long device = source.processor().thread().threadId();
    WorkCompletion[] completions = WorkCompletion.array(8);
    var request = new SendRequest();
    writeMany(request, completions, 50_000);
    long before = threads.getThreadAllocatedBytes(poster);
    long deviceBefore = threads.getThreadAllocatedBytes(device);
    writeMany(request, completions, 50_000);
    // Less than a byte each, since measuring allocates a little.
    assertThat(threads.getThreadAllocatedBytes(device) - deviceBefore).isLessThan(50_000);
    assertThat(threads.getThreadAllocatedBytes(poster) - before).isLessThan(50_000);
  }

  private void writeMany(SendRequest request, WorkCompletion[] completions, int count)
      throws VerbsException {
    Endpoint client = pair().client();
    Endpoint server = pair().server();
    int posted = 0;
    int done = 0;
    while (done < count) {
      if (posted < count && posted - done < 16) {
        client.queuePair.postSend(
            request.rdmaWrite(
                posted++,
                client.region.address(),
                512,
                client.region.localKey(),
                server.region.address(),
                server.region.remoteKey()));
      } else {
        int taken = client.sendQueue.poll(completions);
        for (int i = 0; i < taken; i++) {
          if (completions[i].status() != SUCCESS) {
            throw new IllegalStateException("completed with " + completions[i].status());
          }
        }
        done += taken;
        if (taken == 0) {
          Thread.yield();
        }
      }
    }
  }
}
