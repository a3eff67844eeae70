// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A view sees each value whole while the engine's first change allocates the columns. */
@JCStressTest
@Outcome(
    id = {"0, 0", "0, 1", "1, 0", "1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "before, after")
@Outcome(expect = Expect.FORBIDDEN, desc = "a value that was never set")
@State
public class ChunkTableStress {
  private final ChunkTable table = new ChunkTable(0, "pc.ram", 64 * ChunkTable.CHUNK_SIZE, 0);

  @Actor
  public void engine() {
    table.setState(5, ChunkState.REGISTERED);
  }

  @Actor
  public void view(II_Result r) {
    r.r1 =
        switch (table.state(5)) {
          case NOT_REGISTERED -> 0;
          case REGISTERED -> 1;
          default -> -1;
        };
    r.r2 = (int) table.count(ChunkState.REGISTERED);
  }
}
