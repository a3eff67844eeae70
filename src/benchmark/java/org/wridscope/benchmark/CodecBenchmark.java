// SPDX-License-Identifier: Apache-2.0
package org.wridscope.benchmark;

import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.RegisterCommand;

/** Encoding and decoding REGISTER REQUEST commands, against a copy of their bytes. */
@State(Scope.Thread)
public class CodecBenchmark {
  private static final int COMMANDS = 1024;
  private static final int BYTES = COMMANDS * RegisterCommand.BYTES;

  private final ByteBuffer message = ByteBuffer.allocateDirect(BYTES);
  private final ByteBuffer copy = ByteBuffer.allocateDirect(BYTES);

  @Benchmark
  public void measured(Blackhole hole) throws ProtocolException {
    message.clear();
    for (int i = 0; i < COMMANDS; i++) {
      new RegisterCommand(1L << 30, 0, i).encode(message);
    }
    message.flip();
    while (message.hasRemaining()) {
      hole.consume(RegisterCommand.decode(message));
    }
  }

  @Benchmark
  public ByteBuffer limit() {
    return copy.put(0, message, 0, BYTES);
  }
}
