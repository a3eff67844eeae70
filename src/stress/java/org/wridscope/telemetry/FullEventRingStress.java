// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Every record is either read or counted as left out. */
@JCStressTest
@Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "read in between")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the second record found the ring full")
@Outcome(expect = Expect.FORBIDDEN, desc = "a record was lost or counted twice")
@State
public class FullEventRingStress {
  private final EventRing ring = new EventRing(1);
  private int read;

  @Actor
  public void writer() {
    ring.write(0, EventKind.POST_SEND, 1, 1, 1, 1);
    ring.write(0, EventKind.POST_SEND, 2, 2, 2, 2);
  }

  @Actor
  public void reader() {
    read = drain();
  }

  private int drain() {
    return ring.drain((nanos, kind, detail, length, wrid, argument) -> {}, Integer.MAX_VALUE);
  }

  @Arbiter
  public void arbiter(II_Result r) {
    r.r1 = read + drain();
    r.r2 = (int) ring.leftOut();
  }
}
