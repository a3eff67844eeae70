// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.wridscope.verbs.ReceiveRequest;

/** The device's thread takes whole requests. */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not posted yet")
@Outcome(id = "7, 8, 9", expect = Expect.ACCEPTABLE, desc = "posted")
@Outcome(expect = Expect.FORBIDDEN, desc = "a torn request")
@State
public class WorkQueueStress {
  private final WorkQueue queue = WorkQueue.ofReceives(4);

  @Actor
  public void poster() {
    queue.post(new ReceiveRequest().fill(7, 8, 9, 10));
  }

  @Actor
  public void device(III_Result r) {
    if (!queue.isEmpty()) {
      int slot = queue.slot();
      r.r1 = (int) queue.workRequestId(slot);
      r.r2 = (int) queue.address(slot);
      r.r3 = queue.length(slot);
      queue.take();
    }
  }
}
