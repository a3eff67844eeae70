// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A reader gets whole records, in order. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "before the first record")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "between both records")
@Outcome(id = "2, 12", expect = Expect.ACCEPTABLE, desc = "after both records")
@Outcome(expect = Expect.FORBIDDEN, desc = "a torn record, or in the wrong order")
@State
public class EventRingStress {
  private final EventRing ring = new EventRing(4);

  @Actor
  public void writer() {
    ring.write(0, EventKind.POST_SEND, 1, 1, 1, 1);
    ring.write(0, EventKind.POST_WRITE, 2, 2, 2, 2);
  }

  @Actor
  public void reader(II_Result r) {
    r.r1 =
        ring.drain(
            (nanos, kind, detail, length, wrid, argument) -> {
              EventKind expected = detail == 1 ? EventKind.POST_SEND : EventKind.POST_WRITE;
              boolean whole =
                  nanos != 0
                      && kind == expected
                      && length == detail
                      && wrid == detail
                      && argument == detail;
              r.r2 = whole ? 10 * r.r2 + detail : -1;
            },
            Integer.MAX_VALUE);
  }
}
