// SPDX-License-Identifier: Apache-2.0
package org.wridscope.benchmark;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.wridscope.memory.ZeroPages;

/** Testing a chunk of zeros, against a copy of it. */
@State(Scope.Thread)
public class ZeroPagesBenchmark {
  private static final long BYTES = 1 << 20;

  private final MemorySegment chunk = Arena.ofAuto().allocate(BYTES, 4096);
  private final MemorySegment copy = Arena.ofAuto().allocate(BYTES, 4096);

  @Benchmark
  public boolean measured() {
    return ZeroPages.isZero(chunk, 0, BYTES);
  }

  @Benchmark
  public MemorySegment limit() {
    return copy.copyFrom(chunk);
  }
}
