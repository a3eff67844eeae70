// SPDX-License-Identifier: Apache-2.0
package org.wridscope.benchmark;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventRing;

/** Writing and draining records of 32 bytes, against a copy of as many bytes. */
@State(Scope.Thread)
public class EventRingBenchmark {
  private static final int RECORDS = 1024;
  private static final int LONGS = 4 * RECORDS;

  private final EventRing ring = new EventRing(RECORDS);
  private final long[] from = new long[LONGS];
  private final long[] to = new long[LONGS];

  @Benchmark
  public int measured(Blackhole hole) {
    for (int i = 0; i < RECORDS; i++) {
      ring.write(System.nanoTime(), EventKind.POST_WRITE, 1, 4096, i, i);
    }
    return ring.drain((nanos, kind, detail, length, wrid, argument) -> hole.consume(wrid), RECORDS);
  }

  @Benchmark
  public long[] limit() {
    System.arraycopy(from, 0, to, 0, LONGS);
    return to;
  }
}
