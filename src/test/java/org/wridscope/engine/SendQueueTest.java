// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;

/** Every request is accounted for, however it ends, and its resources are released only then. */
class SendQueueTest {
  private static final int DEPTH = 64;
  private static final int CHUNKS = 5;

  private final ChunkTable table = new ChunkTable(3, "pc.ram", CHUNKS << 20, 0);

  /** A send queue whose slots become free when a completion of them or a later one is polled. */
  private static final class Device implements QueuePair {
    private record Request(long wrid, boolean signaled) {}

    private final ArrayDeque<Request> posted = new ArrayDeque<>();
    private final ArrayDeque<WorkCompletion> completions = new ArrayDeque<>();
    private final ArrayDeque<Integer> slots = new ArrayDeque<>();
    private int executed;
    private int occupied;
    private boolean failed;

    @Override
    public void postSend(SendRequest request) throws VerbsException {
      if (occupied == DEPTH) {
        throw new VerbsException(Errno.ENOMEM, "the send queue is full");
      }
      occupied++;
      posted.add(new Request(request.workRequestId(), request.signaled()));
    }

    /** Executes the oldest request. */
    void execute(WorkCompletionStatus status) {
      Request request = posted.remove();
      executed++;
      failed |= status != WorkCompletionStatus.SUCCESS;
      if (request.signaled || status != WorkCompletionStatus.SUCCESS) {
        var completion = new WorkCompletion();
        completion.set(request.wrid, status, WorkCompletionOpcode.RDMA_WRITE, 0, 0, 7);
        completions.add(completion);
        slots.add(executed);
        executed = 0;
      }
    }

    WorkCompletion poll() {
      occupied -= slots.remove();
      return completions.remove();
    }

    @Override
    public int number() {
      return 7;
    }

    @Override
    public QueuePairState state() {
      return failed ? QueuePairState.ERROR : QueuePairState.RTS;
    }

    @Override
    public QueuePairCapacity capacity() {
      return new QueuePairCapacity(DEPTH, 1);
    }

    @Override
    public void postReceive(ReceiveRequest request) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  /** Released resources, in order. */
  private static final class Returned implements SendQueue.Listener {
    private final List<Integer> buffers = new ArrayList<>();
    private int writes;

    @Override
    public void written(ChunkTable table, int chunk, int length, boolean arrived) {
      writes++;
    }

    @Override
    public void sent(int buffer, int length, boolean arrived) {
      buffers.add(buffer);
    }
  }

  private final Device device = new Device();
  private final Returned returned = new Returned();
  private final List<Integer> released = new ArrayList<>();
  private final SendRequest request = new SendRequest();
  private int posts;

  private SendQueue queue(int interval) {
    var queue = new SendQueue(device, new QueueDepths(DEPTH, 2), interval);
    queue.setListener(returned);
    return queue;
  }

  private boolean write(SendQueue queue, int chunk, boolean last) throws IOException {
    int number = posts++;
    return queue.postWrite(
        request.rdmaWrite(
            WorkRequestId.of(WorkRequestId.RDMA_WRITE, 3, chunk), 0x1000, 4096, 1, 0x2000, 2),
        table,
        chunk,
        last,
        arrived -> released.add(number));
  }

  private void message(SendQueue queue, int buffer) throws IOException {
    posts++;
    queue.postMessage(
        request.send(WorkRequestId.of(WorkRequestId.CONTROL_SEND, 0, buffer), 0x1000, 16, 1),
        buffer);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, (DEPTH - 4) / 4 + 1, DEPTH})
  void intervalThatCouldFillTheQueue_isRefused(int interval) {
    assertThatIllegalArgumentException().isThrownBy(() -> queue(interval));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 15})
  void oneWriteInSoMany_isSignaled(int interval) throws Exception {
    SendQueue queue = queue(interval);
    for (int i = 1; i <= 45; i++) {
      assertThat(write(queue, 0, false)).isEqualTo(i % interval == 0);
      assertThat(queue.isBatchOpen()).isEqualTo(i % interval != 0);
    }
  }

  @Test
  void batchIsClosed_byTheLastWrite_byAMessage_andBySomebodyWhoWaits() throws Exception {
    SendQueue queue = queue(4);
    assertThat(write(queue, 0, false)).isFalse();
    assertThat(write(queue, 0, true)).isTrue();
    assertThat(queue.isBatchOpen()).isFalse();
    assertThat(write(queue, 0, false)).isFalse();
    message(queue, 5);
    assertThat(queue.isBatchOpen()).isFalse();
    queue.demandSignal();
    assertThat(write(queue, 0, false)).isTrue();
    for (int i = 1; i <= 3; i++) {
      assertThat(write(queue, 0, false)).as("a new batch of four: %d", i).isFalse();
    }
    assertThat(write(queue, 0, false)).isTrue();
  }

  @Test
  void completion_releasesWhatItCovers_andNothingElse() throws Exception {
    SendQueue queue = queue(4);
    for (int i = 0; i < 7; i++) {
      write(queue, i % CHUNKS, false);
    }
    for (int i = 0; i < 7; i++) {
      device.execute(WorkCompletionStatus.SUCCESS);
      assertThat(released).isEmpty();
      assertThat(table.inTransit(0)).isEqualTo(2);
    }
    queue.completed(device.poll());
    assertThat(released).containsExactly(0, 1, 2, 3);
    assertThat(queue.writesOutstanding()).isEqualTo(3);
    assertThat(table.state(2)).isEqualTo(ChunkState.SENT);
    assertThat(table.inTransit(0)).isEqualTo(1);
    message(queue, 6);
    device.execute(WorkCompletionStatus.SUCCESS);
    queue.completed(device.poll());
    assertThat(released).containsExactly(0, 1, 2, 3, 4, 5, 6);
    assertThat(returned.buffers).containsExactly(6);
    assertThat(queue.isOutstanding()).isFalse();
  }

  @Test
  void reply_releasesWhatWasPostedBeforeTheQuestion_andItsCompletionsNothing() throws Exception {
    SendQueue queue = queue(4);
    var policy = new ReleaseOnReply(queue);
    policy.answered();
    for (int i = 0; i < 5; i++) {
      write(queue, i, false);
    }
    message(queue, 6);
    policy.asked();
    write(queue, 0, true);

    policy.answered();

    assertThat(released).containsExactly(0, 1, 2, 3, 4);
    assertThat(returned.buffers).containsExactly(6);
    assertThat(queue.writesOutstanding()).isEqualTo(1);
    policy.answered();
    assertThat(queue.writesOutstanding()).isEqualTo(1);
    for (int i = 0; i < 7; i++) {
      device.execute(WorkCompletionStatus.SUCCESS);
    }
    assertThat(policy.isHeld(device.poll())).as("the fourth write").isFalse();
    assertThat(policy.isHeld(device.poll())).as("the message").isFalse();
    WorkCompletion last = device.poll();
    assertThat(policy.isHeld(last)).isTrue();
    queue.completed(last);
    assertThat(queue.isOutstanding()).isFalse();
  }

  @Test
  void reply_beforeAFailure_leavesNothingToItsCompletions() throws Exception {
    SendQueue queue = queue(4);
    var policy = new ReleaseOnReply(queue);
    write(queue, 0, false);
    write(queue, 1, false);
    policy.asked();
    policy.answered();
    write(queue, 2, false);
    device.execute(WorkCompletionStatus.SUCCESS);
    device.execute(WorkCompletionStatus.LOC_PROT_ERR);
    device.execute(WorkCompletionStatus.WR_FLUSH_ERR);
    assertThat(policy.isHeld(device.poll())).isFalse();
    WorkCompletion flushed = device.poll();
    assertThat(policy.isHeld(flushed)).isTrue();
    queue.completed(flushed);
    assertThat(released).containsExactly(0, 1, 2);
    assertThat(queue.isOutstanding()).isFalse();
  }

  @Test
  void completionOfWhatCannotComplete_isAMistake() throws Exception {
    SendQueue queue = queue(4);
    var completion = new WorkCompletion();
    completion.set(
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, 3, 0),
        WorkCompletionStatus.SUCCESS,
        WorkCompletionOpcode.RDMA_WRITE,
        0,
        0,
        7);
    assertThatIllegalStateException().isThrownBy(() -> queue.completed(completion));
    write(queue, 0, false);
    assertThatIllegalStateException()
        .as("it is not signaled")
        .isThrownBy(() -> queue.completed(completion));
    write(queue, 1, true);
    assertThatIllegalStateException()
        .as("another one is the next to complete")
        .isThrownBy(() -> queue.completed(completion));
    assertThat(released).isEmpty();
  }

  @Test
  void failedPost_holdsNothing() throws Exception {
    SendQueue queue = queue(4);
    device.occupied = DEPTH;
    assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> write(queue, 0, false));
    assertThat(queue.isOutstanding()).isFalse();
    assertThat(queue.writesOutstanding()).isZero();
    assertThat(table.inTransit(0)).isZero();
  }

  /** A completion covers all requests before it, even if releasing one of them fails. */
  @Test
  void releaseThatFails_keepsNothingElse() throws Exception {
    SendQueue queue = queue(4);
    for (int i = 0; i < 8; i++) {
      int number = i;
      queue.postWrite(
          request.rdmaWrite(
              WorkRequestId.of(WorkRequestId.RDMA_WRITE, 3, 1), 0x1000, 4096, 1, 0x2000, 2),
          table,
          1,
          false,
          arrived -> {
            released.add(number);
            if (number % 2 == 1) {
              throw new IOException("region " + number);
            }
          });
      device.execute(WorkCompletionStatus.SUCCESS);
    }
    assertThat(queue.bytesOutstanding()).isEqualTo(8 * 4096);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> queue.completed(device.poll()))
        .withMessage("region 1")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(released).containsExactly(0, 1, 2, 3);
    assertThat(queue.bytesOutstanding()).isEqualTo(4 * 4096);
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> queue.completed(device.poll()));
    assertThat(released).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(queue.isOutstanding()).isFalse();
    assertThat(queue.bytesOutstanding()).isZero();
    assertThat(table.inTransit(1)).isZero();
  }

  /** A device may be destroyed before every request has completed. */
  @Test
  void destroyedQueuePair_releasesWhatNoCompletionCovered() throws Exception {
    SendQueue queue = queue(4);
    for (int i = 0; i < 6; i++) {
      write(queue, i % CHUNKS, false);
      device.execute(WorkCompletionStatus.SUCCESS);
    }
    message(queue, 2);
    queue.completed(device.poll());
    queue.settle();
    assertThat(released).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(returned.buffers).containsExactly(2);
    assertThat(transits()).isZero();
    assertThat(queue.isOutstanding()).isFalse();
    queue.settle();
    assertThat(released).hasSize(6);
  }

  /** Any order of posting, executing and polling, with or without a failure at any request. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 15})
  void everyRequest_isReleasedOnce_inOrder(int interval) throws Exception {
    for (int seed = 0; seed < 1_000; seed++) {
      posts = 0;
      released.clear();
      returned.writes = 0;
      returned.buffers.clear();
      run(new SplittableRandom(seed), interval);
    }
  }

  private void run(SplittableRandom random, int interval) throws IOException {
    SendQueue queue = queue(interval);
    long fatal = random.nextBoolean() ? random.nextInt(200) : Long.MAX_VALUE;
    int messages = 0;
    int executed = 0;
    for (int step = 0; step < 600; step++) {
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          if (queue.hasRoomForWrite()) {
            write(queue, random.nextInt(CHUNKS), random.nextInt(20) == 0);
          } else {
            assertThat(queue.isOutstanding()).isTrue();
          }
        }
        case 2 -> {
          if (!device.posted.isEmpty()) {
            device.execute(status(executed++, fatal));
          } else if (random.nextInt(8) == 0 && messages - returned.buffers.size() < 4) {
            message(queue, messages++);
          }
        }
        default -> {
          if (!device.completions.isEmpty()) {
            queue.completed(device.poll());
          }
        }
      }
      assertThat(transits()).isEqualTo(queue.writesOutstanding());
      assertThat(queue.bytesOutstanding()).isEqualTo(4096L * queue.writesOutstanding());
      assertThat(device.occupied).isLessThanOrEqualTo(DEPTH);
    }
    message(queue, messages);
    while (!device.posted.isEmpty()) {
      device.execute(status(executed++, fatal));
    }
    while (!device.completions.isEmpty()) {
      queue.completed(device.poll());
    }
    if (fatal >= executed) {
      assertThat(queue.isOutstanding()).isFalse();
    }
    queue.settle();
    assertThat(queue.isOutstanding()).isFalse();
    assertThat(transits()).isZero();
    assertThat(returned.writes + returned.buffers.size()).isEqualTo(posts);
    assertThat(released).isSorted().doesNotHaveDuplicates().hasSize(returned.writes);
    device.failed = false;
    device.occupied = 0;
    device.executed = 0;
  }

  private static WorkCompletionStatus status(long ordinal, long fatal) {
    return ordinal < fatal
        ? WorkCompletionStatus.SUCCESS
        : ordinal == fatal ? WorkCompletionStatus.RETRY_EXC_ERR : WorkCompletionStatus.WR_FLUSH_ERR;
  }

  private int transits() {
    int sum = 0;
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      sum += table.inTransit(chunk);
    }
    return sum;
  }
}
