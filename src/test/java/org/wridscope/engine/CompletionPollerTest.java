// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.NativeMemory;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.SendRequest;

/** Completions and waits over a software device. */
class CompletionPollerTest {
  private static final Wait ANSWER = new Wait(Wait.Kind.ANY_MESSAGE);
  private static final int WRITES = 6;
  private static final int LENGTH = 4096;
  private static final Duration SHORT = Duration.ofMillis(30);

  private final List<Integer> released = new ArrayList<>();
  private ConnectedPair pair;
  private CompletionPoller poller;
  private NativeMemory memory;
  private MemorySegment here;
  private MemorySegment there;
  private MemoryRegion from;
  private MemoryRegion to;

  @BeforeEach
  void connect() throws Exception {
    pair = new ConnectedPair();
    poller = pair.source.poller();
    memory = NativeMemory.allocate(2L * WRITES * LENGTH);
    here = memory.segment().asSlice(0, WRITES * LENGTH).fill((byte) 7);
    there = memory.segment().asSlice(WRITES * LENGTH);
    from = pair.source.endpoint().register(here, EnumSet.noneOf(Access.class));
    to =
        pair.destination
            .endpoint()
            .register(there, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
    pair.source.endpoint().adopt(from);
    pair.destination.endpoint().adopt(to);
  }

  @AfterEach
  void disconnect() throws Exception {
    pair.close();
    memory.close();
  }

  // --------------------------------------------------------------------------------- completions

  @Test
  void batch_isDispatchedWhole_beforeADefectInItIsThrown() {
    assertThatIllegalStateException()
        .isThrownBy(() -> pollOneBatch(() -> new IllegalStateException("a defect")))
        .withMessage("a defect")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(released).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void batch_isDispatchedWhole_beforeAFailureInItIsThrown() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> pollOneBatch(() -> new IOException("a failure")))
        .withMessage("a failure");
    assertThat(released).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void batch_isDispatchedWhole_beforeAnErrorInItIsThrown() {
    assertThatExceptionOfType(LinkageError.class)
        .isThrownBy(() -> pollOneBatch(() -> new LinkageError("an error")));
    assertThat(released).containsExactly(0, 1, 2, 3, 4, 5);
  }

  private interface Defect {
    Throwable make();
  }

  /** Polls once after several writes have completed, of which two cannot be released. */
  private void pollOneBatch(Defect defect) throws Exception {
    for (int i = 0; i < WRITES; i++) {
      int number = i;
      write(
          i,
          true,
          to.remoteKey(),
          arrived -> {
            released.add(number);
            if (number == 1 || number == 3) {
              FirstFailure.rethrow(defect.make());
            }
          });
    }
    // A request completes before the device begins the next one.
    awaitByte((long) (WRITES - 1) * LENGTH);
    try {
      poller.takeAll();
    } finally {
      while (pair.source.endpoint().sendQueue().isOutstanding()) {
        poller.takeAll();
      }
    }
  }

  private void write(int number, boolean last, int key, SendContext.@Nullable Held held)
      throws IOException {
    var table = new ChunkTable(0, "ram", WRITES * LENGTH, here.address());
    long offset = (long) number * LENGTH;
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 0);
    boolean signaled =
        pair.source
            .endpoint()
            .sendQueue()
            .postWrite(
                new SendRequest()
                    .rdmaWrite(
                        wrid,
                        from.address() + offset,
                        LENGTH,
                        from.localKey(),
                        to.address() + offset,
                        key),
                table,
                0,
                last,
                held);
    pair.sourceTelemetry.event(
        EventKind.POST_WRITE, signaled ? 1 : 0, LENGTH, wrid, to.address() + offset);
  }

  private void awaitByte(long offset) {
    long end = System.nanoTime() + Rig.END.toNanos();
    while (there.get(ValueLayout.JAVA_BYTE, offset + LENGTH - 1) == 0) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.yield();
    }
  }

  @Test
  void awaitWrites_returns_whenTheLastWriteHasCompleted() throws Exception {
    write(0, false, to.remoteKey(), null);
    write(1, true, to.remoteKey(), null);
    assertThat(poller.writesOutstanding()).isEqualTo(2);
    poller.awaitWrites();
    assertThat(poller.writesOutstanding()).isZero();
    assertThat(there.asSlice(0, 2 * LENGTH).mismatch(here.asSlice(0, 2 * LENGTH))).isEqualTo(-1);
    assertThat(pair.sourceTelemetry.metrics().get(Metric.WRITES_COMPLETED)).isEqualTo(2);
    assertThat(pair.sourceTelemetry.metrics().get(Metric.RAM_TRANSFERRED)).isEqualTo(2 * LENGTH);
  }

  @Test
  void awaitWrites_throws_whenTheLastWriteIsNotSignaled() throws Exception {
    write(0, false, to.remoteKey(), null);
    assertThatIllegalStateException()
        .isThrownBy(poller::awaitWrites)
        .withMessage("the last RDMA WRITE is not signaled");
  }

  @Test
  void failedWrite_endsWaitsAndPolls_withItsStatus() throws Exception {
    write(0, true, to.remoteKey() + 2, null);
    assertThatExceptionOfType(MigrationException.class)
        .isThrownBy(poller::awaitWrites)
        .withMessage(
            "The peer's device refused WRITE RDMA block 0 chunk 0 (remote access error): the peer"
                + " gave a wrong key or address.");
    assertThat(poller.hasFailed()).isTrue();
    assertThatExceptionOfType(MigrationException.class).isThrownBy(poller::poll);
    assertThat(pair.sourceTelemetry.metrics().get(Metric.RAM_TRANSFERRED)).isZero();
  }

  // --------------------------------------------------------------------------------------- waits

  @Test
  void wait_returns_whenItsConditionHolds_andRunsTheIdleTaskMeanwhile() throws Exception {
    var tasks = new AtomicInteger();
    poller.setIdleTask(tasks::incrementAndGet);
    poller.await(() -> tasks.get() == 3, new Wait(Wait.Kind.WRITES), Rig.END);
    assertThat(tasks).hasValue(3);
    assertThat(pair.sourceTelemetry.waitingFor()).isNull();
  }

  @Test
  void wait_returnsAtOnce_whenItsConditionHoldsAlready() throws Exception {
    poller.setIdleTask(() -> {
      throw new IOException("a wait");
    });
    poller.await(() -> true, new Wait(Wait.Kind.WRITES), Duration.ZERO);
  }

  @Test
  void wait_tellsWhatItWaitsFor() throws Exception {
    var waits = new ArrayList<@Nullable Wait>();
    poller.setIdleTask(() -> waits.add(pair.sourceTelemetry.waitingFor()));
    poller.await(() -> !waits.isEmpty(), ANSWER, Rig.END);
    assertThat(waits).containsExactly(ANSWER);
  }

  @Test
  void wait_fails_whenThePeerIsSilent() {
    assertThatExceptionOfType(MigrationException.class)
        .isThrownBy(() -> poller.await(() -> false, ANSWER, SHORT))
        .withMessage(
            "Nothing came from the peer for 30 ms while waiting for a message; check the other"
                + " side.");
    assertThat(pair.sourceTelemetry.waitingFor()).isNull();
  }

  @Test
  void wait_ends_whenTheUserCancels() {
    pair.cancellation.request();
    assertThatExceptionOfType(CancelledException.class)
        .isThrownBy(() -> poller.await(() -> false, ANSWER, Rig.END));
  }

  @Test
  void wait_fails_whenThePeerDisconnects() throws Exception {
    pair.destination.endpoint().connection().disconnect();
    assertThatExceptionOfType(DisconnectedException.class)
        .isThrownBy(() -> poller.await(() -> false, ANSWER, Rig.END));
  }

  @Test
  void awaitDisconnect_returns_whenThePeerDisconnects_andWhenItDoesNot() throws Exception {
    poller.awaitDisconnect(SHORT);
    assertThat(poller.disconnected()).isFalse();
    pair.destination.endpoint().connection().disconnect();
    poller.awaitDisconnect(Rig.END);
    assertThat(poller.disconnected()).isTrue();
  }

  @Test
  void drain_coversEveryRequest_afterADisconnect() throws Exception {
    for (int i = 0; i < WRITES; i++) {
      int number = i;
      write(i, i == WRITES - 1, to.remoteKey(), arrived -> released.add(number));
    }
    pair.source.close();
    assertThat(released).containsExactly(0, 1, 2, 3, 4, 5);
  }
}
