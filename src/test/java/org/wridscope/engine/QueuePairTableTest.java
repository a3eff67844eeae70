// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.wridscope.Slow;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftFabric;

/** Which handlers get a queue pair's asynchronous events, and which no longer do. */
@Slow("threads that race in real time, many times over")
class QueuePairTableTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final AsyncEventHandler NOBODY = (type, number) -> {};

  private final QueuePairTable table = new QueuePairTable();

  @Test
  void hold_findsWhatWasEntered_untilItIsRemoved() {
    QueuePairTable.Entry entry = table.enter(7, NOBODY);
    assertThat(table.hold(7, AsyncEventType.QP_FATAL)).isSameAs(entry);
    assertThat(table.hold(8, AsyncEventType.QP_FATAL)).isNull();
    table.release(entry);
    assertThat(table.remove(entry, Duration.ZERO)).isTrue();
    assertThat(table.hold(7, AsyncEventType.QP_FATAL)).isNull();
    assertThat(table.holdAll()).isEmpty();
  }

  @Test
  void enter_withANumberThatIsThere_isAMistake() {
    table.enter(7, NOBODY);
    assertThatIllegalStateException().isThrownBy(() -> table.enter(7, NOBODY));
  }

  @Test
  void remove_takesItOutAtOnce_andWaitsForThoseWhoHoldIt() throws Exception {
    QueuePairTable.Entry entry = table.enter(7, NOBODY);
    assertThat(table.hold(7, AsyncEventType.QP_FATAL)).isSameAs(entry);
    assertThat(table.holdAll()).containsExactly(entry);
    assertThat(table.remove(entry, Duration.ofMillis(1))).isFalse();
    assertThat(table.hold(7, AsyncEventType.QP_FATAL)).isNull();

    var removed = CompletableFuture.supplyAsync(() -> table.remove(entry, PATIENCE));
    table.release(entry);
    assertThat(removed).isNotDone();
    table.release(entry);
    assertThat(removed).succeedsWithin(PATIENCE).isEqualTo(true);
  }

  @Test
  void remove_leavesTheNextOwnerOfTheNumberAlone() {
    QueuePairTable.Entry first = table.enter(7, NOBODY);
    assertThat(table.remove(first, Duration.ZERO)).isTrue();
    QueuePairTable.Entry second = table.enter(7, NOBODY);
    assertThat(table.remove(first, Duration.ZERO)).isTrue();
    assertThat(table.hold(7, AsyncEventType.QP_FATAL)).isSameAs(second);
  }

  /** Keeps what it hears. */
  private static final class Listener implements AsyncEventHandler {
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Override
    public void happened(AsyncEventType type, int queuePairNumber) {
      heard.add(type + " " + queuePairNumber);
    }
  }

  @Test
  void enter_deliversWhatCameSinceTheQueuePairWasExpected_inOrder() {
    var listener = new Listener();
    assertThat(table.hold(7, AsyncEventType.SM_CHANGE)).as("nobody expects it").isNull();
    table.expect();
    assertThat(table.hold(7, AsyncEventType.COMM_EST)).isNull();
    assertThat(table.hold(8, AsyncEventType.QP_REQ_ERR)).as("of another one").isNull();
    assertThat(table.hold(7, AsyncEventType.QP_FATAL)).isNull();
    QueuePairTable.Entry entry = table.enter(7, listener);
    assertThat(listener.heard).containsExactly("COMM_EST 7", "QP_FATAL 7");
    table.expectNoMore();

    table.expect();
    var other = new Listener();
    table.enter(8, other);
    assertThat(other.heard).as("nobody was being created any more").isEmpty();
    assertThat(table.hold(7, AsyncEventType.QP_FATAL)).isSameAs(entry);
  }

  /** The number is free only after the queue pair was destroyed. */
  @Test
  void eventsOfAQueuePairThatIsLeaving_areNotForTheNextOwnerOfItsNumber() {
    QueuePairTable.Entry first = table.enter(7, NOBODY);
    table.expect();
    assertThat(table.remove(first, Duration.ZERO)).isTrue();
    assertThat(table.hold(7, AsyncEventType.QP_FATAL)).isNull();
    table.destroyed(first);
    assertThat(table.hold(7, AsyncEventType.COMM_EST)).as("of the next owner").isNull();
    var listener = new Listener();
    table.enter(7, listener);
    assertThat(listener.heard).containsExactly("COMM_EST 7");
  }

  @Test
  void earlyEvents_areLimited() {
    table.expect();
    for (int i = 0; i < QueuePairTable.MOST_EARLY + 5; i++) {
      assertThat(table.hold(7, AsyncEventType.COMM_EST)).isNull();
    }
    var listener = new Listener();
    table.enter(7, listener);
    assertThat(listener.heard).hasSize(QueuePairTable.MOST_EARLY);
  }

  /** Like an RC queue pair of mana: a number and four ids of work queues. */
  @Test
  void queuePairWithFiveIds_isFoundUnderEach_andLeavesUnderAll() {
    QueuePairTable.Entry entry = table.enter(7, List.of(8, 9, 10, 11), NOBODY);
    for (int id = 7; id <= 11; id++) {
      assertThat(table.hold(id, AsyncEventType.QP_FATAL)).isSameAs(entry);
    }
    assertThat(table.holdAll()).as("once").containsExactly(entry);
    assertThat(table.references(entry)).isEqualTo(6);
    assertThatIllegalStateException()
        .isThrownBy(() -> table.enter(12, List.of(10), NOBODY))
        .withMessageContaining("10");
    assertThat(table.hold(12, AsyncEventType.QP_FATAL)).as("refused as a whole").isNull();
    assertThat(table.withdraw(entry)).isEqualTo(6);
    for (int id = 7; id <= 11; id++) {
      assertThat(table.hold(id, AsyncEventType.QP_FATAL)).isNull();
    }
    for (int i = 0; i < 6; i++) {
      assertThat(table.remove(entry, Duration.ZERO)).isFalse();
      table.release(entry);
    }
    assertThat(table.remove(entry, Duration.ZERO)).isTrue();
  }

  private static AsyncEventReader.Registration register(
      RdmaDevice device, QueuePair queuePair, AsyncEventHandler handler) {
    AsyncEventReader.Registration registration = AsyncEventReader.open(device, handler);
    registration.enter(queuePair);
    return registration;
  }

  /** What queue pairs of one device need, and where they would connect to. */
  private static final class Shared implements AutoCloseable {
    final SoftDevice device = new SoftFabric().open("table-test");
    final ConnectionListener listener;
    final ProtectionDomain domain;
    final CompletionChannel channel;
    final CompletionQueue queue;

    Shared() throws IOException {
      listener = device.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
      domain = device.allocateProtectionDomain();
      channel = device.createCompletionChannel();
      queue = device.createCompletionQueue(1, channel);
    }

    Connection resolve() throws IOException, InterruptedException {
      return device.resolve(listener.localAddress(), PATIENCE);
    }

    QueuePair createQueuePair(Connection connection) throws IOException {
      return connection.createQueuePair(domain, queue, queue, new QueuePairCapacity(1, 1));
    }

    @Override
    public void close() throws IOException {
      queue.close();
      channel.close();
      domain.close();
      listener.close();
      device.close();
    }
  }

  @Test
  void close_waitsForAHandler_andTheNumberStaysTaken() throws Exception {
    try (var shared = new Shared()) {
      var entered = new CountDownLatch(1);
      var leave = new CountDownLatch(1);
      Connection connection = shared.resolve();
      QueuePair queuePair = shared.createQueuePair(connection);
      AsyncEventReader.Registration registration =
          register(
              shared.device,
              queuePair,
              (type, number) -> {
                entered.countDown();
                try {
                  leave.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      shared.device.failQueuePair(queuePair.number());
      entered.await();
      var closed =
          CompletableFuture.runAsync(() -> {
            try {
              registration.close();
              connection.close();
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          });
      try (Connection other = shared.resolve()) {
        assertThat(shared.createQueuePair(other).number()).isNotEqualTo(queuePair.number());
        assertThat(closed).isNotDone();
        leave.countDown();
        assertThat(closed).succeedsWithin(PATIENCE);
      }
      try (Connection next = shared.resolve()) {
        assertThat(shared.createQueuePair(next).number()).isEqualTo(queuePair.number());
      }
    }
  }

  /** The events that each owner of a queue pair got. */
  private static final class Owner implements AsyncEventHandler {
    private final AtomicInteger events = new AtomicInteger();
    private final Semaphore heard = new Semaphore(0);
    private volatile int number;
    private volatile long name;
    private volatile boolean gone;
    private volatile boolean wronged;

    @Override
    public void happened(AsyncEventType type, int queuePairNumber) {
      wronged |= gone || queuePairNumber != number || type != AsyncEventType.QP_FATAL;
      events.incrementAndGet();
      heard.release();
    }

    /** The next event belongs to the owner with this name. */
    void meant(long owner) {
      wronged |= owner != name;
    }
  }

  /**
   * A device that reuses the number of a queue pair as soon as it is free, for which it waits until
   * the events with this number have been acknowledged.
   */
  private static final class Numbers {
    private final long[] owners;
    private final int[] taken;

    Numbers(int count) {
      owners = new long[count];
      taken = new int[count];
    }

    synchronized int create(long owner) {
      int number = 0;
      while (owners[number] != 0) {
        number++;
      }
      owners[number] = owner;
      return number;
    }

    /** An event of a queue pair is handled by a thread; 0 if there is no queue pair. */
    synchronized long takeEvent(int number) {
      if (owners[number] != 0) {
        taken[number]++;
      }
      return owners[number];
    }

    synchronized void acknowledge(int number) {
      taken[number]--;
    }

    synchronized boolean destroy(int number) {
      if (taken[number] > 0) {
        return false;
      }
      owners[number] = 0;
      return true;
    }
  }

  /** Four threads create and destroy queue pairs, while two others handle events of them. */
  @Test
  void aHundredThousandQueuePairs_hearOfNobodyElse() throws Exception {
    int creators = 4;
    int cycles = 25_000;
    var numbers = new Numbers(creators);
    var names = new AtomicLong();
    var heard = new LongAdder();
    var working = new AtomicInteger(creators);
    try (var pool = Executors.newFixedThreadPool(creators + 2)) {
      var tasks = new ArrayList<Callable<Void>>();
      for (int i = 0; i < creators; i++) {
        tasks.add(() -> {
          try {
            for (int cycle = 0; cycle < cycles; cycle++) {
              createAndDestroy(numbers, names.incrementAndGet(), heard);
            }
          } finally {
            working.decrementAndGet();
          }
          return null;
        });
      }
      for (int i = 0; i < 2; i++) {
        tasks.add(() -> {
          for (int number = 0; working.get() > 0; number = (number + 1) % creators) {
            hear(numbers, number);
          }
          return null;
        });
      }
      for (Future<Void> result : pool.invokeAll(tasks)) {
        result.get();
      }
    }
    assertThat(names.get()).isEqualTo((long) creators * cycles);
    assertThat(heard.sum()).isPositive();
  }

  private void createAndDestroy(Numbers numbers, long name, LongAdder heard) {
    var owner = new Owner();
    owner.name = name;
    int number = numbers.create(name);
    owner.number = number;
    QueuePairTable.Entry entry = table.enter(number, owner);
    if (name % 16 == 0) {
      Thread.yield();
    }
    assertThat(table.remove(entry, PATIENCE)).isTrue();
    owner.gone = true;
    while (!numbers.destroy(number)) {
      Thread.yield();
    }
    assertThat(owner.wronged).isFalse();
    heard.add(owner.events.get());
  }

  private void hear(Numbers numbers, int number) {
    long name = numbers.takeEvent(number);
    if (name == 0) {
      return;
    }
    QueuePairTable.Entry entry = table.hold(number, AsyncEventType.QP_FATAL);
    if (entry != null) {
      ((Owner) entry.handler()).meant(name);
      entry.handler().happened(AsyncEventType.QP_FATAL, number);
      table.release(entry);
    }
    numbers.acknowledge(number);
  }

  /**
   * The same with a device and the thread that reads its events. One third of the queue pairs fail
   * and wait for the event, one third fail and are destroyed at once, and the others must not get
   * an event.
   */
  @Test
  void aHundredThousandQueuePairsOfADevice_hearOfNobodyElse() throws Exception {
    int threads = 4;
    int cycles = 100_000 / threads;
    var heard = new LongAdder();
    try (var shared = new Shared();
        Connection anchor = shared.resolve();
        // Keeps the thread that reads events alive.
        var _ = register(shared.device, shared.createQueuePair(anchor), NOBODY);
        var pool = Executors.newFixedThreadPool(threads)) {
      var tasks = new ArrayList<Callable<Integer>>();
      for (int i = 0; i < threads; i++) {
        tasks.add(() -> churn(shared, cycles, heard));
      }
      int highest = 0;
      List<Future<Integer>> results = pool.invokeAll(tasks);
      for (Future<Integer> result : results) {
        highest = Math.max(highest, Objects.requireNonNull(result.get()));
      }
      // Each thread has one at a time, and the anchor has one.
      assertThat(highest).as("the highest number that was given").isLessThan(2 + 1 + threads);
      assertThat(heard.sum()).isGreaterThanOrEqualTo((long) threads * cycles / 3);
    }
  }

  private static int churn(Shared shared, int cycles, LongAdder heard) throws Exception {
    int highest = 0;
    for (int i = 0; i < cycles; i++) {
      var owner = new Owner();
      try (Connection connection = shared.resolve()) {
        QueuePair queuePair = shared.createQueuePair(connection);
        int number = queuePair.number();
        highest = Math.max(highest, number);
        owner.number = number;
        try (var _ = register(shared.device, queuePair, owner)) {
          if (i % 3 != 2) {
            shared.device.failQueuePair(number);
          }
          if (i % 3 == 0) {
            assertThat(owner.heard.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)).isTrue();
          }
        }
        owner.gone = true;
      }
      int events = owner.events.get();
      assertThat(owner.wronged).as("cycle %d", i).isFalse();
      switch (i % 3) {
        case 0 -> assertThat(events).as("cycle %d", i).isEqualTo(1);
        case 1 -> assertThat(events).as("cycle %d", i).isLessThanOrEqualTo(1);
        default -> assertThat(events).as("cycle %d", i).isZero();
      }
      heard.add(events);
    }
    return highest;
  }
}
