// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** Encoding, which the engine's thread does, must not allocate. */
final class AllocationTest {
  private static final int TIMES = 10_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void encode_anyMessage_allocatesNothing() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    ControlHeader header = new ControlHeader(24, ControlType.REGISTER_REQUEST, 1);
    RegisterCommand register = new RegisterCommand(1 << 20, 2, 0);
    RegisterResult result = new RegisterResult(7, 4096);
    CompressCommand compress = new CompressCommand(0, 2, 1 << 20, 4096);
    UnregisterCommand unregister = new UnregisterCommand(1, 2, 0);
    var blocks = Collections.nCopies(8, new RemoteBlock(4096, 0, 4096, 0));
    DigestList digests =
        new DigestList(Collections.nCopies(8, new DigestEntry(4096, "0a".repeat(32))));
    Runnable encode =
        () -> {
          buffer.clear();
          header.encode(buffer);
          register.encode(buffer);
          result.encode(buffer);
          compress.encode(buffer);
          unregister.encode(buffer);
          RemoteBlock.encodeList(blocks, buffer);
          digests.encode(buffer);
        };
    assertAllocatesNothing(encode);
  }

  @Test
  void wrid_anyPart_allocatesNothing() {
    long[] sum = new long[1];
    assertAllocatesNothing(() -> {
      long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 3, 17);
      sum[0] += WorkRequestId.type(wrid) + WorkRequestId.block(wrid) + WorkRequestId.chunk(wrid);
    });
    assertThat(sum[0]).isEqualTo(2L * TIMES * (1 + 3 + 17));
  }

  /** Calls before the measurement, which load classes. */
  private void assertAllocatesNothing(Runnable code) {
    for (int i = 0; i < TIMES; i++) {
      code.run();
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < TIMES; i++) {
      code.run();
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    // The measurement itself allocates a little.
    assertThat(allocated / TIMES).as("bytes for each of %d calls", TIMES).isZero();
  }
}
