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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.NativeMemory;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.SendRequest;

/** Completions that come in one batch. */
class CompletionPollerTest {
  private static final int WRITES = 6;
  private static final int LENGTH = 4096;

  private final List<Integer> released = new ArrayList<>();

  @Test
  void batch_isDispatchedWhole_beforeADefectInItIsThrown() throws Exception {
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

  /** Polls once when several writes have completed; what two of them held cannot be released. */
  private void pollOneBatch(Defect defect) throws Exception {
    try (var rig = new Rig();
        var memory = NativeMemory.allocate(2L * WRITES * LENGTH)) {
      MemorySegment here = memory.segment().asSlice(0, WRITES * LENGTH);
      MemorySegment there = memory.segment().asSlice(WRITES * LENGTH);
      here.fill((byte) 7);
      CompletableFuture<Connected> accepted = CompletableFuture.supplyAsync(() -> accept(rig));
      var connection = rig.sourceDevice.resolve(rig.address(), Rig.END);
      try (var source = open(rig.sourceDevice, connection, Role.SOURCE)) {
        connection.connect(Endpoint.connectionParameters(new byte[8]), Rig.END);
        try (var destination = accepted.join();
            var from = source.endpoint().register(here, EnumSet.noneOf(Access.class));
            var to =
                destination
                    .endpoint()
                    .register(there, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE))) {
          var table = new ChunkTable(0, "ram", WRITES * LENGTH, here.address());
          var request = new SendRequest();
          for (int i = 0; i < WRITES; i++) {
            int number = i;
            source
                .endpoint()
                .sendQueue()
                .postWrite(
                    request.rdmaWrite(
                        WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 0),
                        from.address() + (long) i * LENGTH,
                        LENGTH,
                        from.localKey(),
                        to.address() + (long) i * LENGTH,
                        to.remoteKey()),
                    table,
                    0,
                    true,
                    arrived -> {
                      released.add(number);
                      if (number == 1 || number == 3) {
                        FirstFailure.rethrow(defect.make());
                      }
                    });
          }
          // A request completes before the device turns to the next one.
          awaitByte(there, (long) (WRITES - 1) * LENGTH);
          try {
            source.poller().takeAll();
          } finally {
            while (source.endpoint().sendQueue().isOutstanding()) {
              source.poller().takeAll();
            }
          }
        }
      }
    }
  }

  private static Connected open(RdmaDevice device, Connection connection, Role role)
      throws IOException {
    return Connected.open(
        device,
        connection,
        role,
        false,
        new SessionTelemetry(role, false),
        new Cancellation(Duration.ZERO),
        Limits.DEFAULT);
  }

  private static Connected accept(Rig rig) {
    try {
      ConnectionRequest request = Objects.requireNonNull(rig.listener().nextRequest(Rig.END));
      Connected peer = open(rig.destinationDevice, request.connection(), Role.DESTINATION);
      request.accept(Endpoint.connectionParameters(new byte[8]), Rig.END);
      return peer;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitByte(MemorySegment memory, long offset) {
    long end = System.nanoTime() + Rig.END.toNanos();
    while (memory.get(ValueLayout.JAVA_BYTE, offset + LENGTH - 1) == 0) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.yield();
    }
  }
}
