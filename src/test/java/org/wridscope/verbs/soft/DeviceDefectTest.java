// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.common.Uninterrupted;

/** Defects of the software device itself: its thread survives, and waiting threads are notified. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DeviceDefectTest {
  private static final Duration SHORT = Duration.ofMillis(50);

  /** The sending half of a queue pair that fails in every call of the device's thread. */
  private static class Defective extends Requester {
    final AtomicInteger calls = new AtomicInteger();

    Defective(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
      super(owner, queue, completions);
    }

    IllegalStateException defect() {
      calls.incrementAndGet();
      return new IllegalStateException("a defect of the test");
    }

    @Override
    DeviceThread.Turn step() {
      throw defect();
    }

    @Override
    void flush() {
      throw defect();
    }

    @Override
    boolean hasWork() {
      return true;
    }

    @Override
    boolean isIdleBetweenTurns() {
      return false;
    }

    @Override
    void abandon() {
      throw defect();
    }
  }

  /** A sending half that does not return from its turn before it is released. */
  private static final class Stuck extends Defective {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);

    Stuck(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
      super(owner, queue, completions);
    }

    @Override
    DeviceThread.Turn step() {
      begun.countDown();
      Uninterrupted.await(free, Endpoint.PATIENCE);
      return DeviceThread.Turn.IDLE;
    }

    @Override
    void abandon() {}
  }

  private interface Half {
    Requester make(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions);
  }

  /** Creates another queue pair on an end's device, ready to send. */
  private static SoftQueuePair queuePair(SoftDevice device, Endpoint end, Half half)
      throws VerbsException {
    var halves =
        new QueuePairHalves() {
          @Override
          public Requester requester(
              SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
            return half.make(owner, queue, completions);
          }

          @Override
          public Responder responder(
              SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
            return new LocalResponder(owner, queue, completions);
          }
        };
    SoftQueuePair made =
        device.createQueuePair(
            halves, end.domain, end.sendQueue, end.receiveQueue, new QueuePairCapacity(4, 4));
    assertThat(made.connect(7)).isTrue();
    return made;
  }

  private static AsyncEvent event(SoftDevice device) throws Exception {
    return Objects.requireNonNull(device.nextAsyncEvent(Endpoint.PATIENCE), "no event");
  }

  private interface Action {
    void run(SoftDevice device, SoftPair pair) throws Exception;
  }

  private static void withFabric(Action action) throws Exception {
    var fabric = new SoftFabric();
    try (SoftDevice from = fabric.open("defect-from");
        SoftDevice to = fabric.open("defect-to");
        SoftPair pair = SoftPair.connect(from, to)) {
      action.run(from, pair);
    }
  }

  @Test
  void queuePairThatAlwaysFails_isServedNoMore_andCanBeDestroyed() throws Exception {
    withFabric((device, pair) -> {
      var made = new Defective[1];
      SoftQueuePair broken =
          queuePair(
              device,
              pair.client(),
              (owner, queue, completions) -> made[0] = new Defective(owner, queue, completions));
      broken.postSend(new SendRequest().send(1, pair.client().region.address(), 0, 0));
      AsyncEvent event = event(device);
      assertThat(event.type()).isEqualTo(AsyncEventType.QP_FATAL);
      assertThat(event.queuePairNumber()).isEqualTo(broken.number());
      event.acknowledge();
      assertThat(broken.state()).isEqualTo(QueuePairState.ERROR);
      for (int i = 0; i < 200; i++) {
        // Each gives the device's thread a chance to serve the broken one again.
        pair.client().write(i, 0, 8, pair.server());
        assertThat(pair.client().sent().status()).isEqualTo(WorkCompletionStatus.SUCCESS);
      }
      assertThat(made[0].calls).hasValueLessThanOrEqualTo(2);
      broken.close();
      assertThat(broken.state()).isEqualTo(QueuePairState.RESET);
      pair.client().write(1, 0, 8, pair.server());
      assertThat(pair.client().sent().status()).isEqualTo(WorkCompletionStatus.SUCCESS);
    });
  }

  @Test
  void queuePairThatIsNotReleased_isReported_andCanBeDestroyedLater() throws Exception {
    withFabric((device, pair) -> {
      var made = new Stuck[1];
      SoftQueuePair stuck =
          queuePair(
              device,
              pair.client(),
              (owner, queue, completions) -> made[0] = new Stuck(owner, queue, completions));
      stuck.postSend(new SendRequest().send(1, pair.client().region.address(), 0, 0));
      assertThat(made[0].begun.await(10, TimeUnit.SECONDS)).isTrue();
      device.setPatience(SHORT);
      assertThatExceptionOfType(VerbsException.class)
          .isThrownBy(stuck::close)
          .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
          .withMessageContaining("has not released queue pair " + stuck.number());
      device.setPatience(Endpoint.PATIENCE);
      made[0].free.countDown();
      stuck.close();
    });
  }

  @Test
  void memoryThatIsNotReleased_isReported_andCanBeDeregisteredLater() throws Exception {
    withFabric((device, pair) -> {
      Endpoint end = pair.client();
      var region = (SoftMemoryRegion) end.domain.register(end.memory, Endpoint.ALL);
      assertThat(
              SoftMemoryRegion.acquire(
                  region, (SoftProtectionDomain) end.domain, region.address(), 8, 0))
          .isEqualTo(VendorError.NONE);
      device.setPatience(SHORT);
      assertThatExceptionOfType(VerbsException.class)
          .isThrownBy(region::close)
          .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
          .withMessageContaining("memory region");
      device.setPatience(Endpoint.PATIENCE);
      region.release();
      region.close();
      region.close();
    });
  }

  @Test
  void deviceThatCannotWaitForSockets_fails_andTellsEverybody() throws Exception {
    try (SoftDevice from = SoftNetwork.open("defect-from");
        SoftDevice to = SoftNetwork.open("defect-to");
        SoftPair pair = SoftPair.connect(from, to);
        ConnectionListener listener = from.listen(SoftPair.ANYWHERE, 1)) {
      pair.client().receive(7, 0, 8);
      ((NetworkThread) from.processor()).selector().close();

      AsyncEvent event = event(from);
      assertThat(event.type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
      event.acknowledge();
      assertThat(
              Objects.requireNonNull(pair.client().connection.nextEvent(Endpoint.PATIENCE)).type())
          .isEqualTo(ConnectionEvent.Type.DEVICE_REMOVAL);
      assertThat(pair.client().received().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
      assertThat(
              Objects.requireNonNull(pair.server().connection.nextEvent(Endpoint.PATIENCE)).type())
          .isEqualTo(ConnectionEvent.Type.DISCONNECTED);
      assertThatExceptionOfType(VerbsException.class)
          .isThrownBy(from::allocateProtectionDomain)
          .withMessageContaining("failed (the selector failed: ");
      assertThatExceptionOfType(VerbsException.class)
          .isThrownBy(() -> listener.nextRequest(Endpoint.PATIENCE))
          .withMessageContaining("the device failed");
      assertThat(from.processor().thread().isAlive()).isTrue();
    }
  }

  /** Without a limit for silence the check of a connection's time limits fails. */
  @Test
  @SuppressWarnings("NullAway")
  void linkThatFailsAtATick_isCut_andTheDeviceGoesOn() throws Exception {
    NetworkLimits limits = NetworkLimits.DEFAULT;
    var defective =
        new NetworkLimits(
            limits.greeting(), limits.keepalive(), null, limits.linger(), limits.pendingPeers());
    try (SoftDevice from = SoftNetwork.open("defect-from", defective);
        SoftDevice to = SoftNetwork.open("defect-to")) {
      for (int i = 0; i < 2; i++) {
        try (SoftPair pair = SoftPair.connect(from, to)) {
          AsyncEvent event = event(from);
          assertThat(event.type()).isEqualTo(AsyncEventType.QP_FATAL);
          event.acknowledge();
          assertThat(
                  Objects.requireNonNull(pair.server().connection.nextEvent(Endpoint.PATIENCE))
                      .type())
              .isEqualTo(ConnectionEvent.Type.DISCONNECTED);
        }
      }
    }
  }
}
