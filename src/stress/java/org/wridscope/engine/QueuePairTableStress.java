// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.wridscope.verbs.AsyncEventType;

/** The removal of a queue pair waits for a handler that was found before. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "found, and waited for")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "removed before it was found")
@Outcome(expect = Expect.FORBIDDEN, desc = "removed while a handler runs")
@State
public class QueuePairTableStress {
  private final QueuePairTable table = new QueuePairTable();
  private final QueuePairTable.Entry entry = table.enter(7, (type, number) -> {});
  private int handled;

  @Actor
  public void events(II_Result r) {
    QueuePairTable.Entry found = table.hold(7, AsyncEventType.QP_FATAL);
    if (found != null) {
      handled = 1;
      r.r1 = 1;
      table.release(found);
    }
  }

  @Actor
  public void closing(II_Result r) {
    boolean free = table.remove(entry, Duration.ofSeconds(10));
    r.r2 = free ? handled : -1;
  }
}
